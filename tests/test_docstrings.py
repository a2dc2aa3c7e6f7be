"""The tests speak: each says in its docstring what behaviour it shows."""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def test_every_test_says_what_it_shows() -> None:
    """A test without a docstring tells a reader nothing when it fails."""
    silent = [
        f"{file.relative_to(TESTS)}::{node.name}"
        for file in sorted(TESTS.rglob("test_*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.name.startswith("test_")
        and not ast.get_docstring(node)
    ]
    assert [] == silent


def test_no_file_is_crowded() -> None:
    """A file has one main noun; over 400 lines it has two."""
    repo = TESTS.parent
    crowded = [
        f"{file.relative_to(repo)}: {lines}"
        for top in ("codeassistd", "lsp", "grammars", "models", "scripts", "tests")
        for file in sorted((repo / top).rglob("*.py"))
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) > 400
    ]
    assert [] == crowded
