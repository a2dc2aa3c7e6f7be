"""`metrics --watch` in a terminal of 80 columns and 24 lines, as its user sees it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Home
from tests.support.terminal import Terminal

pytestmark = [pytest.mark.slow, pytest.mark.editor]

WATCH = [sys.executable, "-P", "-m", "codeassistd", "metrics", "--watch"]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    home = Home(tmp_path)
    yield home
    home.close()


def test_the_screen_moves_until_it_is_interrupted(home: Home) -> None:
    """Everything is on one screen at once, and Ctrl-C is the normal end."""
    home.start_daemon()
    terminal = Terminal(WATCH, home.root, home.environ)
    try:
        terminal.until_shown(is_whole, "requests, engine, memory and limit at once")
        terminal.keys("<C-c>")
        terminal.until("[Process exited 0]")
    finally:
        terminal.close()


def is_whole(screen: str) -> bool:
    """Whether each part is there, the first in the first line."""
    rows = {line.split()[0] for line in screen.splitlines() if line.strip()}
    return screen.startswith("requests") and {"engine", "memory"} <= rows and "limit" in screen


def test_without_a_daemon_it_says_so(home: Home) -> None:
    """One line, and no screen that stays empty."""
    terminal = Terminal(WATCH, home.root, home.environ)
    try:
        terminal.until("no daemon is running; `codeassistd start` starts one")
        terminal.until("[Process exited 1]")
    finally:
        terminal.close()
