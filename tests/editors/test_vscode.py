"""Suggestions as a user of VS Code sees them: the real editor, the packaged extension, a scripted model."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.processes import Home
from tests.support.vscode import VsCode, Window

pytestmark = pytest.mark.editor

BLOCK = "low = min(values)\n    high = max(values)\n    return high - low"
SCRIPT = {
    "rules": [
        {"after": "total = ", "answer": "price * count"},
        {"after": "total = pr", "answer": "ice * count"},
        {"after": "area = hypot(", "answer": "dx, dy)"},
        {"after": 'log.warn("', "answer": 'low")'},
        {"after": 's = "😀😀"; n = ', "answer": "len(s)"},
        {"after": "def spread(values):\n    ", "answer": f"{BLOCK}\n"},
        {"after": "def mean(values):\n", "answer": "    return sum(values) / len(values)\n"},
        {"after": "def mean(values):\n    ", "answer": "return sum(values) / len(values)\n"},
        {"after": "def mean(values):\n\t", "answer": "if values:\n        return sum(values)\n"},
    ],
    "default": "",
}
FILES = {
    "accept.py": b"",
    "along.py": b"",
    "words.py": b"",
    "dismiss.py": b"",
    "lines.py": b"",
    "bracket.py": b"",
    "tabs.py": b"def first():\n\treturn 1\n\n\ndef second():\n\treturn 2\n\n\n",
    "crlf.py": b"x = 1\r\ny = 2\r\n",
    "emoji.py": b"",
    "toggle.py": b"",
    "half.py": b"",
    "blank.py": b"",
    "window_a.py": b"",
    "window_b.py": b"",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Where the daemon of all windows lives; the first window starts it."""
    home = Home(tmp_path_factory.mktemp("vscode"))
    yield home
    home.close()


@pytest.fixture(scope="module")
def editor(home: Home) -> Iterator[VsCode]:
    """The editor's server; starting it takes seconds, so the tests share it."""
    folder = home.root / "shop"
    folder.mkdir()
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    started = VsCode(home, home.serve_command(SCRIPT), folder)
    yield started
    started.close()


@pytest.fixture(scope="module")
def window(editor: VsCode) -> Window:
    """One window for all tests, each of which has a file of its own."""
    window = editor.window("accept.py")
    window.until_ready()
    return window


def test_ghost_text_appears_and_tab_accepts_it(editor: VsCode, window: Window) -> None:
    """The first thing a user sees; the daemon was started by the extension."""
    window.open("accept.py")
    window.type("total = ")
    window.until_ghost("price * count")
    window.press("Tab")
    window.until_ghost(None)
    window.until_text("total = price * count")

    assert b"total = price * count" == window.saved(editor.folder / "accept.py")


def test_typing_along_keeps_the_rest(editor: VsCode, window: Window) -> None:
    """What the user types of the suggestion is not shown a second time, and accepting completes it."""
    window.open("along.py")
    window.type("total = ")
    window.until_ghost("price * count")
    window.type("pr")
    window.until_ghost("ice * count")
    window.press("Tab")
    window.until_text("total = price * count")

    assert b"total = price * count" == window.saved(editor.folder / "along.py")


def test_accepting_by_words_ends_in_the_same_text(editor: VsCode, window: Window) -> None:
    """Nothing is doubled or lost on the way."""
    window.open("words.py")
    window.type("total = ")
    window.until_ghost("price * count")
    for rest in (" * count", "* count", "count", None):
        window.press("Control+ArrowRight")
        window.until_ghost(rest)
    window.until_text("total = price * count")

    assert b"total = price * count" == window.saved(editor.folder / "words.py")


def test_accepting_by_lines(editor: VsCode, window: Window) -> None:
    """By the editor's own command, on a key of the user; it takes the line's end along, and asks again behind it."""
    window.open("lines.py")
    window.type("def spread(values):")
    window.press("Enter")
    for line in ("low = min(values)", "    high = max(values)"):
        window.until_ghost(line)
        window.press("Alt+l")
        window.until_text(line)

    expected = b"def spread(values):\n    low = min(values)\n    high = max(values)"
    assert expected == window.saved(editor.folder / "lines.py").rstrip()


def test_dismissing(editor: VsCode, window: Window) -> None:
    """The text stays as it was typed."""
    window.open("dismiss.py")
    window.type("total = ")
    window.until_ghost("price * count")
    window.press("Escape")
    window.until_ghost(None)
    window.until_text("total = ")

    assert b"total = " == window.saved(editor.folder / "dismiss.py")


def test_a_closing_bracket_already_there_is_not_doubled(editor: VsCode, window: Window) -> None:
    """The editor puts the bracket there itself, and the model would too."""
    window.open("bracket.py")
    window.type("area = hypot(")
    window.until_ghost("dx, dy")
    window.press("Tab")
    window.until_text("area = hypot(dx, dy)")

    assert b"area = hypot(dx, dy)" == window.saved(editor.folder / "bracket.py")


def test_a_half_typed_call_is_not_repeated(editor: VsCode, window: Window) -> None:
    """Only new text is shown; quote and bracket are the editor's own and stay single (cases 13 and 14)."""
    window.open("half.py")
    window.type('log.warn("')
    window.until_ghost("low")
    window.press("Tab")
    window.until_text('log.warn("low")')

    assert b'log.warn("low")' == window.saved(editor.folder / "half.py")


def test_the_indentation_of_a_blank_line_comes_with_the_suggestion(editor: VsCode, window: Window) -> None:
    """At column 0 below an opened block (case 16); there VS Code's own Tab first indents, then accepts the rest."""
    window.open("blank.py")
    window.type("def mean(values):")
    window.press("Enter", "Backspace")
    window.until_ghost("    return sum(values) / len(values)")
    window.press("Tab")
    window.until_ghost("return sum(values) / len(values)")
    window.press("Tab")
    window.until_text("def mean(values):\n    return sum(values) / len(values)")

    expected = b"def mean(values):\n    return sum(values) / len(values)"
    assert expected == window.saved(editor.folder / "blank.py")


def test_a_file_of_tabs_stays_one(editor: VsCode, window: Window) -> None:
    """The model answers with blanks; the file gets tabs, and the suggestion can be accepted."""
    window.open("tabs.py")
    window.press("Control+End")
    window.type("def mean(values):")
    window.press("Enter")
    window.until_ghost("if values:")
    window.press("Tab")
    window.until_text("return sum(values)")

    assert window.saved(editor.folder / "tabs.py").endswith(b"def mean(values):\n\tif values:\n\t\treturn sum(values)")


def test_line_ends_of_the_document_are_kept(editor: VsCode, window: Window) -> None:
    """No line of a file with CRLF gets another end."""
    window.open("crlf.py")
    window.press("Control+End")
    window.type("def mean(values):")
    window.press("Enter")
    window.until_ghost("return sum(values) / len(values)")
    window.press("Tab")
    window.until_text("return sum(values) / len(values)")
    window.press("Enter")
    saved = window.saved(editor.folder / "crlf.py")

    assert saved.startswith(b"x = 1\r\ny = 2\r\ndef mean(values):\r\n    return sum(values) / len(values)\r\n")
    assert saved.count(b"\n") == saved.count(b"\r\n")


def test_letters_of_several_units_before_the_cursor(editor: VsCode, window: Window) -> None:
    """VS Code counts UTF-16, in which these letters are two: the text lands where the cursor is."""
    window.open("emoji.py")
    window.page.keyboard.insert_text('s = "😀😀"; n =')
    window.type(" ")
    window.until_ghost("len(s)")
    window.press("Tab")
    window.until_text("n = len(s)")

    assert 's = "😀😀"; n = len(s)'.encode() == window.saved(editor.folder / "emoji.py")


def test_suggestions_can_be_turned_off_and_on(window: Window) -> None:
    """The change takes effect at once, and the status bar tells it."""
    window.open("toggle.py")
    window.command("codeassistd: Turn Suggestions On or Off")
    window.until_status("Off: codeassistd.completion.enabled is off")
    window.type("total = ")
    assert window.ghost() is None
    window.command("codeassistd: Turn Suggestions On or Off")
    window.until_ready()

    window.press("Backspace")
    window.type(" ")
    window.until_ghost("price * count")


def test_a_language_can_be_turned_off(window: Window) -> None:
    """Only the language of the file in front is concerned."""
    window.open("toggle.py")
    window.command("codeassistd: Turn Suggestions On or Off for This Language")
    window.until_status("Off: off for python")
    window.command("codeassistd: Turn Suggestions On or Off for This Language")

    window.until_ready()


def test_two_windows_share_one_daemon(home: Home, editor: VsCode, window: Window) -> None:
    """Each has its own text and its own suggestion, and there is one model in memory."""
    other = editor.window("window_b.py")
    other.until_ready()
    window.open("window_a.py")
    window.type("total = ")
    other.type("area = hypot(")
    window.until_ghost("price * count")
    other.until_ghost("dx, dy")
    sessions = home.status()["sessions"]
    other.page.close()

    assert isinstance(sessions, list)
    assert 2 == len(sessions)
