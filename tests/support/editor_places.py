"""Where the editors of the tests lie; read by the script that fetches them too."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

__all__ = ["CODE_SERVER_VERSION", "NEOVIM_SUITES", "VSIX", "chromium", "code_server", "editors_cache", "neovim_root"]

CODE_SERVER_VERSION = "4.139.1"
#: Lines of Neovim that come from Debian's packages, and the suite that has each. Another one comes by pip.
NEOVIM_SUITES: Mapping[str, str] = {"0.10": "trixie", "0.12": "forky"}
VSIX = Path(__file__).resolve().parents[2] / "editors/vscode/dist/codeassistd.vsix"


def editors_cache(environ: Mapping[str, str]) -> Path:
    """The folder of all of them, shared by all clones."""
    base = environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "codeassistd" / "editors"


def code_server(environ: Mapping[str, str]) -> Path:
    """The script that Node.js runs."""
    folder = editors_cache(environ) / f"code-server-{CODE_SERVER_VERSION}"
    return folder / "node_modules/code-server/out/node/entry.js"


def neovim_root(environ: Mapping[str, str], line: str) -> Path:
    """The folder that holds a Neovim of that line with all that it needs: `usr/bin/nvim` and `usr/share/nvim`."""
    return editors_cache(environ) / f"neovim-{line}"


def chromium() -> str | None:
    """The browser on PATH."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((found for name in names if (found := shutil.which(name))), None)
