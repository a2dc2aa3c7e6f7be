"""`tune run | show | reset | rollback` from the command line."""

from __future__ import annotations

import json
import signal
from collections.abc import Sequence
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.cli import app
from codeassistd.config import Settings
from codeassistd.config_layers import load
from codeassistd.daemon.tuned import TunedProfile, TunedStep, TypingSpeed, WholeTried, machine_id, profiles_of
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths
from codeassistd.testing.tiny_models import write_tiny_model
from codeassistd.tuning import run as tuning_run
from codeassistd.tuning.run import TuneOptions, run_tune
from codeassistd.tuning.tuner import Stretches


@pytest.fixture(autouse=True)
def paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Paths:
    """A home of its own with a tiny model in use."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    paths = Paths.resolve()
    Catalogue(paths).use(str(write_tiny_model(tmp_path / "tiny.gguf")))
    return paths


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(tmp_path / "tiny.gguf")


def profile(model: str) -> TunedProfile:
    steps = (
        TunedStep(
            "batch",
            {"model.n_batch": "256"},
            is_kept=True,
            reason="faster",
            ratio=0.5,
            low=0.4,
            high=0.6,
            before_ms=80.0,
            after_ms=40.0,
        ),
        TunedStep("threads", {"model.threads": "1"}, is_kept=False, reason="not faster beyond noise"),
    )
    before, after = TypingSpeed(80.0, 200.0, 100), TypingSpeed(40.0, 100.0, 100)
    whole = WholeTried(0.5, 0.45, 0.55, 60)
    return TunedProfile(model, machine_id(), steps, before, after, is_complete=True, whole=whole)


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(("tune", *argv))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


class Fast:
    """Everything that touches threads or the batch halves the time."""

    def speeds(self, *settings: Settings) -> list[TypingSpeed]:
        return [TypingSpeed(self._ms(each), 2 * self._ms(each), 50) for each in settings]

    def compare(self, before: Settings, after: Settings, first: int) -> Stretches:
        del first
        while True:
            yield [(self._ms(before), self._ms(after))] * 30

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        del settings
        return [1.0] * 20

    def _ms(self, settings: Settings) -> float:
        return 100.0 * (0.5 if settings.model.n_batch == 256 else 1.0)


def test_a_run_ends_in_a_profile_that_the_next_start_takes(paths: Paths, model: str) -> None:
    """With what was set by hand left alone, and nothing tried twice."""
    paths.config_dir.mkdir(parents=True)
    paths.config_file.write_text("[model]\nmax_draft = 4\n")
    loaded = load(paths)
    told: list[str] = []
    options = TuneOptions(1e9)
    found, why = run_tune(paths, loaded, options, lambda what, *_: told.append(what), measure=Fast())
    assert ("", {"model.n_batch": "256"}, model) == (why, found.values, found.model)
    assert not [step for step in found.steps if step.step == "lookup-drafts"]
    assert "batch: model.n_batch=256" in told
    assert found == profiles_of(paths).of(machine_id(), model)
    told.clear()
    run_tune(paths, loaded, options, lambda what, *_: told.append(what), measure=Fast())
    assert ["typing as it was and as tuned"] == told


def test_it_is_refused_beside_an_editor(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless it is told; then nobody asks again."""
    monkeypatch.setattr(tuning_run, "refuse_beside_others", _refuse)
    with pytest.raises(DaemonError, match="an editor is connected"):
        run_tune(paths, load(paths), TuneOptions(1e9), lambda *_: None, measure=Fast())
    monkeypatch.setattr(tuning_run, "active_editors", lambda _paths: "an editor is connected")
    _, why = run_tune(paths, load(paths), TuneOptions(1e9, beside=True), lambda *_: None, measure=Fast())
    assert "" == why


def test_a_signal_ends_a_run_as_ctrl_c_does(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the exit code for that, with all that has to be put away; and what the signal did before it does again."""
    put_away: list[str] = []

    def stuck(*_: object) -> None:
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            put_away.append("folder")

    monkeypatch.setattr(tuning_run, "run_tune", stuck)
    before = signal.getsignal(signal.SIGTERM)
    assert (130, "") == run(capsys, "run")[:2]
    assert (["folder"], before) == (put_away, signal.getsignal(signal.SIGTERM))


def _refuse(_paths: Paths) -> None:
    raise DaemonError("an editor is connected")


def test_show_prints_steps_and_how_it_stands_beside_the_server(
    capsys: pytest.CaptureFixture[str], paths: Paths, model: str
) -> None:
    """Recorded figures are called that: 120 ms against 40 is three times."""
    profiles_of(paths).keep(profile(model))
    code, out, _ = run(capsys, "show")
    assert 0 == code
    assert "model.n_batch=256" in out
    assert "80 ms -> 40 ms" in out
    assert "0.50 (0.40 to 0.60)" in out
    assert "recorded on another machine" in out
    assert "all that was kept together: 0.50 of the time for a key (0.45 to 0.55)" in out
    assert "nothing to choose for: file-format, kv-types," in out
    assert "3.0 times as fast as that server at p50, 4.2 times at p90" in out
    figures = json.loads(run(capsys, "show", "--json")[1])["figures"]
    assert {
        "n_tried": 2,
        "n_kept": 1,
        "is_complete": True,
        "without_choice": [
            "file-format",
            "kv-types",
            "flash-attention",
            "prompt-budget",
            "lookup-drafts",
            "draft-model",
            "semantic-cache",
        ],
        "ended_by": "",
        "before_p50_ms": 80.0,
        "before_p90_ms": 200.0,
        "after_p50_ms": 40.0,
        "after_p90_ms": 100.0,
        "whole_ratio": 0.5,
        "whole_low": 0.45,
        "whole_high": 0.55,
        "whole_n_pairs": 60,
        "server_p50_ms": 120.0,
        "server_p90_ms": 415.0,
        "server_is_live": False,
        "times_faster_p50": 3.0,
        "times_faster_p90": 4.15,
    } == figures


def test_a_machine_that_was_never_tuned_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """One line, or an object without figures, and exit code 1 by both: there is nothing to show."""
    code, out, err = run(capsys, "show")
    assert (1, "") == (code, out)
    assert "was never tuned on this machine; see `codeassistd tune run`" in err
    code, out, _ = run(capsys, "show", "--json")
    assert (1, 0, None) == (code, *(json.loads(out)["figures"][name] for name in ("n_tried", "before_p50_ms")))


def test_steps_are_rolled_back_and_forgotten(capsys: pytest.CaptureFixture[str], paths: Paths, model: str) -> None:
    """A step that is not in force is no step to roll back, and the line names those that are."""
    profiles_of(paths).keep(profile(model))
    code, _, err = run(capsys, "rollback", "threads")
    assert (2, "codeassistd: no step threads is in force; kept are: batch\n") == (code, err)
    assert (0, "rolled back: batch\n") == run(capsys, "rollback", "batch")[:2]
    assert {} == profiles_of(paths).of(machine_id(), model).values
    assert 0 == run(capsys, "reset")[0]
    assert 1 == run(capsys, "show")[0]


@pytest.mark.parametrize("server", ["/no/server", "notes.txt"])
def test_what_is_no_program_is_told_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    """One line, exit code 2, for a file that nobody can run, too."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").touch(0o600)
    code, _, err = run(capsys, "run", "--baseline-server", server)
    assert (2, f"codeassistd: there is no program {server}; --baseline-server takes the path of llama-server\n") == (
        code,
        err,
    )


def test_a_server_that_fails_costs_nothing_of_what_was_found(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str
) -> None:
    """The run is printed as without it, and then what was wrong; it is looked for here, and not on PATH."""
    server = tmp_path / "server"
    server.write_text("#!/bin/sh\nexit 3\n", encoding="utf-8")
    server.chmod(0o700)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tuning_run, "run_tune", lambda *_: (profile(model), ""))
    code, out, err = run(capsys, "run", "--baseline-server", "server", "--json")
    assert (1, ["batch", "threads"]) == (code, [row["step"] for row in json.loads(out)["rows"]])
    assert f"codeassistd: {server} ended with code 3 before it was ready; try it by hand" == err.splitlines()[-1]
