"""What git says about a folder: reading commands only, with nothing of the workspace's own config run.

`core.fsmonitor` in a repository's config names a program that git would start, so it is switched off; optional locks
are off, so that not even git's own index is refreshed. Every answer is None where git is missing, does not trust the
repository or does not answer: then the caller reads the ignore files itself.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.paths import child_environment

__all__ = ["Repository", "exclude_files", "is_linked_work_tree", "open_repository"]

_COMMAND = ("git", "--no-optional-locks", "-c", "core.fsmonitor=", "-c", "core.quotePath=false")
#: A listing of a million files takes seconds; a git that hangs (a dead network mount) must not stop the index for ever.
_TIMEOUT_S = 120.0
#: Windows opens a console for each child of a windowless process otherwise.
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


@dataclass(frozen=True, slots=True)
class Repository:
    """A folder in a work tree of git.

    Attributes:
        folder: where the questions are asked: the work tree's root, or a folder below it.
        markers: files of git's own whose change means that the answers may differ: HEAD and the local exclude file.
        patience_s: how long an answer may take.
    """

    folder: Path
    markers: tuple[Path, ...]
    patience_s: float = _TIMEOUT_S

    def list_files(self) -> list[str] | None:
        """Tracked and untracked-not-ignored paths below the folder, with `/`.

        A child repository stands there as one path: with a `/` at its end while it is untracked, without it when it is
        a submodule.
        """
        asked = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        answer = _ask(self.folder, asked, patience_s=self.patience_s)
        return None if answer is None else [os.fsdecode(path) for path in answer.split(b"\0") if path]

    def ignored(self, folders: Iterable[str]) -> frozenset[str]:
        """Which of `folders` (relative, with `/`) an ignore rule leaves out."""
        # A leading "./" keeps git from reading pathspec magic into a name that begins with a colon.
        asked = b"\0".join(os.fsencode(f"./{folder}") for folder in folders)
        if not asked:
            return frozenset()
        asking = ["check-ignore", "-z", "--stdin"]
        answer = _ask(self.folder, asking, asked, good_codes=(0, 1), patience_s=self.patience_s)
        return frozenset(os.fsdecode(path).removeprefix("./") for path in (answer or b"").split(b"\0") if path)


def open_repository(folder: Path, patience_s: float = _TIMEOUT_S) -> Repository | None:
    """The repository that decides about the files of `folder`, or None where there is none.

    A folder that lies in a work tree which ignores it (a project below a home folder kept in git) has no repository:
    git would list nothing.
    """
    asking = ["rev-parse", "--show-prefix", "--git-path", "HEAD", "--git-path", "info/exclude"]
    answer = _ask(folder, asking, patience_s=patience_s)
    if answer is None:
        return None
    prefix, *markers = os.fsdecode(answer).split("\n")[:3]
    if prefix and _ask(folder, ["check-ignore", "-q", "."], patience_s=patience_s) is not None:
        return None
    return Repository(folder, tuple(Path(os.path.normpath(folder / marker)) for marker in markers), patience_s)


def exclude_files(folder: Path, patience_s: float) -> tuple[Path, ...]:
    """Files of rules that are no `.gitignore`: the user's for all repositories, and that of the one round `folder`."""
    usual = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git" / "ignore"
    asked = _ask(folder, ["config", "--type=path", "--get", "core.excludesFile"], patience_s=patience_s)
    mine = Path(folder, os.fsdecode(asked).rstrip("\n")) if asked else usual
    local = _ask(folder, ["rev-parse", "--git-path", "info/exclude"], patience_s=patience_s)
    return (mine, Path(folder, os.fsdecode(local).rstrip("\n"))) if local else (mine,)


def is_linked_work_tree(folder: Path) -> bool:
    """Whether `folder` is a second work tree of a repository (`git worktree add`): another state of the same files."""
    try:
        text = (folder / ".git").read_text("utf-8", "replace")
    except OSError:
        return False
    return text.startswith("gitdir:") and Path(text.removeprefix("gitdir:").strip()).parent.name == "worktrees"


def _ask(
    folder: Path,
    arguments: Sequence[str],
    given: bytes = b"",
    good_codes: tuple[int, ...] = (0,),
    *,
    patience_s: float,
) -> bytes | None:
    """Standard output of git in `folder`, or None where it cannot be had."""
    try:
        done = subprocess.run(
            [*_COMMAND, *arguments],
            cwd=folder,
            env=_environment(),
            input=given,
            capture_output=True,
            timeout=patience_s,
            check=False,
            creationflags=_NO_WINDOW,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode in good_codes else None


def _environment() -> dict[str, str]:
    """Our environment without what would point git elsewhere: a daemon started by a git hook inherits GIT_DIR."""
    env = child_environment()
    return {name: value for name, value in env.items() if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_")}
