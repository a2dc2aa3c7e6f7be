"""The verbs that talk with a daemon: a real process with a scripted model, reached over its real socket."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd import __version__
from codeassistd.cli import app
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths
from tests.support.waiting import SAFETY_S, wait_for

pytestmark = pytest.mark.slow

SCRIPT = {"rules": [{"after": "total = ", "answer": "a + b"}], "default": ""}
SHAPE = ["schema", "command", "version", "asked", "effective", "figures", "rows"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A little repository with one file."""
    root = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", root], check=True)
    (root / "a.py").write_text("def add(a, b):\n    total = \n    return total\n", encoding="utf-8")
    return root


@pytest.fixture(scope="module")
def daemon(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """A daemon with a scripted model, one for all tests of this file."""
    script = tmp_path_factory.mktemp("script") / "script.json"
    script.write_text(json.dumps(SCRIPT), encoding="utf-8")
    environ = {"CODEASSISTD_HOME": str(home), "PATH": "/usr/bin:/bin"}
    command = [sys.executable, "-P", "-m", "codeassistd.testing.serve", str(script)]
    launcher = Launcher(Paths.resolve(environ))
    with subprocess.Popen(command, env=environ) as process:
        try:
            wait_for(lambda: state(launcher) == "ready", "the daemon")
            yield launcher
        finally:
            process.terminate()
            process.wait(SAFETY_S)


def state(launcher: Launcher) -> str:
    connection = launcher.connect(Kind.CONTROL)
    if connection is None:
        return ""
    with ControlClient(connection) as client:
        return str(client.call("status")["state"])


@pytest.fixture(autouse=True)
def _at_home(home: Path, daemon: Launcher, monkeypatch: pytest.MonkeyPatch) -> None:
    del daemon
    monkeypatch.setenv("CODEASSISTD_HOME", str(home))


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(argv)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def run_json(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, object]:
    """The answer for programs, whose shape is checked in passing."""
    code, out, err = run(capsys, *argv, "--json")
    report = json.loads(out)
    assert (0, "", SHAPE) == (code, err, list(report))
    assert (1, " ".join(argv[: len(str(report["command"]).split())]), __version__) == (
        report["schema"],
        report["command"],
        report["version"],
    )
    return dict(report)


def test_complete_prints_the_suggestion_and_nothing_else(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """What a pipe gets is what an editor would insert."""
    assert (0, "a + b\n", "") == run(capsys, "complete", f"{repository}/a.py:2:13")


def test_complete_for_programs_has_the_figures_and_the_parts(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    """The suggestion with the span of its request."""
    report = run_json(capsys, "complete", f"{repository}/a.py:2:13")
    figures = report["figures"]

    assert isinstance(figures, dict)
    assert {"file": f"{repository}/a.py", "line": 2, "column": 13} == report["asked"]
    assert {"language": "python", "offset": 27} == report["effective"]
    assert ("a + b", "shown") == (figures["suggestion"], figures["outcome"])
    assert report["rows"]


def test_complete_without_a_suggestion_says_why(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """Exit code 1, nothing on standard output, and the reason in one line."""
    code, out, err = run(capsys, "complete", f"{repository}/a.py:3:17")

    assert (1, "", 1) == (code, out, err.count("\n"))
    assert err.startswith("codeassistd: no suggestion: ")


def test_complete_tells_of_a_workspace_whose_settings_are_wrong(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    """They are left out, which would be a riddle without a word; the suggestion comes all the same."""
    file = repository / ".codeassistd.toml"
    file.write_text("[completion]\nmax_lines = 0\n", encoding="utf-8")
    try:
        result = run(capsys, "complete", f"{repository}/a.py:2:13")
    finally:
        file.unlink()

    expected = f"codeassistd: {file}: completion.max_lines cannot be 0; it takes: whole number from 1 to 200\n"
    assert (0, "a + b\n", expected) == result


def test_complete_takes_unsaved_text_from_standard_input(repository: Path) -> None:
    """The file need not have that text, nor be there at all."""
    command = [sys.executable, "-P", "-m", "codeassistd", "complete", "--stdin", f"{repository}/new.py:1:9"]

    done = subprocess.run(command, input=b"total = ", capture_output=True, check=False)

    assert (0, b"a + b\n", b"") == (done.returncode, done.stdout, done.stderr)
    assert not (repository / "new.py").exists()


def test_status_tells_the_state(capsys: pytest.CaptureFixture[str], home: Path) -> None:
    """For people: a block per part."""
    code, out, err = run(capsys, "status")

    assert (0, "") == (code, err)
    assert ["daemon", "state", "process", "gate", "log"] == [line.split()[0] for line in out.splitlines()[:5]]
    assert str(home / "state" / "log" / "daemon.log") in out


def test_status_for_programs_has_asked_beside_effective(capsys: pytest.CaptureFixture[str]) -> None:
    """The keys that scripts and editors may rely on."""
    report = run_json(capsys, "status")
    figures = report["figures"]

    assert isinstance(figures, dict)
    assert "ready" == figures["state"]
    assert {
        "chat",
        "completions",
        "context",
        "detail",
        "engine",
        "exporter",
        "gate",
        "idle_exit_s",
        "index",
        "last_error",
        "last_error_at",
        "log_file",
        "memory_bytes",
        "metrics",
        "model",
        "pid",
        "schema",
        "snoozed_s",
        "socket",
        "state",
        "tuned",
        "uptime_s",
        "version",
    } == set(figures)


def test_metrics_without_a_terminal_are_printed_once(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """Also those that are asked to move: a pipe gets one screen, and its end."""
    run(capsys, "complete", f"{repository}/a.py:2:13")

    code, out, err = run(capsys, "metrics", "--watch")

    assert (0, "") == (code, err)
    assert ["requests", "engine", "memory", "limit"] == [
        line.split()[0] for line in out.splitlines() if line[:1] not in {"", " "}
    ]


def test_metrics_for_programs_have_layers_rows_and_the_limit(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    """The same figures as in `status`, beside rows by trigger and outcome."""
    run(capsys, "complete", f"{repository}/a.py:2:13")
    report = run_json(capsys, "metrics")
    figures, rows = report["figures"], report["rows"]

    assert isinstance(figures, dict)
    assert isinstance(rows, list)
    assert ["user", "system", "resources", "bottleneck"] == list(figures)
    assert {"limit", "sentence", "remedy"} == set(figures["bottleneck"])
    assert ("invoked", "shown") in [(row["trigger"], row["outcome"]) for row in rows]
    status = run_json(capsys, "status")["figures"]
    assert isinstance(status, dict)
    assert {layer: set(names) for layer, names in status["metrics"].items()} == {
        layer: set(figures[layer]) for layer in ("user", "system", "resources")
    }


def test_metrics_for_prometheus_are_text(capsys: pytest.CaptureFixture[str]) -> None:
    """As it is read off a port, for collectors that take a file; --watch and --json have no part in it."""
    code, out, err = run(capsys, "metrics", "--prometheus")

    assert (0, "") == (code, err)
    assert '\ncodeassistd_sequences{state="running"} 0.0\n' in out
    code, out, err = run(capsys, "metrics", "--prometheus", "--json")
    assert (2, "", 1) == (code, out, err.count("\n"))


def test_index_build_reads_a_workspace_and_status_shows_it(
    capsys: pytest.CaptureFixture[str], repository: Path
) -> None:
    """The build waits for the end and prints what was read."""
    code, out, err = run(capsys, "index", "build", str(repository))

    assert (0, f"reading {repository.resolve()}\n") == (code, err)
    assert str(repository.resolve()) in out
    assert "1 of 1" in out
    rows = run_json(capsys, "index", "status")["rows"]
    assert isinstance(rows, list)


def test_index_search_shows_pieces_of_code(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """Place and text for people, one object for programs, one line where there is nothing."""
    code, out, _ = run(capsys, "index", "search", "add", "--in", str(repository))

    assert 0 == code
    assert out.startswith("a.py:1")
    assert "def add(a, b):" in out
    report = run_json(capsys, "index", "search", "add", "missing", "--in", str(repository), "--limit", "3")
    assert {"words": ["add", "missing"], "path": str(repository.resolve()), "limit": 3} == report["asked"]
    assert {"n_found": 1} == report["figures"]
    code, out, err = run(capsys, "index", "search", "missing", "--in", str(repository))
    assert (0, "") == (code, out)
    assert f"nothing in {repository.resolve()} holds any of these words\n" == err


def test_index_rebuild_reads_everything_again(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """Prints what was read, as the build does."""
    code, out, err = run(capsys, "index", "rebuild", str(repository))

    assert (0, f"reading {repository.resolve()}\n") == (code, err)
    assert "1 of 1" in out


def test_index_status_without_an_open_workspace_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """Else an empty table right after `index build` looks as if nothing had been read."""
    code, out, err = run(capsys, "index", "status")

    assert (0, 2, 1) == (code, out.count("\n"), err.count("\n"))
    assert "none open" == out.splitlines()[1].strip()
    assert err.startswith("no workspace is open now; ")


def test_explain_shows_the_last_request(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """Times and tokens of the newest request, without its text."""
    run(capsys, "complete", f"{repository}/a.py:2:13")

    code, out, err = run(capsys, "explain", "show")

    assert (0, "") == (code, err)
    assert ["request", "asked", "outcome", "because"] == [line.split()[0] for line in out.splitlines()[1:5]]
    assert "a + b" not in out
    report = run_json(capsys, "explain", "show")
    assert isinstance(report["figures"], dict)
    assert isinstance(report["rows"], list)
    assert {"context", "pause", "queue", "reading", "writing", "rest"} == set(report["figures"]["timings_ms"])
    assert {"name", "n_tokens", "n_cached", "score"} == set(report["rows"][0])
    assert None is report["figures"]["story"]


def test_explain_has_no_text_of_an_editor_that_has_left(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """Asked for by name, it is told that there is none."""
    run(capsys, "complete", f"{repository}/a.py:2:13")

    code, out, err = run(capsys, "explain", "show", "--text")

    assert (0, "") == (code, err)
    assert "no text is kept of it" in out
    assert "a + b" not in out


def test_explain_lists_the_kept_requests(capsys: pytest.CaptureFixture[str], repository: Path) -> None:
    """The newest first, and each can be asked for by its id."""
    run(capsys, "complete", f"{repository}/a.py:2:13")
    run(capsys, "complete", f"{repository}/a.py:3:17")

    report = run_json(capsys, "explain", "list")
    rows = report["rows"]

    assert isinstance(rows, list)
    assert {"n_requests": len(rows)} == report["figures"]
    assert ["empty", "shown"] == [row["outcome"] for row in rows[:2]]
    code, out, _ = run(capsys, "explain", "show", rows[1]["id"])
    assert (0, True) == (code, rows[1]["id"] in out)
    code, out, _ = run(capsys, "explain", "list")
    assert (0, len(rows) + 1) == (code, out.count("\n"))


def test_explain_of_an_unknown_request_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    """The daemon keeps only the last ones."""
    expected = "codeassistd: request nope is not kept (any more); the daemon keeps the last ones only\n"

    assert (1, "", expected) == run(capsys, "explain", "show", "nope")


def test_starting_what_runs_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """`start` twice is no error, and there is still one daemon."""
    code, out, err = run(capsys, "start")

    assert (0, "") == (code, err)
    assert out.startswith("the daemon was running already (process ")


def test_serve_beside_a_daemon_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """One daemon per user; the exit code tells a starter that another one was quicker."""
    code, out, err = run(capsys, "serve")

    assert (3, "") == (code, out)
    assert err.startswith("codeassistd: a daemon is running already (process ")


def test_logs_prints_the_end_of_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    """As many lines as asked for."""
    code, out, err = run(capsys, "logs", "-n", "1")

    assert (0, 1, "") == (code, out.count("\n"), err)


def test_doctor_for_programs_counts_what_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a model one check fails, and so does the command."""
    code, out, err = run(capsys, "doctor", "--json")
    report = json.loads(out)

    assert (1, "") == (code, err)
    assert SHAPE == list(report)
    assert {"ok", "warn", "fail"} == set(report["figures"])
    assert ["model"] == [row["check"] for row in report["rows"] if row["verdict"] == "fail"]
    assert {"check", "verdict", "found", "remedy"} == set(report["rows"][0])
    (model,) = (row for row in report["rows"] if row["check"] == "model")
    assert ("starter is not on this machine", "get it with: codeassistd model pull starter") == (
        model["found"],
        model["remedy"],
    )
    assert "daemon" in [row["check"] for row in report["rows"]]
