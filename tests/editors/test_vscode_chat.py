"""Conversations as a user of VS Code sees them: the real editor, the packaged extension, a scripted model."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from tests.support.editor_days import STORY, STORY_SETTINGS
from tests.support.processes import Home
from tests.support.vscode import VsCode, Window
from tests.support.vscode_chat import ChatPage

pytestmark = pytest.mark.editor

CODE = "def total(items):\n    return sum(items)"
SCRIPT = {
    "rules": [
        {
            "matches": "How do I add[^\n]*\n\nAssistant:\n$",
            "answer": f"By `sum`:\n\n```python\n{CODE}\n```\n\nThat is all.",
        },
        {"matches": "Tell me a long story\n\nAssistant:\n$", "answer": STORY},
        {"matches": "Show me an image\n\nAssistant:\n$", "answer": "<img src=x onerror=alert(1)>"},
        {"matches": "What fails\\?\n\nAssistant:\n$", "failure": "the processor is on holiday"},
    ],
    "default": "I see.",
    # Slow enough that an answer can be taken back while it is written.
    "step_s": 0.01,
    "n_ctx": 16384,
}
SHOP = b"import math\n\n\ndef area(r):\n    return math.pi * r\n    \n"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Where the daemon of all windows lives; the first window starts it."""
    home = Home(tmp_path_factory.mktemp("vscode-chat"))
    home.environ |= STORY_SETTINGS
    yield home
    home.close()


@pytest.fixture(scope="module")
def editor(home: Home) -> Iterator[VsCode]:
    """The editor's server; starting it takes seconds, so the tests share it."""
    folder = home.root / "shop"
    folder.mkdir()
    (folder / "shop.py").write_bytes(SHOP)
    started = VsCode(home, home.serve_command(SCRIPT), folder)
    yield started
    started.close()


@pytest.fixture(scope="module")
def window(editor: VsCode) -> Window:
    """One window for all tests."""
    window = editor.window("shop.py")
    window.until_ready()
    return window


def test_an_answer_stands_below_its_question(window: Window) -> None:
    """By keys alone; below the answer stands what was read, and the conversation is named by its question."""
    chat = ChatPage(window)
    chat.ask("How do I add?")
    chat.until_noted("Read ")

    [answer] = chat.answers()
    assert answer.startswith("By sum:")
    assert CODE in answer
    assert "the model has no chat template" in chat.notes()[0]
    assert "shop.py" in chat.frame.locator(".turn .parts").inner_text()
    assert "tokens" in chat.frame.locator(".turn .parts").inner_text()
    name = window.page.locator(".pane-header .description", has_text="How do I add?")
    chat.until(lambda: name.count() == 1, "the name of the conversation")


def test_code_goes_into_the_file(editor: VsCode, window: Window) -> None:
    """Indented as the line with the cursor, and the file has the keyboard then."""
    window.page.locator(".monaco-editor .view-lines").first.click()
    window.press("Control+End", "ArrowUp", "End")
    chat = ChatPage(window)
    chat.frame.locator("button", has_text="Insert").first.press("Enter")
    window.until_text("    def total(items):\n        return sum(items)")
    saved = window.saved(editor.folder / "shop.py")

    assert saved.endswith(b"    return math.pi * r\n    def total(items):\n        return sum(items)\n")


def test_an_answer_can_be_ended(window: Window) -> None:
    """By Escape; what was said stays, and the next question is answered."""
    chat = ChatPage(window)
    chat.ask("Tell me a long story")
    chat.until(lambda: "upon a time, Once" in chat.answer(), "the beginning of the story")
    window.page.keyboard.press("Escape")
    chat.until_noted("Ended by you.")
    assert 0 < chat.answer().count("Once upon") < 600
    chat.ask("And now?")
    chat.until_noted("Read ")

    assert "I see." == chat.answer()


def test_an_answer_stays_in_its_conversation(window: Window) -> None:
    """Who begins another one while it is written sees neither it nor its end there."""
    chat = ChatPage(window)
    window.command("codeassistd: New Conversation")
    chat.until(lambda: chat.answers() == [], "an empty view")
    chat.ask("Tell me a long story")
    chat.until(lambda: "upon a time, Once" in chat.answer(), "the beginning of the story")
    window.command("codeassistd: New Conversation")
    chat.until(lambda: chat.answers() == [], "an empty view")
    chat.ask("And now?")
    chat.until_noted("Read ")

    assert ["I see."] == chat.answers()
    for name in ("Tell me a long story", "And now?"):
        window.command("codeassistd: Delete Conversation")
        window.choose(name)
    window.command("codeassistd: Open Conversation")
    window.choose("How do I add?")
    chat.until(lambda: len(chat.answers()) == 3, "the first conversation")


def test_what_goes_wrong_is_told_in_its_place(window: Window) -> None:
    """In one line, without a popup."""
    chat = ChatPage(window)
    chat.ask("What fails?")
    chat.until_noted("the processor is on holiday")

    assert [] == window.notifications()


def test_what_a_model_writes_is_text(window: Window) -> None:
    """No element of the page comes from an answer, and nothing but our own script would run."""
    chat = ChatPage(window)
    chat.ask("Show me an image")
    chat.until_noted("Read ")

    assert "<img src=x onerror=alert(1)>" == chat.answer()
    policy = chat.frame.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert policy is not None
    assert policy.startswith("default-src 'none'; style-src ")
    assert "unsafe" not in policy


def test_a_killed_daemon_ends_the_answer(home: Home, window: Window) -> None:
    """That is told in its place, and the next question goes to the daemon that comes."""
    chat = ChatPage(window)
    chat.ask("Tell me a long story")
    chat.until(lambda: "upon a time, Once" in chat.answer(), "the beginning of the story")
    os.kill(home.daemon_pid(), signal.SIGKILL)
    chat.until_noted("the daemon ended before it could answer")
    chat.ask("And now?")
    chat.until_noted("Read ")


def test_selected_lines_are_read(window: Window) -> None:
    """What is selected in the file in front goes along, and is named above the button."""
    window.page.locator(".monaco-editor .view-lines").first.click()
    window.press("Control+Home", "Shift+ArrowDown", "Shift+ArrowDown")
    chat = ChatPage(window)
    chat.until(lambda: chat.about() == "shop.py, lines 1 to 3", "the lines")
    chat.ask("What is this?")
    chat.until_noted("Read ")

    assert "selected in shop.py" in chat.frame.locator(".turn .parts").last.inner_text()


@pytest.mark.usefixtures("window")
def test_conversations_are_kept_listed_and_deleted(editor: VsCode) -> None:
    """In another window, with all eight questions, also those that got no whole answer; deleted, the view is empty."""
    other = editor.window("shop.py")
    other.until_ready()
    chat = ChatPage(other)
    chat.until(lambda: len(chat.answers()) == 8, "the conversation")
    assert CODE in chat.answers()[0]
    cut = chat.frame.locator(".turn", has_text="Tell me a long story").locator(".note").all_inner_texts()
    assert ["The answer was cut short; ask again, or ask to go on."] * 2 == cut
    other.command("codeassistd: Delete Conversation")
    other.choose("How do I add?")
    chat.until(lambda: chat.answers() == [], "an empty view")
    other.command("codeassistd: Open Conversation")
    other.until(lambda: "no conversation in this workspace" in "".join(other.notifications()), "the message")
    other.page.close()
