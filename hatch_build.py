"""What the wheel carries beside the packages: the clients for editors, which `setup` then installs without a clone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_FOLDER = "codeassistd_editors"
_NEOVIM = "editors/neovim"
_VSIX = "editors/vscode/dist/codeassistd.vsix"


class ClientFiles(BuildHookInterface[Any]):
    """Adds them to a wheel; an editable installation finds them where they are."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Hatchling asks before it collects files."""
        if self.target_name != "wheel" or version == "editable":
            return
        build_data["force_include"][_NEOVIM] = f"{_FOLDER}/neovim"
        if (Path(self.root) / _VSIX).is_file():
            build_data["force_include"][_VSIX] = f"{_FOLDER}/codeassistd.vsix"
        else:
            self.app.display_warning(f"{_VSIX} is not there, so this wheel has no client for VS Code; run: make vscode")
