"""Conversations as a user of Neovim sees them: real editors, the real proxy and server, a scripted model."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.editor_days import STORY, STORY_SETTINGS
from tests.support.neovim import LINES, Build, Neovim
from tests.support.processes import Home

pytestmark = pytest.mark.editor

CODE = "def total(items):\n    return sum(items)"
SCRIPT = {
    "rules": [
        {
            "matches": "How do I add[^\n]*\n\nAssistant:\n$",
            "answer": f"By `sum`:\n\n```python\n{CODE}\n```\n\nThat is all.",
        },
        {"matches": "Tell me a long story\n\nAssistant:\n$", "answer": STORY},
        {"matches": "Is it slow\\?\n\nAssistant:\n$", "answer": "No, it is not."},
        {"matches": "What fails\\?\n\nAssistant:\n$", "failure": "the processor is on holiday"},
    ],
    "default": "I see.",
    # Slow enough that an answer can be taken back while it is written.
    "step_s": 0.01,
    "n_ctx": 16384,
}


@pytest.fixture(scope="module", params=LINES)
def line(request: pytest.FixtureRequest) -> str:
    """The releases of Neovim that are tested."""
    return str(request.param)


@pytest.fixture(scope="module")
def home(line: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Where the daemon of one editor lives."""
    home = Home(tmp_path_factory.mktemp(f"neovim-chat-{line}"))
    home.environ |= STORY_SETTINGS
    yield home
    home.close()


@pytest.fixture(scope="module")
def editor(line: str, home: Home) -> Iterator[Neovim]:
    """An editor that the tests share."""
    started = Neovim(home, Build.of(line), home.serve_command(SCRIPT))
    yield started
    started.close()


@pytest.fixture
def neovim(editor: Neovim, tmp_path: Path) -> Neovim:
    """The editor with one window, on a file of a workspace of its own."""
    (tmp_path / ".git").mkdir()
    file = tmp_path / "shop.py"
    file.write_text("import math\n\n\ndef area(r):\n    return math.pi * r\n")
    editor.keys("<Esc>")
    editor.api.command("stopinsert | silent! only")
    editor.open(file)
    editor.until_ready()
    return editor


def until_said(neovim: Neovim, wanted: str) -> str:
    """Wait until a line of the conversation begins so; returns all of the buffer."""
    neovim.until(lambda: any(text.startswith(wanted) for text in neovim.text()), f"a line {wanted!r}")
    return "\n".join(neovim.text())


def ask(neovim: Neovim, question: str, wanted: str = "_Read: ") -> str:
    """Ask in a new conversation, and wait for the end of the answer."""
    neovim.api.command("Codeassistd chat")
    neovim.keys(f"{question}<CR>")
    return until_said(neovim, wanted)


def test_an_answer_stands_below_its_question(neovim: Neovim) -> None:
    """With what was read for it and how many tokens that is; the prompt waits for the next one."""
    text = ask(neovim, "How do I add?")

    assert text.startswith(f"> How do I add?\n\nBy `sum`:\n\n```python\n{CODE}\n```\n\nThat is all.\n\n_Note: ")
    assert "_Note: the model has no chat template" in text
    assert "tokens in all, 0 of them from the cache_" in text
    assert "> " == neovim.text()[-1]
    assert "i" == neovim.api.request("nvim_get_mode")["mode"]
    assert "markdown" == neovim.api.current.buffer.options["filetype"]


def test_a_conversation_goes_on(neovim: Neovim) -> None:
    """The second question has its answer below it, and the first stays as it is."""
    ask(neovim, "How do I add?")
    neovim.keys("Is it slow?<CR>")
    text = until_said(neovim, "No, it is not.")

    assert 1 == text.count("> How do I add?\n\nBy `sum`:")
    assert text.index("That is all.") < text.index("> Is it slow?\n\nNo, it is not.")


def test_code_goes_into_the_file(neovim: Neovim, tmp_path: Path) -> None:
    """The block above the prompt, below the cursor of the file, indented like its line; one undo takes it back."""
    neovim.api.command("call cursor(5, 1)")
    ask(neovim, "How do I add?")
    neovim.keys("<Esc>gp")
    neovim.until(lambda: len(neovim.text()) == 7, "the file with the code")

    assert ["    return math.pi * r", "    def total(items):", "        return sum(items)"] == neovim.text()[4:]
    assert str(tmp_path / "shop.py") == neovim.api.current.buffer.name
    neovim.keys("u")
    neovim.until(lambda: len(neovim.text()) == 5, "the file without it")


def test_code_can_be_yanked(neovim: Neovim) -> None:
    """As whole lines."""
    ask(neovim, "How do I add?")
    neovim.keys("<Esc>gy")
    neovim.until(lambda: neovim.api.funcs.getreg('"') == f"{CODE}\n", "the register")

    assert "V" == neovim.api.funcs.getregtype('"')


def test_an_answer_can_be_ended(neovim: Neovim) -> None:
    """What was said stays, and the next question is answered."""
    ask(neovim, "Tell me a long story", "Once upon a time, Once")
    neovim.keys("<C-c>")
    until_said(neovim, "_Ended by you._")
    neovim.keys("iIs it slow?<CR>")
    text = until_said(neovim, "No, it is not.")

    assert 0 < text.count("Once upon a time, ") < 600


def test_what_goes_wrong_is_told_in_its_place(neovim: Neovim) -> None:
    """In one line, and the conversation goes on."""
    text = ask(neovim, "What fails?", "_Error: ")
    assert "_Error: the processor is on holiday" in text
    neovim.keys("Is it slow?<CR>")

    until_said(neovim, "No, it is not.")


def test_a_killed_daemon_ends_the_answer(home: Home, neovim: Neovim) -> None:
    """That is told in its place, and the next question goes to the daemon that comes."""
    ask(neovim, "Tell me a long story", "Once upon a time, Once")
    os.kill(home.daemon_pid(), signal.SIGKILL)
    until_said(neovim, "_Error: the daemon ended before it could answer_")
    neovim.until_ready()
    neovim.keys("Is it slow?<CR>")

    until_said(neovim, "No, it is not.")


def test_selected_lines_are_read(neovim: Neovim) -> None:
    """A range before the command is what the next question is about; it is listed with its tokens."""
    neovim.api.command("4,5Codeassistd chat")
    assert "the next question is about lines 4 to 5" in str(neovim.api.current.window.options["winbar"])
    neovim.keys("What is this?<CR>")
    text = until_said(neovim, "_Read: ")

    assert "selected in shop.py" in text.rpartition("_Read: ")[2]


def test_conversations_are_kept_listed_and_deleted(neovim: Neovim) -> None:
    """By name; one that is opened again shows what was said."""
    neovim.api.command("Codeassistd chat sums")
    neovim.keys("How do I add?<CR>")
    until_said(neovim, "_Read: ")
    neovim.keys("<Esc>")
    neovim.api.command("bwipeout!")
    # A busy daemon may not tell its names within the second that a key has.
    neovim.until(lambda: neovim.api.funcs.getcompletion("Codeassistd chat ", "cmdline") == ["sums"], "the name")
    neovim.api.command("Codeassistd chat sums")
    text = until_said(neovim, "That is all.")
    assert text.startswith(f"> How do I add?\n\nBy `sum`:\n\n```python\n{CODE}\n```")
    neovim.keys("<Esc>")
    neovim.api.command("Codeassistd chat-delete")
    neovim.until(lambda: "the conversation sums is deleted" in neovim.messages(), "the message")

    assert [] == neovim.api.funcs.getcompletion("Codeassistd chat ", "cmdline")
