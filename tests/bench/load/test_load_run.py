"""The whole of `bench load` with a scripted model: real processes, tiny numbers, no look at speed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from codeassistd.bench.keystrokes import make_script
from codeassistd.bench.load.asked import Fate, Kind, Phase
from codeassistd.bench.load.figures import LOAD_GOALS, load_figures
from codeassistd.bench.load.run import LoadPlan, run_load
from codeassistd.cli.editor import PROXY
from tests.support.processes import Home

pytestmark = pytest.mark.slow

CONTENT = "".join(f"total{number} = price + tax\n" for number in range(40))
SCRIPT = {"rules": [{"after": "=", "answer": " price + tax"}], "default": "Yes. "}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    yield home
    home.close()


def plan_of(home: Home, tmp_path: Path, command: Sequence[str] = PROXY, patience_s: float = 60.0) -> LoadPlan:
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "-q", folder], check=True)
    scripts = []
    for name in ("a.py", "b.py"):
        (folder / name).write_text(CONTENT, encoding="utf-8")
        scripts.append(make_script(folder / name, "python", CONTENT, 8, 1))
    return LoadPlan(
        command=command,
        root=folder,
        scripts=scripts,
        n_clients=4,
        seconds=1.0,
        interval_s=0.01,
        n_files=1,
        patience_s=patience_s,
        overrides={"index.enabled": "false"},
        serve=home.serve_command(SCRIPT),
    )


def test_every_client_gets_every_answer(home: Home, tmp_path: Path) -> None:
    """Each kind works in its phase, nothing is lost or doubled, and the figures are there."""
    seconds: list[str] = []
    plan = plan_of(home, tmp_path)

    run = run_load(plan, home.paths, seconds.append)

    figures = load_figures(plan, run)
    assert (0, 0, 0) == (figures["n_lost"], figures["n_surplus"], figures["n_errors"]), run.errors
    assert {Kind.TYPING} == {one.kind for one in run.asked if one.phase is Phase.ALONE}
    assert {Kind.TYPING, Kind.CHAT} == {one.kind for one in run.asked if one.phase is Phase.BESIDE}
    assert set(Kind) == {one.kind for one in run.asked if one.phase is Phase.LOAD}
    assert set(LOAD_GOALS) <= set(figures)
    assert {"warm", "alone", "beside", "load"} == set(seconds)
    assert all(n_bytes > 0 for _, n_bytes in run.memory)


def test_a_server_that_loses_and_doubles_replies_is_found_out(home: Home, tmp_path: Path) -> None:
    """A proxy in front of the real one drops the first answer to a completion, and says another one twice."""
    command = [sys.executable, str(Path(__file__).with_name("faulty_proxy.py")), *PROXY]

    run = run_load(plan_of(home, tmp_path, command, patience_s=2.0), home.paths, lambda _phase: None)

    assert Fate.LOST in {one.fate for one in run.asked}
    assert run.n_surplus >= 1
