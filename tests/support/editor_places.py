"""Where the editors of the tests lie; read by the script that fetches them too."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = [
    "CODE_SERVER_VERSION",
    "PACKAGED",
    "VSIX",
    "Packaged",
    "chromium",
    "code_server",
    "editors_cache",
    "packaged_root",
]

CODE_SERVER_VERSION = "4.139.1"


@dataclass(frozen=True, slots=True)
class Packaged:
    """An editor that comes from Debian's packages.

    Attributes:
        suite: the Debian that has the wished release.
        packages: their names there.
        program: the file within the unpacked packages.
    """

    suite: str
    packages: tuple[str, ...]
    program: str


#: Editors from Debian's packages, by the name of their folder. Neovim 0.11 comes by pip.
PACKAGED: Mapping[str, Packaged] = {
    "neovim-0.10": Packaged("trixie", ("neovim",), "usr/bin/nvim"),
    "neovim-0.12": Packaged("forky", ("neovim",), "usr/bin/nvim"),
    "emacs-30.2": Packaged("forky", ("emacs-nox", "elpa-lsp-mode"), "usr/bin/emacs-nox"),
    "helix-25": Packaged("trixie", ("hx",), "usr/lib/hx/hx"),
}
VSIX = Path(__file__).resolve().parents[2] / "editors/vscode/dist/codeassistd.vsix"


def editors_cache(environ: Mapping[str, str]) -> Path:
    """The folder of all of them, shared by all clones."""
    base = environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "codeassistd" / "editors"


def code_server(environ: Mapping[str, str]) -> Path:
    """The script that Node.js runs."""
    folder = editors_cache(environ) / f"code-server-{CODE_SERVER_VERSION}"
    return folder / "node_modules/code-server/out/node/entry.js"


def packaged_root(environ: Mapping[str, str], name: str) -> Path:
    """The folder that holds an editor of `PACKAGED` with all that it needs, below `usr`."""
    return editors_cache(environ) / name


def chromium() -> str | None:
    """The browser on PATH."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((found for name in names if (found := shutil.which(name))), None)
