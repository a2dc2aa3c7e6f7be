"""What VS Code is told about the extension agrees with the server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from codeassistd import __version__
from codeassistd.config import Settings

REPO = Path(__file__).resolve().parent.parent.parent
EXTENSION = REPO / "editors/vscode"


def manifest() -> dict[str, object]:
    """The extension's `package.json`."""
    content: dict[str, object] = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    return content


def test_the_settings_are_those_that_the_server_takes() -> None:
    """A name, bound or default that differs would be refused by the server, or mislead."""
    script = [sys.executable, str(REPO / "scripts/vscode_settings.py"), "--check"]

    assert 0 == subprocess.run(script, check=False).returncode


def test_every_setting_of_a_completion_can_be_set_in_the_editor() -> None:
    """The page of settings is complete, whatever is added to the server."""
    contributes = manifest()["contributes"]
    assert isinstance(contributes, dict)
    shown = set(contributes["configuration"]["properties"])
    expected = {f"codeassistd.completion.{name}" for name in Settings().completion.model_dump()}

    assert expected <= shown


def test_version_of_extension_and_server_are_one() -> None:
    """A bug report names one number."""
    assert __version__ == manifest()["version"]


def test_no_key_of_the_editor_is_taken() -> None:
    """Tab and Escape stay the editor's own: it shows and accepts the suggestions itself."""
    contributes = manifest()["contributes"]
    assert isinstance(contributes, dict)

    assert ["alt+\\"] == [binding["key"] for binding in contributes["keybindings"]]


def test_an_untrusted_workspace_cannot_choose_the_program() -> None:
    """Its settings are somebody else's; a program named in them would run with the user's rights."""
    capabilities = manifest()["capabilities"]
    assert isinstance(capabilities, dict)

    assert "limited" == capabilities["untrustedWorkspaces"]["supported"]
    assert ["codeassistd.server.path"] == capabilities["untrustedWorkspaces"]["restrictedConfigurations"]
