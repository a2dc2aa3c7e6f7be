"""Suggestions as a user of Neovim sees them: real editors, the real proxy and server, a scripted model.

Each test runs in each line of releases that differs to the plugin: 0.10 knows no `vim.lsp.config`, 0.11 draws no inline
completions, 0.12 does.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.neovim import LINES, Build, Neovim
from tests.support.processes import Home

pytestmark = pytest.mark.editor

BLOCK = "low = min(values)\n    high = max(values)\n    return high - low"
SCRIPT = {
    "rules": [
        {"after": "total = ", "answer": "price * count"},
        {"after": "total = pr", "answer": "ice * count"},
        {"after": "area = hypot(", "answer": "dx, dy)"},
        {"after": 'log.warn("', "answer": 'low")'},
        {"after": 's = "😀😀"; n = ', "answer": "len(s)"},
        {"after": "def mean(values):\n", "answer": "    return sum(values) / len(values)\n"},
        {"after": "def mean(values):\n\t", "answer": "if values:\n        return sum(values)\n"},
        {"after": "def spread(values):\n    ", "answer": BLOCK + "\n"},
    ],
    "default": "",
    # Slow enough that a user would see lines come.
    "step_s": 0.01,
}


@pytest.fixture(scope="module", params=LINES)
def line(request: pytest.FixtureRequest) -> str:
    """The releases of Neovim that are tested."""
    return str(request.param)


@pytest.fixture(scope="module")
def home(line: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Where the daemon of one editor lives."""
    home = Home(tmp_path_factory.mktemp(f"neovim-{line}"))
    yield home
    home.close()


@pytest.fixture(scope="module")
def editor(line: str, home: Home) -> Iterator[Neovim]:
    """An editor, which starts its daemon; that takes a second, so the tests share them."""
    started = Neovim(home, Build.of(line), home.serve_command(SCRIPT))
    yield started
    started.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A new Python file."""
    return tmp_path / "shop.py"


@pytest.fixture
def neovim(editor: Neovim, file: Path) -> Neovim:
    """The editor with the new file, empty."""
    file.touch()
    return opened(editor, file)


def opened(editor: Neovim, file: Path) -> Neovim:
    """The editor with a file and a daemon that is ready."""
    editor.keys("<Esc>")
    editor.open(file)
    editor.until_ready()
    editor.forget_events()
    return editor


def test_ghost_text_appears_and_tab_accepts_it(neovim: Neovim) -> None:
    """The first thing a user sees, without any `setup`; the cursor ends behind what was accepted."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Tab>")
    neovim.until_text(["total = price * count"])

    assert (1, 21) == neovim.cursor()
    neovim.until_ghost(None)


def test_typing_along_keeps_the_rest(neovim: Neovim) -> None:
    """Accepted before the next answer is there, it still goes where the cursor is, and nothing comes twice."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("pr")
    neovim.until_ghost("ice * count")
    neovim.keys("<Tab>")

    neovim.until_text(["total = price * count"])
    assert (1, 21) == neovim.cursor()


def test_other_letters_take_the_suggestion_away(neovim: Neovim) -> None:
    """What stays on the screen could be accepted in the wrong place; Tab is a tab again."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("q")
    neovim.until_ghost(None)
    neovim.keys("<Tab>.")

    # Neovim's own settings for Python fill up to the next four columns.
    neovim.until_text(["total = q   ."])


def test_accepting_by_words_ends_in_the_same_text(neovim: Neovim) -> None:
    """Each part goes on from the one before, with no wait for the server in between (case 13)."""
    neovim.api.command("imap <buffer> <C-j> <Plug>(codeassistd-accept-word)")
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<C-j>")
    neovim.until_ghost(" * count")
    neovim.until_text(["total = price"])
    neovim.keys("<C-j>")
    neovim.until_ghost(" count")
    neovim.keys("<C-j>")
    neovim.until_text(["total = price * count"])

    neovim.until_ghost(None)
    assert [False, False, True] == [data["is_whole"] for data in neovim.events("Accepted")]


def test_accepting_by_lines(neovim: Neovim) -> None:
    """The line with the cursor first, then one line more each time."""
    neovim.api.command("imap <buffer> <C-l> <Plug>(codeassistd-accept-line)")
    neovim.keys("idef spread(values):<CR>")
    neovim.until_ghost(BLOCK)
    neovim.keys("<C-l>")
    neovim.until_text(["def spread(values):", "    low = min(values)"])
    neovim.until_ghost("\n    high = max(values)\n    return high - low")
    neovim.keys("<C-l>")
    neovim.until_text(["def spread(values):", "    low = min(values)", "    high = max(values)"])
    neovim.keys("<C-l>")
    neovim.until_text(
        ["def spread(values):", "    low = min(values)", "    high = max(values)", "    return high - low"]
    )

    assert (4, 21) == neovim.cursor()


def test_one_undo_takes_back_what_was_accepted(neovim: Neovim) -> None:
    """And not what was typed before."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Tab>")
    neovim.until_text(["total = price * count"])
    neovim.keys("<Esc>u")

    neovim.until_text(["total = "])


def test_dismissing(neovim: Neovim) -> None:
    """The text stays as it was typed, and the suggestion does not come back by itself."""
    neovim.api.command("imap <buffer> <C-x> <Plug>(codeassistd-dismiss)")
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<C-x>")
    neovim.until_ghost(None)
    neovim.keys("<Tab>")

    neovim.until(lambda: neovim.text() != ["total = "], "a tab")
    assert "total =" == neovim.text()[0].rstrip()
    assert 1 == len(neovim.events("Dismissed"))


def test_leaving_insert_mode_takes_the_suggestion_away(neovim: Neovim) -> None:
    """Ghost text that stays behind would be taken for code."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Esc>")

    neovim.until_ghost(None)
    assert ["total = "] == neovim.text()


def test_asking_by_hand(neovim: Neovim) -> None:
    """Also where suggestions are off."""
    neovim.api.command("imap <buffer> <C-t> <Plug>(codeassistd-trigger)")
    neovim.lua("vim.b.codeassistd_enabled = false")
    neovim.keys("itotal = <C-t>")

    neovim.until_ghost("price * count")
    neovim.keys("<Tab>")
    neovim.until_text(["total = price * count"])


def test_a_closing_bracket_already_there_is_not_doubled(neovim: Neovim) -> None:
    """The suggestion stops before the bracket right of the cursor, and is shown there (cases 7 and 14)."""
    neovim.keys("iarea = hypot()<Left>")
    neovim.until_ghost("dx, dy")
    neovim.keys("<Tab>")

    neovim.until_text(["area = hypot(dx, dy)"])


def test_a_half_typed_call_is_not_repeated(neovim: Neovim) -> None:
    """Only new text is shown (case 13)."""
    neovim.keys('ilog.warn("')
    neovim.until_ghost('low")')
    neovim.keys("<Tab>")

    neovim.until_text(['log.warn("low")'])


def test_the_indentation_of_a_blank_line_comes_with_the_suggestion(neovim: Neovim) -> None:
    """At column 0 below an opened block (case 16)."""
    neovim.keys("idef mean(values):<CR><C-u>")
    neovim.until_ghost("    return sum(values) / len(values)")
    neovim.keys("<Tab>")

    neovim.until_text(["def mean(values):", "    return sum(values) / len(values)"])


def test_a_file_of_tabs_stays_one(editor: Neovim, file: Path) -> None:
    """The model answers with blanks; the file gets tabs, and the suggestion can be accepted (case 17)."""
    file.write_bytes(b"def first():\n\treturn 1\n\n\ndef second():\n\treturn 2\n\n\n")
    neovim = opened(editor, file)
    neovim.api.command("setlocal noexpandtab tabstop=8 shiftwidth=8")
    neovim.keys("Godef mean(values):<CR>")
    neovim.until_ghost("if values:\n\t\treturn sum(values)")
    neovim.keys("<Tab>")
    neovim.until(lambda: neovim.text()[-1] == "\t\treturn sum(values)", "the accepted text")

    assert neovim.saved(file).endswith(b"def mean(values):\n\tif values:\n\t\treturn sum(values)\n")


def test_line_ends_of_the_document_are_kept(editor: Neovim, file: Path) -> None:
    """No line of a file with CRLF gets another end, and no sign of one is shown."""
    file.write_bytes(b"x = 1\r\ny = 2\r\n")
    neovim = opened(editor, file)
    neovim.keys("Godef spread(values):<CR>")
    neovim.until_ghost(BLOCK)
    neovim.keys("<Tab>")
    neovim.until(lambda: len(neovim.text()) == 6, "the accepted text")

    expected = f"x = 1\ny = 2\ndef spread(values):\n    {BLOCK}\n".replace("\n", "\r\n").encode()
    assert expected == neovim.saved(file)


def test_letters_of_several_units_before_the_cursor(neovim: Neovim) -> None:
    """Neovim counts bytes, the server UTF-16: the text lands where the cursor is."""
    neovim.keys('is = "😀😀"; n = ')
    neovim.until_ghost("len(s)")
    neovim.keys("<Tab>")

    neovim.until_text(['s = "😀😀"; n = len(s)'])


def test_tab_is_a_tab_where_nothing_is_shown(neovim: Neovim) -> None:
    """The key is borrowed only while there is something to accept."""
    neovim.keys("ix<Tab>y")

    neovim.until_text(["x   y"])


def test_an_accepted_suggestion_is_told_to_the_daemon(neovim: Neovim) -> None:
    """So that later suggestions can learn from it; listeners of the editor are told too."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Tab>")

    [accepted] = neovim.until(lambda: neovim.events("Accepted"), "the event")
    suggestion = accepted["suggestion"]
    assert isinstance(suggestion, dict)

    neovim.until(lambda: neovim.span(suggestion["id"])["accepted"], "the span of the accepted suggestion")


def test_a_suggestion_grows_while_it_is_written(neovim: Neovim) -> None:
    """The first line is shown before the last one is there, and the answer takes its place."""
    neovim.keys("idef spread(values):<CR>")
    neovim.until_ghost(BLOCK)
    parts = [data["suggestion"]["text"] for data in neovim.events("Shown") if data.get("is_partial")]

    # A busy machine may see two lines come at once.
    lines = BLOCK.split("\n")
    assert len(parts[0]) < len(BLOCK)
    assert set(parts) <= {"\n".join(lines[:n]) for n in range(1, len(lines) + 1)}
    assert sorted(parts, key=len) == parts


def test_suggestions_can_be_turned_off_and_on(neovim: Neovim) -> None:
    """The change takes effect at once, and the status tells it."""
    neovim.api.command("silent Codeassistd toggle")
    assert ("off", "off for this session (:Codeassistd toggle)") == neovim.status()
    neovim.keys("itotal = ")
    neovim.until_text(["total = "])
    assert neovim.ghost() is None
    neovim.keys("<Esc>")
    neovim.api.command("silent Codeassistd toggle")
    neovim.until(lambda: neovim.status()[0] != "off", "another state")
    neovim.keys("A<BS> ")

    neovim.until_ghost("price * count")


def test_a_language_can_be_turned_off(neovim: Neovim) -> None:
    """Only the language of the file in front is concerned."""
    neovim.api.command("silent Codeassistd toggle python")
    assert ("off", "off for python (:Codeassistd toggle python)") == neovim.status()
    neovim.keys("itotal = ")
    neovim.until_text(["total = "])
    assert neovim.ghost() is None
    neovim.keys("<Esc>")
    neovim.api.command("silent Codeassistd toggle python")
    neovim.keys("A<BS> ")

    neovim.until_ghost("price * count")


def test_a_buffer_can_be_turned_off(neovim: Neovim) -> None:
    """By a variable that a configuration can set."""
    neovim.lua("vim.b.codeassistd_enabled = false")
    neovim.keys("itotal = ")
    neovim.until_text(["total = "])

    assert ("off", "off for this buffer (b:codeassistd_enabled)") == neovim.status()
    assert neovim.ghost() is None
