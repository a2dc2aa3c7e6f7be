from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from codeassistd import __version__
from codeassistd.cli import app, config_show
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    code = app.run(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints name and version and nothing else."""
    assert (0, f"codeassistd {__version__}\n", "") == run(capsys, "--version")


def test_without_arguments_comes_the_help_page(capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody who types the name alone wants to know what there is, which is no error."""
    code, out, err = run(capsys)

    assert (0, "") == (code, err)
    assert [] == [verb for verb in app.VERBS if verb not in out]


@pytest.mark.parametrize("argv", [[], ["status"], ["model", "pull"]])
def test_the_short_option_for_help_is_one_too(capsys: pytest.CaptureFixture[str], argv: list[str]) -> None:
    """It is what many try first."""
    code, out, err = run(capsys, *argv, "-h")

    assert (0, "") == (code, err)
    assert out == run(capsys, *argv, "--help")[1]


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["statsu"], "No such command 'statsu'. Did you mean 'status', 'start'?; see `codeassistd --help`"),
        (["--colour"], "No such option: --colour; see `codeassistd --help`"),
        (["config"], "Missing command; see `codeassistd config --help`"),
        (["config", "shwo"], "No such command 'shwo'. Did you mean 'show'?; see `codeassistd config --help`"),
        (
            ["config", "show", "--jsn"],
            "No such option: --jsn (Possible options: --json, --set); see `codeassistd config show --help`",
        ),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], argv: list[str], expected: str
) -> None:
    """The line says what is wrong and where to read on."""
    assert (2, "", f"codeassistd: {expected}\n") == run(capsys, *argv)


def fail_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let `config show` end with `error`."""

    def broken(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(config_show, "load_tuned", broken)


def test_an_error_of_ours_is_its_line_and_its_exit_code(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every error of the tree carries both."""
    fail_with(DaemonError("the daemon\n is gone"), monkeypatch)

    assert (1, "", "codeassistd: the daemon is gone\n") == run(capsys, "config", "show")


def test_an_unexpected_error_is_one_line_that_names_the_log(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    """A traceback helps no user; whoever wants it asks for it."""
    fail_with(KeyError("x"), monkeypatch)
    log = home / "state" / "log" / "daemon.log"
    expected = (
        f"codeassistd: unexpected error: KeyError: 'x' "
        f"(`codeassistd --debug ...` prints the trace; the daemon's log is {log})\n"
    )

    assert (1, "", expected) == run(capsys, "config", "show")


def test_a_file_that_nobody_named_is_an_unexpected_error(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only one that stands in the command line is a wrong argument."""
    fail_with(PermissionError(13, "Permission denied", "/state/tuned.json"), monkeypatch)

    code, out, err = run(capsys, "config", "show", "--workspace", ".")

    assert (1, "") == (code, out)
    assert err.startswith("codeassistd: unexpected error: PermissionError: ")


def test_a_folder_of_ours_that_is_closed_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Something is wrong with the machine, not with the program: no word of a trace, but the way to find out."""
    file = str(Paths.resolve().history_file)
    fail_with(PermissionError(13, "Permission denied", file), monkeypatch)

    expected = f"codeassistd: {file} cannot be used: Permission denied; `codeassistd doctor` looks at all our folders\n"

    assert (1, "", expected) == run(capsys, "config", "show")


def test_debug_prints_the_trace(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The trace comes first, so that the line stays the last thing on the screen."""
    fail_with(KeyError("x"), monkeypatch)

    code, out, err = run(capsys, "--debug", "config", "show")

    assert (1, "") == (code, out)
    assert err.startswith("Traceback (most recent call last):")
    assert err.splitlines()[-1].startswith("codeassistd: unexpected error: KeyError: 'x'")


def test_ctrl_c_is_exit_code_130(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """As shells expect of an interrupted program, and without a word."""
    fail_with(KeyboardInterrupt(), monkeypatch)

    assert (130, "", "") == run(capsys, "config", "show")


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_error_to_shout_about() -> None:
    """`codeassistd config show | head -1` stays quiet."""
    command = [sys.executable, "-P", "-m", "codeassistd", "config", "docs"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert b"" == process.stderr.read()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
@pytest.mark.parametrize("argv", [["config", "docs"], ["config", "show"], ["--version"]])
def test_a_full_disk_is_one_line(argv: list[str]) -> None:
    """The answer is lost, and the line says so; no trace, and not a second try at the end of the process."""
    command = [sys.executable, "-P", "-m", "codeassistd", *argv]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)

    expected = (
        b"codeassistd: cannot write the answer, or a file of ours: No space left on device; "
        b"make room, or send it elsewhere\n"
    )
    assert (1, expected) == (done.returncode, done.stderr)
