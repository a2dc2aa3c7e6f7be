from __future__ import annotations

import sys
from pathlib import Path

import pytest

from codeassistd import __version__
from codeassistd.chat.store import ChatStore
from codeassistd.cli import app
from codeassistd.paths import Paths


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, and a folder with one small file to stand in."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text("one\n", encoding="utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


SET = "--set x: write it as key=value, for example --set completion.enabled=false"
FORM = "write FILE:LINE:COL, both numbers from 1, for example src/app.py:12:5"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("start --set x", SET),
        ("start --set model.nctx=1", "--set: unknown setting model.nctx; did you mean model.n_ctx?"),
        ("start now", "Got unexpected extra argument(s) (now); see `codeassistd start --help`"),
        ("stop now", "Got unexpected extra argument(s) (now); see `codeassistd stop --help`"),
        ("status --yaml", "No such option: --yaml; see `codeassistd status --help`"),
        ("serve --set x", SET),
        (
            "serve --set model.n_ctx=1",
            "--set: model.n_ctx cannot be '1'; it takes: whole number from 256 to 1048576",
        ),
        ("lsp --tcp", "No such option: --tcp; see `codeassistd lsp --help`"),
        ("complete", "Missing argument 'FILE:LINE:COL'; see `codeassistd complete --help`"),
        ("complete a.py", f"a.py: {FORM}"),
        ("complete a.py:1", f"a.py:1: {FORM}"),
        ("complete a.py:one:1", f"a.py:one:1: {FORM}"),
        ("complete b.py:1:1", "there is no file b.py"),
        ("complete a.py:3:1", "a.py has 2 lines, so there is no line 3"),
        ("complete a.py:1:5", "line 1 of a.py ends at column 4, so there is no column 5"),
        ("explain", "Missing command; see `codeassistd explain --help`"),
        ("explain shw", "No such command 'shw'. Did you mean 'show'?; see `codeassistd explain --help`"),
        ("index", "Missing command; see `codeassistd index --help`"),
        ("index build nowhere", "nowhere is not a folder; give the root of a workspace"),
        ("index build a.py", "a.py is not a folder; give the root of a workspace"),
        ("eval repo nowhere", "nowhere is not a folder; give the root of a repository"),
        ("eval context a.py", "a.py is not a folder; give the root of a repository"),
        ("model", "Missing command; see `codeassistd model --help`"),
        ("model pull", "Missing argument 'NAME'; see `codeassistd model pull --help`"),
        ("model pull startr", "no model is named 'startr'; did you mean starter?"),
        ("model remove startr", "no model is named 'startr'; did you mean starter?"),
        ("config show --workspace nowhere", "nowhere is not a folder; --workspace takes the root of a workspace"),
        ("config show --set x", SET),
        ("doctor all", "Got unexpected extra argument(s) (all); see `codeassistd doctor --help`"),
        ("demo b.py:1:1", "there is no file b.py"),
    ],
)
def test_a_wrong_argument_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], command: str, expected: str
) -> None:
    """Nothing is started, nothing is printed on standard output, and the line says what to do."""
    assert (2, "", f"codeassistd: {expected}\n") == run(capsys, *command.split())


@pytest.mark.parametrize(
    "command",
    [
        "model use {}",
        "model quantise {} b.gguf",
        "index build {}",
        "index search word --in={}",
        "eval repo ./{}",
        "bench index {}",
    ],
)
def test_a_file_that_cannot_even_be_looked_at_is_a_wrong_argument(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """Its name is longer than any file's: the system's word for it, and neither a trace nor the way to the log."""
    name = f"{'x' * 300}.gguf"
    code, out, err = run(capsys, *command.format(name).split())

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert err.endswith(f"{name} cannot be used: File name too long\n")


@pytest.mark.parametrize("command", ["index build {}", "index search word --in={}", "bench index {}", "eval repo {}"])
def test_a_link_that_leads_to_itself_is_no_folder(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str
) -> None:
    """And no unexpected error: it has no whole path that could be asked for."""
    (folder / "loop").symlink_to("loop")
    code, out, err = run(capsys, *command.format("loop").split())

    assert (2, "") == (code, out)
    assert err.startswith("codeassistd: loop is not a folder; give the root of a ")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows removes no folder that somebody stands in")
@pytest.mark.parametrize("command", ["config show", "chat list", "index build ."])
def test_a_current_folder_that_is_gone_is_told(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """Whatever is relative to it is nowhere, and nothing is amiss with us."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    (tmp_path / "home" / "state" / "chat").mkdir(parents=True)
    ChatStore.open(Paths.resolve().chat_file).close()

    expected = "codeassistd: the current folder is gone; change into one that is there\n"

    assert (2, "", expected) == run(capsys, *command.split())


@pytest.mark.parametrize("command", ["logs -n many", "logs -n -1", "complete a.py:1:1 --timeout soon"])
def test_a_wrong_number_is_one_line_and_exit_code_2(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """The words are the parser's; the form is ours."""
    code, out, err = run(capsys, *command.split())

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert err.startswith("codeassistd: Invalid value for ")


def test_a_log_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """Before the first start there is no log: nothing to show, and nobody's mistake."""
    log = folder / "home" / "state" / "log" / "daemon.log"

    assert (1, "", f"codeassistd: there is no log yet at {log}; `codeassistd start` makes one\n") == run(capsys, "logs")


def test_the_demo_wants_a_clone(capsys: pytest.CaptureFixture[str]) -> None:
    """Its places are in files of this repository."""
    code, out, err = run(capsys, "demo")

    assert (2, "", 1) == (code, out, err.count("\n"))
    assert "run the demo in a clone of codeassistd" in err


@pytest.mark.parametrize("command", ["start", "serve", "config show", "complete a.py:1:1", "index build ."])
def test_a_broken_settings_file_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str
) -> None:
    """Whatever needs the settings names the file and the line."""
    file = folder / "home" / "config" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[model\n", encoding="utf-8")

    code, out, err = run(capsys, *command.split())

    assert (2, "") == (code, out)
    assert err.startswith(f"codeassistd: {file}, line 1: not valid TOML: ")
    assert 1 == err.count("\n")


@pytest.mark.parametrize("command", ["index status", "explain show", "status"])
def test_without_a_daemon_questions_to_it_are_exit_code_1(capsys: pytest.CaptureFixture[str], command: str) -> None:
    """To ask starts nothing."""
    expected = "codeassistd: no daemon is running; `codeassistd start` starts one\n"

    assert (1, "", expected) == run(capsys, *command.split())


def test_stopping_what_does_not_run_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    """What was wanted is the case."""
    assert (0, "no daemon was running\n", "") == run(capsys, "stop")


@pytest.mark.parametrize(
    ("command", "code", "cause"),
    [
        ("status", 1, "run/daemon-{version}.sock cannot be reached: Not a directory; `codeassistd doctor` "),
        ("stop", 1, "run/daemon-{version}.sock cannot be reached: Not a directory; `codeassistd doctor` "),
        ("start", 2, "config/config.toml: cannot be read: Not a directory"),
        ("logs", 2, "state/log/daemon.log cannot be read: Not a directory; `codeassistd doctor` "),
    ],
)
def test_a_home_that_is_no_folder_is_one_line(
    capsys: pytest.CaptureFixture[str], folder: Path, command: str, code: int, cause: str
) -> None:
    """A wrong CODEASSISTD_HOME is an everyday mistake, not an unexpected error."""
    (folder / "home").write_text("", encoding="utf-8")

    result, out, err = run(capsys, command)

    assert (code, "", 1) == (result, out, err.count("\n"))
    assert err.startswith(f"codeassistd: {folder}/home/{cause.format(version=__version__)}")


def test_the_doctor_can_tell_of_a_home_that_is_no_folder(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """It is what everybody is sent to, so it must come to its end."""
    (folder / "home").write_text("", encoding="utf-8")

    code, out, err = run(capsys, "doctor")

    assert (1, "") == (code, err)
    assert f"fail  data folder     {folder}/home/data: Not a directory" in out


def test_a_log_that_cannot_be_written_is_one_line(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    """The daemon is not started without one."""
    log = folder / "home" / "state" / "log" / "daemon.log"
    log.mkdir(parents=True)

    expected = f"codeassistd: cannot write the log {log}: Is a directory; move it away\n"
    assert (1, "", expected) == run(capsys, "start")
