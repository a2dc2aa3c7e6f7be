"""The whole of `bench typing` with a scripted model: real processes, tiny numbers, no look at speed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from codeassistd.bench.keystrokes import make_script
from codeassistd.bench.typing_run import Manners, TypingPlan, Where, run_typing
from codeassistd.cli import app
from codeassistd.cli.editor import PROXY
from codeassistd.config_layers import load
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths
from codeassistd.testing.scratch import scratch_daemon
from tests.support.processes import Home

pytestmark = pytest.mark.slow

CONTENT = "".join(f"# {number}\n" for number in range(10)) + "total = price + tax\n"
#: After `total =` the model goes on as the file does, and before that it has nothing to say.
SCRIPT = {"rules": [{"after": "total =", "answer": " price + tax"}], "default": ""}
KEYS = len("total = price")


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    yield home
    home.close()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", folder], check=True)
    (folder / "a.py").write_text(CONTENT, encoding="utf-8")
    return folder / "a.py"


def plan_of(home: Home, file: Path, *intervals_ms: int, manners: Manners = Manners.VSCODE) -> TypingPlan:
    return TypingPlan(
        command=PROXY,
        root=file.parent,
        scripts=[make_script(file, "python", CONTENT, KEYS, 1)],
        intervals_ms=intervals_ms,
        manners=manners,
        overrides={"index.enabled": "false"},
        serve=home.serve_command(SCRIPT),
    )


@pytest.mark.parametrize("manners", Manners)
def test_each_key_is_typed_and_answered_once(home: Home, file: Path, manners: Manners) -> None:
    """At every pace, with a daemon that knows nothing of the pace before."""
    told: list[None] = []

    plan = plan_of(home, file, 0, 5, manners=manners)
    paces = run_typing(plan, home.paths, lambda: told.append(None))

    assert [0, 5] == [pace.interval_ms for pace in paces]
    assert 2 * KEYS == plan.n_keys == len(told)
    for pace in paces:
        (typed,) = pace.files
        assert ("a.py", KEYS) == (typed.name, len(typed.replies))
        assert not typed.first.is_shown
        assert all(reply.is_still_right for reply in typed.replies if reply.is_shown and not reply.since)


def test_typing_without_pause_finds_what_the_model_says(home: Home, file: Path) -> None:
    """Each request is answered before the next key, so all figures but the times are known."""
    (pace,) = run_typing(plan_of(home, file, 0), home.paths, lambda: None)
    (typed,) = pace.files

    shown = [reply for reply in typed.replies if reply.is_shown]
    assert " price + tax" == shown[0].suggestion
    assert shown[0].agrees
    assert len(shown) == typed.n_explained
    assert typed.cpu_s >= 0
    assert 0 <= typed.n_cached <= typed.n_prompt


def test_nothing_of_a_scratch_daemon_stays(home: Home) -> None:
    """Neither its process and its folder, nor anything in the user's own places."""
    command = home.serve_command(SCRIPT)
    before = sorted(home.root.rglob("*"))

    with scratch_daemon(home.paths, command=command) as daemon:
        with ControlClient.connect(Launcher(daemon.paths)) as client:
            pid = client.call("status")["pid"]
        folder = Path(daemon.environ["CODEASSISTD_HOME"])
        assert folder.is_dir()

    assert not folder.exists()
    assert not psutil.pid_exists(pid)
    assert before == sorted(home.root.rglob("*"))


def test_a_scratch_daemon_has_the_users_settings_and_those_of_the_command_line(home: Home) -> None:
    """The latter win."""
    home.paths.config_dir.mkdir()
    home.paths.config_file.write_text("[model]\nthreads = 3\nn_slots = 2\n", encoding="utf-8")

    with scratch_daemon(home.paths, {"model.threads": "1"}, home.serve_command(SCRIPT)) as daemon:
        model = load(daemon.paths, daemon.environ).settings.model

    assert (1, 2) == (model.threads, model.n_slots)


def test_a_daemon_that_cannot_start_says_why(home: Home, file: Path) -> None:
    """In the daemon's own words, not as a wait that runs out."""
    plan = plan_of(home, file, 0)
    broken = TypingPlan(
        PROXY, plan.root, plan.scripts, (0,), serve=[sys.executable, "-c", "raise SystemExit('no luck')"]
    )

    with pytest.raises(DaemonError, match=r"the daemon ended at once \(exit code 1\): no luck"):
        run_typing(broken, home.paths, lambda: None)


def test_the_running_daemon_must_run(home: Home, file: Path) -> None:
    """A fresh one would be something else than what was asked for."""
    plan = plan_of(home, file, 0)
    running = TypingPlan(plan.command, plan.root, plan.scripts, (0,), where=Where.RUNNING)

    with pytest.raises(DaemonError, match="no daemon is running"):
        run_typing(running, Paths.resolve({"CODEASSISTD_HOME": str(home.root)}), lambda: None)


def test_the_verb_prints_one_object(
    home: Home, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The figures of each pace under names that end in it, their goals, and a row for each file."""
    home.start_daemon(SCRIPT)
    home.until_ready()
    monkeypatch.setenv("CODEASSISTD_HOME", str(home.root))

    argv = ["bench", "typing", str(file), "--keys", str(KEYS), "--interval", "0", "--daemon", "running", "--json"]
    code = app.run(argv)
    out, err = capsys.readouterr()
    report = json.loads(out)

    assert (0, "") == (code, err)
    assert ["schema", "command", "version", "asked", "effective", "figures", "rows"] == list(report)
    assert "bench typing" == report["command"]
    assert (KEYS, [0], "vscode", "running") == tuple(
        report["asked"][key] for key in ("keys", "intervals_ms", "editor", "daemon")
    )
    assert "<= 40" == report["asked"]["goals"]["p50_ms_at_0"]
    assert KEYS == report["figures"]["n_keys_at_0"]
    assert {"p50_ms_at_0", "p90_ms_at_0", "p99_ms_at_0", "show_rate_at_0", "prefix_reuse_at_0"} <= set(
        report["figures"]
    )
    assert [("a.py", 0)] == [(row["file"], row["interval_ms"]) for row in report["rows"]]
    assert isinstance(report["effective"]["reached"]["p50_ms_at_0"], bool)


def test_the_verb_prints_a_table_for_people(
    home: Home, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One column for each pace, and the goals beside them."""
    home.start_daemon(SCRIPT)
    home.until_ready()
    monkeypatch.setenv("CODEASSISTD_HOME", str(home.root))

    assert 0 == app.run(["bench", "typing", str(file), "--keys", "9", "--interval", "0", "--daemon", "running"])
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]

    assert ["no", "pause", "goal"] == lines[0].split()
    assert any(line.startswith("request to suggestion, median") and line.endswith("<= 40") for line in lines)
