"""VS Code through a day: a daemon that dies, is late or has no model, and a user who wants quiet, or other settings."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator

import pytest

from tests.support.editor_days import BROKEN, LATE, Stopwatch
from tests.support.processes import Home, has_ended
from tests.support.vscode import VsCode, Window
from tests.support.waiting import wait_for

pytestmark = pytest.mark.editor

SCRIPT = {
    "rules": [
        {"after": "total = ", "answer": "price * count"},
        {"after": "total = pr", "answer": "ice * count"},
        {"after": "broken = ", "failure": BROKEN},
    ],
    "default": "",
}
NO_MODEL = "no model starter; run: codeassistd model pull starter"
NAMES = ("first", "killed", "snooze", "live", "nomodel", "broken", "noserver", "late", "closed")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Where the daemon of all windows lives; the first window starts it."""
    home = Home(tmp_path_factory.mktemp("vscode-life"))
    yield home
    home.close()


@pytest.fixture(scope="module")
def editor(home: Home) -> Iterator[VsCode]:
    """The editor's server; starting it takes seconds, so the tests share it."""
    folder = home.root / "shop"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.py").touch()
    started = VsCode(home, home.serve_command(SCRIPT), folder)
    yield started
    started.close()


@pytest.fixture(scope="module")
def window(editor: VsCode) -> Window:
    """One window for all tests, each of which has a file of its own."""
    window = editor.window("first.py")
    window.until_ready()
    return window


def test_a_killed_daemon_comes_back_with_the_unsaved_text(
    home: Home, editor: VsCode, window: Window, stopwatch: Stopwatch
) -> None:
    """Nothing is to be done, and the suggestion fits the text that no file has."""
    window.open("killed.py")
    window.type("total = ")
    window.until_ghost("price * count")
    before = home.daemon_pid()
    window.press("Escape")
    stopwatch.start()
    os.kill(before, signal.SIGKILL)
    window.until(lambda: home.daemon_pid() != before, "another daemon")
    home.until_serving()
    window.until_ready()
    window.type("pr")
    window.until_ghost("ice * count")
    stopwatch.tell("VS Code: from SIGKILL to the next suggestion")
    window.press("Tab")
    window.until_text("total = price * count")

    assert b"total = price * count" == window.saved(editor.folder / "killed.py")


def test_a_snooze_holds_until_it_is_ended(home: Home, window: Window) -> None:
    """It is the daemon's, so it holds in all editors; the status bar says why nothing comes."""
    window.open("snooze.py")
    window.command("codeassistd: Snooze")
    window.choose("15 minutes")
    window.until(lambda: home.status()["snoozed_s"], "a snooze")
    window.type("total = ")
    window.until_status("Nothing to suggest here: .*snooze")
    assert window.ghost() is None
    window.command("codeassistd: Snooze")
    window.choose("End the snooze")
    window.until(lambda: not home.status()["snoozed_s"], "the end of the snooze")
    window.press("Backspace")
    window.type(" ")

    window.until_ghost("price * count")


def test_settings_are_changed_while_the_editor_runs(editor: VsCode, window: Window) -> None:
    """By writing them into their file, as another program does; what held when the server started holds no longer."""
    window.open("live.py")
    editor.set(codeassistd__completion__languages_off=["python"])
    window.until_status("Off: off for python")
    restart(editor, window)
    window.until_status("Off: off for python")
    window.type("total = ")
    assert window.ghost() is None
    editor.set()
    window.until_ready()
    window.press("Backspace")
    window.type(" ")

    window.until_ghost("price * count")


def test_a_missing_model_is_told_once_and_comes_later(home: Home, window: Window) -> None:
    """The status bar says what is missing and what to do, nobody is nagged, and a daemon with its model serves."""
    window.open("nomodel.py")
    home.serve_command(SCRIPT | {"load_error": NO_MODEL})
    os.kill(home.daemon_pid(), signal.SIGKILL)
    window.until_status(f"Error: .*{NO_MODEL}")
    window.type("total = ")
    assert window.ghost() is None
    assert [] == window.notifications()
    home.serve_command(SCRIPT)
    os.kill(home.daemon_pid(), signal.SIGKILL)
    window.until_ready()
    window.press("Backspace")
    window.type(" ")

    window.until_ghost("price * count")


def test_a_failing_engine_is_told_and_forgotten(window: Window) -> None:
    """Ten requests fail, then one is answered: error with its cause, then ready; no popup, and never busy (case 76)."""
    window.open("broken.py")
    for n_asked in range(10):
        window.type("broken = " if n_asked == 0 else " ")
        window.until_status(f"Error: .*{BROKEN}")
        window.press("Backspace")
    assert window.ghost() is None
    assert [] == window.notifications()
    window.press("Control+a")
    window.type("total = ")
    window.until_ghost("price * count")

    window.until_status("Ready")


def test_without_the_program_the_editor_is_left_alone(editor: VsCode, window: Window) -> None:
    """The status bar says what is missing, typing goes on, and the program is found as soon as it is there."""
    window.open("noserver.py")
    nowhere = str(editor.folder.parent / "nowhere")
    editor.set(codeassistd__server__path=nowhere)
    window.until_status(f'No server: codeassistd.server.path is "{nowhere}", but there is no program')
    window.type("total = ")
    assert window.ghost() is None
    editor.set()
    window.until_ready()
    window.press("Backspace")
    window.type(" ")

    window.until_ghost("price * count")


def test_the_editor_is_served_while_its_daemon_starts(home: Home, editor: VsCode, window: Window) -> None:
    """Keys are never held up, and suggestions come without a restart (case 77)."""
    window.open("late.py")
    gate = home.root / "gate"
    before = home.daemon_pid()
    editor.write_program([sys.executable, "-c", LATE, str(gate), *home.serve_command(SCRIPT)])
    restart(editor, window)
    os.kill(before, signal.SIGKILL)
    window.until_status("Starting")
    window.type("total = ")
    assert window.ghost() is None
    gate.touch()
    window.until_ready()
    window.press("Backspace")
    window.type(" ")

    window.until_ghost("price * count")


def test_a_killed_editor_leaves_nothing_running(home: Home, editor: VsCode, window: Window) -> None:
    """The proxy of a window ends with it, though nobody says goodbye; the daemon stays for others (case 71)."""
    known = set(editor.proxies())
    other = editor.window("closed.py")
    other.until_ready()
    [proxy] = wait_for(lambda: set(editor.proxies()) - known, "the proxy of the other window")
    other.page.close()
    window.until(lambda: has_ended(proxy), "the end of its proxy")

    assert home.daemon_pid()
    window.until(lambda: len(_sessions(home)) == 1, "the end of its connection")


def restart(editor: VsCode, window: Window) -> None:
    """Have the connection made anew, and wait until another proxy serves it."""
    before = set(editor.proxies())
    window.command("codeassistd: Restart")
    window.until(lambda: (now := set(editor.proxies())) and not now & before, "another proxy")


def _sessions(home: Home) -> list[object]:
    sessions = home.status()["sessions"]
    assert isinstance(sessions, list)
    return sessions
