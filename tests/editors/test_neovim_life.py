"""Neovim through a day: a daemon that dies, is late or is missing, and a user who wants quiet, or other settings."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.support.editor_days import BROKEN, LATE, Stopwatch
from tests.support.neovim import LINES, Build, Neovim
from tests.support.processes import Home, command_line, has_ended
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


@pytest.fixture(scope="module", params=LINES)
def line(request: pytest.FixtureRequest) -> str:
    """The releases of Neovim that are tested."""
    return str(request.param)


@pytest.fixture(scope="module")
def home(line: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """Where the daemon of one editor lives."""
    home = Home(tmp_path_factory.mktemp(f"neovim-life-{line}"))
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
    """The editor with a new empty file and a daemon that is ready."""
    file = tmp_path / "shop.py"
    file.touch()
    editor.keys("<Esc>")
    editor.open(file)
    editor.until_ready()
    return editor


@contextmanager
def another(home: Home, build: Build, daemon: Sequence[str] | None) -> Iterator[Neovim]:
    """An editor of a test's own."""
    started = Neovim(home, build, daemon)
    try:
        yield started
    finally:
        started.close()


@pytest.fixture
def own_home(tmp_path: Path) -> Iterator[Home]:
    """A home without a daemon."""
    home = Home(tmp_path)
    yield home
    home.close()


def test_a_killed_daemon_comes_back_with_the_unsaved_text(
    line: str, home: Home, neovim: Neovim, stopwatch: Stopwatch
) -> None:
    """Nothing is to be done, and the suggestion fits the text that no file has."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    before = home.daemon_pid()
    stopwatch.start()
    os.kill(before, signal.SIGKILL)
    neovim.keys("<Esc>")
    neovim.until(lambda: home.daemon_pid() != before, "another daemon")
    home.until_serving()
    neovim.until_ready()
    neovim.keys("Apr")
    neovim.until_ghost("ice * count")
    stopwatch.tell(f"Neovim {line}: from SIGKILL to the next suggestion")
    neovim.keys("<Tab>")

    neovim.until_text(["total = price * count"])


def test_a_snooze_holds_until_it_is_ended(home: Home, neovim: Neovim) -> None:
    """It is the daemon's, so it holds in all editors; the status says why nothing comes."""
    neovim.api.command("Codeassistd snooze 5")
    neovim.until(lambda: home.status()["snoozed_s"], "a snooze")
    neovim.keys("itotal = ")
    neovim.until_state("silent")
    assert "snooze" in neovim.status()[1]
    assert neovim.ghost() is None
    neovim.api.command("Codeassistd snooze 0")
    neovim.until(lambda: not home.status()["snoozed_s"], "the end of the snooze")
    neovim.keys("<BS> ")

    neovim.until_ghost("price * count")


def test_settings_are_changed_while_the_editor_runs(neovim: Neovim) -> None:
    """By calling `setup` again."""
    neovim.lua("require('codeassistd').setup({ settings = { completion = { languages_off = { 'python' } } } })")
    neovim.keys("itotal = ")
    neovim.until_state("silent")
    assert "python" in neovim.status()[1]
    neovim.lua("require('codeassistd').setup({ settings = { completion = { languages_off = {} } } })")
    neovim.keys("<BS> ")
    neovim.until_ghost("price * count")

    neovim.lua("require('codeassistd').setup()")


def test_a_wrong_option_is_named_and_changes_nothing(neovim: Neovim) -> None:
    """A slip in the configuration costs no suggestions."""
    neovim.lua("require('codeassistd').setup({ acept_key = '<C-y>' })")

    assert "unknown option acept_key; there are accept_key, cmd, enabled" in neovim.messages()
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")


def test_another_accept_key(neovim: Neovim) -> None:
    """Tab is Neovim's again, until the option is taken back."""
    neovim.lua("require('codeassistd').setup({ accept_key = '<C-y>' })")
    assert "codeassistd" not in str(neovim.api.funcs.maparg("<Tab>", "i"))
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<C-y>")
    neovim.until_text(["total = price * count"])
    neovim.lua("require('codeassistd').setup()")

    assert "<Plug>(codeassistd-accept)" == neovim.api.funcs.maparg("<Tab>", "i")
    assert "" == neovim.api.funcs.maparg("<C-y>", "i")


def test_the_plugin_can_draw_where_neovim_could(neovim: Neovim) -> None:
    """With the option `own_ghost`, which changes nothing in older ones."""
    neovim.lua("require('codeassistd').setup({ own_ghost = true })")
    try:
        neovim.keys("itotal = ")
        neovim.until_ghost("price * count")
        own = neovim.lua(
            "return #vim.api.nvim_buf_get_extmarks(0, vim.api.nvim_create_namespace('codeassistd'), 0, -1, {})"
        )
        assert 1 == own
        neovim.keys("<Tab>")
        neovim.until_text(["total = price * count"])
    finally:
        neovim.lua("require('codeassistd').setup()")


def test_no_suggestion_disturbs_a_snippet(neovim: Neovim) -> None:
    """They come again when its places are filled in."""
    neovim.keys("i")
    neovim.until(lambda: neovim.api.request("nvim_get_mode")["mode"] == "i", "Insert mode")
    neovim.lua("vim.snippet.expand('total = $1\\n# $2')")
    neovim.keys("x<BS>")
    neovim.until(lambda: "snippet" in neovim.status()[1], "the reason of the silence")
    assert neovim.ghost() is None
    neovim.lua("vim.snippet.stop()")
    neovim.keys("x<BS>")

    neovim.until_ghost("price * count")


def test_restarting_makes_a_new_connection(home: Home, neovim: Neovim) -> None:
    """The daemon goes on, and so do suggestions in the same buffer."""
    daemon = home.daemon_pid()
    client = neovim.lua("return vim.lsp.get_clients({ name = 'codeassistd' })[1].id")
    neovim.api.command("Codeassistd restart")
    neovim.until(
        lambda: neovim.lua(
            "local c = vim.lsp.get_clients({ bufnr = 0, name = 'codeassistd' })[1]; return c and c.id ~= ... or false",
            client,
        ),
        "another client",
    )
    neovim.until_ready()
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")

    assert daemon == home.daemon_pid()


def test_commands_complete(neovim: Neovim) -> None:
    """The words, and what some of them take."""
    complete = neovim.api.funcs.getcompletion

    words = [
        "chat",
        "chat-delete",
        "chats",
        "doctor",
        "explain",
        "log",
        "restart",
        "snooze",
        "status",
        "toggle",
        "trigger",
    ]
    assert words == complete("Codeassistd ", "cmdline")
    assert ["snooze", "status"] == complete("Codeassistd s", "cmdline")
    assert ["python"] == complete("Codeassistd toggle ", "cmdline")
    assert "30" in complete("Codeassistd snooze ", "cmdline")
    assert "codeassistd: ready" in neovim.api.command_output("Codeassistd status")


def test_a_wrong_command_is_named(neovim: Neovim) -> None:
    """With those that there are."""
    neovim.keys(":Codeassistd stauts<CR>")

    neovim.until(lambda: "no command stauts; there are chat, chat-delete" in neovim.messages(), "the message")


def test_explain_shows_the_last_request(neovim: Neovim) -> None:
    """What the program says, in a window that `q` closes."""
    neovim.keys("itotal = ")
    neovim.until_ghost("price * count")
    neovim.keys("<Esc>")
    neovim.api.command("Codeassistd explain")
    neovim.until(lambda: any("shown" in text for text in neovim.text()), "the account of the request")
    neovim.keys("q")

    neovim.until_text(["total = "])


def test_the_statusline_tells_the_state(neovim: Neovim) -> None:
    """In a few words, and nothing in a buffer that has no server."""
    neovim.until(lambda: neovim.lua("return require('codeassistd').statusline()") == "codeassistd ready", "the words")
    neovim.api.command("new")
    assert "" == neovim.lua("return require('codeassistd').statusline()")
    neovim.api.command("close")


def test_help_and_health(neovim: Neovim) -> None:
    """Both are found, and a good installation is called so."""
    for tag in ("codeassistd", ":Codeassistd-toggle", "<Plug>(codeassistd-accept-word)", "codeassistd-options"):
        neovim.api.command(f"help {tag}")
        neovim.api.command("close")
    neovim.api.command("checkhealth codeassistd")
    neovim.until(lambda: any("accepts a suggestion" in text for text in neovim.text()), "the report")
    report = "\n".join(neovim.text())
    neovim.api.command("bwipeout")

    assert "ERROR" not in report
    assert "1 connected; state ready" in report


def test_the_tags_of_the_help_are_those_of_its_text(neovim: Neovim, tmp_path: Path) -> None:
    """They are kept with it, since nothing makes them where the plugin is put on the runtime path by hand."""
    shipped = Path(__file__).parents[2] / "editors/neovim/doc"
    (tmp_path / "codeassistd.txt").write_bytes((shipped / "codeassistd.txt").read_bytes())
    neovim.api.command(f"helptags {tmp_path}")

    assert (tmp_path / "tags").read_text() == (shipped / "tags").read_text()


def test_without_the_program_the_editor_is_left_alone(line: str, own_home: Home) -> None:
    """One line says what is missing and what to do; typing goes on."""
    with another(own_home, Build.of(line), None) as neovim:
        assert 1 == neovim.messages().count("there is no program codeassistd; install it")
        assert "missing" == neovim.status()[0]
        file = own_home.root / "shop.py"
        neovim.api.command(f"edit {file}")
        neovim.keys("itotal = <Tab>x")
        neovim.until(lambda: neovim.text() != [""], "the typed text")

        assert ["total = x"] == [" ".join(neovim.text()[0].split())]
        assert 1 == neovim.messages().count("there is no program codeassistd")


def test_a_missing_model_is_told_once_and_comes_later(line: str, own_home: Home) -> None:
    """The status holds the error, ten requests nag nobody, and a daemon that has its model serves (case 76)."""
    fault = "no model starter; run: codeassistd model pull starter"
    with another(own_home, Build.of(line), own_home.serve_command(SCRIPT | {"load_error": fault})) as neovim:
        file = own_home.root / "shop.py"
        file.touch()
        neovim.open(file)
        neovim.until(lambda: neovim.status()[0] == "error" and fault in neovim.status()[1], "the error")
        neovim.keys("itotal = ")
        for _ in range(10):
            neovim.keys("x<BS>")
        neovim.until_text(["total = "])
        assert neovim.ghost() is None
        assert 1 == neovim.messages().count(fault)
        own_home.serve_command(SCRIPT)
        os.kill(own_home.daemon_pid(), signal.SIGKILL)
        neovim.until_ready()
        neovim.keys("<BS> ")

        neovim.until_ghost("price * count")


def test_a_failing_engine_is_told_and_forgotten(neovim: Neovim) -> None:
    """Ten requests fail, then one is answered: error with its cause, one message, then ready; never busy (case 76)."""
    told = neovim.messages().count(BROKEN)
    for n_asked in range(10):
        neovim.keys("<Esc>ccbroken = " if n_asked == 0 else " <BS>")
        neovim.until(lambda: neovim.status()[0] == "error" and BROKEN in neovim.status()[1], "the error")
    assert neovim.ghost() is None
    assert told + 1 == neovim.messages().count(BROKEN)
    neovim.keys("<Esc>cctotal = ")
    neovim.until_ghost("price * count")

    neovim.until_state("ready")


def test_a_killed_editor_leaves_nothing_running(line: str, own_home: Home) -> None:
    """Its proxy ends with it; the daemon stays for others (case 71)."""
    with another(own_home, Build.of(line), own_home.serve_command(SCRIPT)) as neovim:
        file = own_home.root / "shop.py"
        file.touch()
        neovim.open(file)
        neovim.until_ready()
        [proxy] = [child for child in psutil.Process(neovim.process.pid).children() if "lsp" in command_line(child)]
        neovim.process.kill()

    wait_for(lambda: not own_home.status()["sessions"], "the end of the connection")
    wait_for(lambda: has_ended(proxy), "the end of the proxy")


def test_the_editor_is_served_while_its_daemon_starts(line: str, own_home: Home) -> None:
    """Keys are never held up, and suggestions come without a restart (case 77)."""
    gate = own_home.root / "gate"
    late = [sys.executable, "-c", LATE, str(gate), *own_home.serve_command(SCRIPT)]
    with another(own_home, Build.of(line), late) as neovim:
        file = own_home.root / "shop.py"
        file.touch()
        neovim.open(file)
        neovim.keys("itotal = ")
        neovim.until_text(["total = "])
        assert "starting" == neovim.status()[0]
        assert neovim.ghost() is None
        gate.touch()
        neovim.until_ready()
        neovim.keys("<BS> ")

        neovim.until_ghost("price * count")
