"""Suggestions as a user of Neovim sees them: a real editor, the real proxy and server, a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.neovim import Neovim
from tests.support.processes import Home

pytestmark = pytest.mark.editor

SCRIPT = {
    "rules": [
        {"after": "total = ", "answer": "price * count"},
        {"after": "total = pr", "answer": "ice * count"},
        {"after": "area = hypot(", "answer": "dx, dy)"},
        {"after": 'unit = "km²"; size = ', "answer": "len(unit)"},
        {"after": "def mean(values):\n", "answer": "    return sum(values) / len(values)\n"},
    ],
    "default": "",
}


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    """An editor whose daemon is up and has its model; starting both takes seconds, so the tests share them."""
    home = Home(tmp_path_factory.mktemp("neovim"))
    started = None
    try:
        home.start_daemon(SCRIPT)
        home.until_ready()
        started = Neovim(home)
        yield started
    finally:
        if started is not None:
            started.close()
        home.close()


@pytest.fixture
def neovim(editor: Neovim, tmp_path: Path) -> Neovim:
    """The editor with a new empty Python file."""
    file = tmp_path / "shop.py"
    file.touch()
    editor.keys("<Esc>")
    editor.open(file)
    return editor


def test_ghost_text_appears_and_tab_accepts_it(neovim: Neovim) -> None:
    """The first thing a user sees; the cursor ends behind what was accepted."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Tab>")
    neovim.until(lambda: neovim.text() == ["total = price * count"], "the accepted text")

    assert neovim.cursor() == (1, 21)
    neovim.until_ghost(None)


def test_typing_along_keeps_the_rest(neovim: Neovim) -> None:
    """What the user types of the suggestion is not shown a second time, and accepting completes it."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("pr")
    neovim.until_ghost("ice * count")
    neovim.keys("<Tab>")

    neovim.until(lambda: neovim.text() == ["total = price * count"], "the accepted text")


def test_leaving_insert_mode_takes_the_suggestion_away(neovim: Neovim) -> None:
    """Ghost text that stays behind would be taken for code."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Esc>")

    neovim.until_ghost(None)
    assert neovim.text() == ["total = "]


def test_a_closing_bracket_already_there_is_not_doubled(neovim: Neovim) -> None:
    """The suggestion stops before the bracket that stands right of the cursor."""
    neovim.keys("iarea = hypot()<Left>")
    neovim.until_ghost("dx, dy")
    neovim.keys("<Tab>")

    neovim.until(lambda: neovim.text() == ["area = hypot(dx, dy)"], "one bracket")


def test_letters_of_several_bytes_before_the_cursor(neovim: Neovim) -> None:
    """Neovim counts bytes, others UTF-16: the text must land where the cursor is."""
    neovim.keys('iunit = "km²"; size = ')
    neovim.until_ghost("len(unit)")
    neovim.keys("<Tab>")

    neovim.until(lambda: neovim.text() == ['unit = "km²"; size = len(unit)'], "the accepted text")


def test_tab_is_a_tab_where_nothing_is_shown(neovim: Neovim) -> None:
    """The key is borrowed only while there is something to accept."""
    neovim.keys("ix<Tab>y")

    # Neovim's own settings for Python fill up to the next four columns.
    neovim.until(lambda: neovim.text() == ["x   y"], "a tab")


def test_an_accepted_suggestion_is_told_to_the_daemon(neovim: Neovim) -> None:
    """The item's command runs, so that later suggestions can learn from it."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Tab>")

    neovim.until(
        lambda: neovim.api.exec_lua(
            """
            local client = vim.lsp.get_clients({ bufnr = 0, name = 'codeassistd' })[1]
            local answer = client:request_sync('codeassistd/explain', vim.empty_dict(), 1000)
            return answer and answer.result and answer.result.accepted or nil
            """
        ),
        "the span of the accepted suggestion",
    )
