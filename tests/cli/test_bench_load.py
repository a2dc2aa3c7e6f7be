"""How `bench load` ends: loudly, where a reply is missing or came twice."""

from __future__ import annotations

import pytest
import typer

from codeassistd.bench.load.run import LoadRun
from codeassistd.cli import app
from codeassistd.cli.bench_load import _end
from codeassistd.cli.report import Report


def report(n_lost: int, n_surplus: int) -> Report:
    return Report("bench load", figures={"n_lost": n_lost, "n_surplus": n_surplus})


def test_a_load_that_was_answered_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    """Slow answers are no failure."""
    _end(LoadRun(), report(0, 0))

    assert ("", "") == capsys.readouterr()


@pytest.mark.parametrize(
    ("n_lost", "n_surplus", "errors", "expected"),
    [
        (2, 0, [], "codeassistd: 2 replies were lost, 0 came twice; 0 errors\n"),
        (0, 1, [], "codeassistd: 0 replies were lost, 1 came twice; 0 errors\n"),
        (
            0,
            0,
            ["window/logMessage: it broke", "window/logMessage: it broke"],
            "codeassistd: 0 replies were lost, 0 came twice; 2 errors\n  window/logMessage: it broke\n",
        ),
    ],
)
def test_what_must_not_be_is_exit_code_1(
    capsys: pytest.CaptureFixture[str], n_lost: int, n_surplus: int, errors: list[str], expected: str
) -> None:
    """With what it was on standard error, each complaint once."""
    with pytest.raises(typer.Exit) as ended:
        _end(LoadRun(errors=errors), report(n_lost, n_surplus))

    assert 1 == ended.value.exit_code
    assert ("", expected) == capsys.readouterr()


def test_settings_are_for_a_daemon_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    """The one that runs keeps its own."""
    code = app.run(["bench", "load", "--daemon", "running", "--set", "model.n_slots=2"])

    assert (2, 1) == (code, capsys.readouterr().err.count("\n"))
