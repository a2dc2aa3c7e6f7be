"""The layers of one connection's settings, without a server."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.config import CompletionSettings, Settings
from codeassistd.paths import Paths
from codeassistd_lsp.session_settings import SessionSettings


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A workspace that wants short suggestions."""
    root = tmp_path / "shop"
    root.mkdir()
    (root / ".codeassistd.toml").write_text("[completion]\nmax_lines = 2\nmax_tokens = 9\n", encoding="utf-8")
    return root


def test_a_workspaces_file_lies_over_the_daemons_settings(paths: Paths, workspace: Path) -> None:
    """It holds for documents inside of the workspace and for no others."""
    settings = SessionSettings(paths, lambda: Settings(completion=CompletionSettings(max_lines=5)))
    settings.read_workspace(workspace)

    assert (2, 9) == (settings.of(workspace).completion.max_lines, settings.of(workspace).completion.max_tokens)
    assert settings.of(None).completion.max_lines == 5


def test_the_command_line_of_the_daemon_beats_a_workspaces_file(paths: Paths, workspace: Path) -> None:
    """Whoever starts the daemon by hand with `--set` means it, for this key and no other."""
    base = Settings(completion=CompletionSettings(max_lines=5))
    settings = SessionSettings(paths, lambda: base, frozenset({"completion.max_lines"}))
    settings.read_workspace(workspace)

    assert (5, 9) == (settings.of(workspace).completion.max_lines, settings.of(workspace).completion.max_tokens)


def test_the_editor_beats_both(paths: Paths, workspace: Path) -> None:
    """What the user changes in the editor takes effect at once."""
    settings = SessionSettings(paths, Settings, frozenset({"completion.max_lines"}))
    settings.read_workspace(workspace)
    settings.take_editor({"completion": {"max_lines": 7}})

    assert settings.of(workspace).completion.max_lines == 7
