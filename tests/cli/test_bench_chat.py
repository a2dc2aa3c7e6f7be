"""What `bench chat` answers beside its figures."""

from __future__ import annotations

from codeassistd.bench.chat.run import Talked, TurnCost, Way
from codeassistd.cli.bench_chat import _report

MODEL = {"name": "starter", "path": "/models/starter.gguf", "effective": {"n_ctx": "8192"}, "warnings": []}


def test_a_report_says_which_model_talked_as_other_benches_do() -> None:
    """Its name, and the settings it had; what else the daemon knows of it is no part of an answer."""
    talked = tuple(Talked(way, (TurnCost(1, 100.0, 105.0, 100, 80, 1000, 1.0),), MODEL) for way in Way)

    report = _report(talked, {"turns": 1}, load_before=0.5)

    assert ("starter", {"n_ctx": "8192"}, 0.5) == tuple(
        report.effective[name] for name in ("model", "settings", "load_before")
    )
    assert {"model", "settings", "load_before", "reached"} == report.effective.keys()
