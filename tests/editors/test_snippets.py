"""The lines that `editors/README.md` gives for editors without a client of ours: well-formed, and ask for the menu."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest

from codeassistd.config import Settings
from codeassistd.config_layers import overlay
from codeassistd.daemon.capabilities import asks_for_menu
from tests.support.readme_snippets import snippet

COMMAND = ["codeassistd", "lsp", "--stdio"]


def check(command: list[str], options: dict[str, Any]) -> None:
    assert command == COMMAND
    assert asks_for_menu({"initializationOptions": options})
    assert overlay(Settings(), "initializationOptions", options).completion.menu


def test_helix() -> None:
    """TOML; the server is among those of the language."""
    content = tomllib.loads(snippet("Helix"))
    server = content["language-server"]["codeassistd"]
    check([server["command"], *server["args"]], server["config"])
    assert "codeassistd" in content["language"][0]["language-servers"]


@pytest.mark.parametrize(("title", "key"), [("Kate", "servers"), ("Sublime Text", "clients")])
def test_kate_and_sublime_text(title: str, key: str) -> None:
    """JSON with one server."""
    [server] = json.loads(snippet(title))[key].values()
    check(server["command"], server["initializationOptions"])


def test_zed() -> None:
    """JSON with one server, whose name the user fills in."""
    [server] = json.loads(snippet("Zed"))["lsp"].values()
    check([server["binary"]["path"], *server["binary"]["arguments"]], server["initialization_options"])


def test_emacs() -> None:
    """Lisp with its parentheses closed, and the words that eglot takes for the options."""
    text = snippet("Emacs")
    for block in (text, snippet("Emacs", 1)):
        assert block.count("(") == block.count(")") > 0
    assert '("codeassistd" "lsp" "--stdio"' in text
    assert ":initializationOptions (:completion (:menu t))" in text
