"""A home of its own for a daemon that is measured: the user's settings and models, but no cache, index or log of theirs.

    with scratch_home(Paths.resolve()) as home:
        ...  # start `codeassistd lsp --stdio` with `home.environ`

Whatever daemon was started in it is stopped at the end, and the folder is removed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeassistd.config_layers import as_variables
from codeassistd.daemon.stopping import stop_daemon
from codeassistd.errors import UsageError
from codeassistd.paths import Paths, child_environment

__all__ = ["ScratchHome", "scratch_home"]


@dataclass(frozen=True, slots=True)
class ScratchHome:
    """Where the daemon of one measurement lives.

    Attributes:
        environ: the environment for processes that shall use it.
    """

    paths: Paths
    environ: Mapping[str, str]


@contextmanager
def scratch_home(user: Paths, overrides: Mapping[str, str] | None = None) -> Iterator[ScratchHome]:
    """A home that shares the settings and models of `user`.

    Args:
        user: the places that are shared.
        overrides: settings that hold in it, as `parse_assignments` returns them.

    Raises:
        UsageError: this system lets no user make links.
        DaemonError: the daemon in it does not end.
    """
    with tempfile.TemporaryDirectory(prefix="codeassistd-") as folder:
        environ = {
            **child_environment(),
            **as_variables(overrides or {}),
            "CODEASSISTD_HOME": folder,
        }
        paths = Paths.resolve(environ)
        _share(user.config_dir, paths.config_dir)
        _share(user.data_dir, paths.data_dir)
        try:
            yield ScratchHome(paths, environ)
        finally:
            stop_daemon(paths)


def _share(folder: Path, link: Path) -> None:
    try:
        link.symlink_to(folder.absolute(), target_is_directory=True)
    except OSError as error:
        raise UsageError(
            f"cannot link {link} to {folder} ({error.strerror}); measure the running daemon with `--daemon running`"
        ) from error
