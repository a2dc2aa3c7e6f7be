"""Holes are filled by the program's own way, and judged by the tests of the problem."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeassistd.cli.eval_infill_view import infill_report
from codeassistd.config import Settings
from codeassistd.errors import EngineError
from codeassistd.evals.infill.figures import causes, infill_figures
from codeassistd.evals.infill.problem import Problem
from codeassistd.evals.infill.run import InfillRun, run_infill
from codeassistd.evals.sandbox.sandbox import Sandbox, Verdict
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript

CHECK = "def check(candidate):\n    assert candidate(2) == 4\n"
TWICE = Problem("twice", "twice", "def twice(a):\n    ", "\n    return b\n", "b = a + a", CHECK)
SQUARE = Problem("square", "square", "def square(a):\n    ", "\n    return c\n", "c = a * a", CHECK)


def run(tmp_path: Path, answer: str, *problems: Problem) -> InfillRun:
    backend = FakeBackend(FakeScript(default=answer))
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})
    return run_infill(problems, paths, Settings(), Sandbox(), on_problem=lambda: None, substitute=backend.load)


def test_what_the_model_says_is_stopped_and_fitted_and_then_run(tmp_path: Path) -> None:
    """The line ends where the answer's line ends; what the model says behind it is not put in."""
    came = run(tmp_path, "b = 2 * a\n    return b\n\nprint('x')", TWICE).solved[0]

    assert "b = 2 * a" == came.inserted
    assert came.ran is not None
    assert Verdict.PASSED is came.ran.verdict
    assert came.compiles
    assert came.format is not None
    assert came.format.is_kept


def test_figures_are_over_all_problems(tmp_path: Path) -> None:
    """One of two passes: the other one's name is not defined."""
    came = run(tmp_path, "b = a + a\n", TWICE, SQUARE)

    assert {
        "n_problems": 2,
        "n_shown": 2,
        "pass_at_1": 0.5,
        "compile_rate": 1.0,
        "format_kept_rate": 1.0,
        "exact_rate": 0.5,
        "indent_kept_rate": 1.0,
        "quotes_kept_rate": None,
        "brackets_kept_rate": 1.0,
    } == infill_figures(came.solved)
    assert {"NameError": 1} == causes(came.solved)


def test_what_nothing_is_shown_for_has_not_passed(tmp_path: Path) -> None:
    """It has no format, and nothing is run."""
    came = run(tmp_path, "", TWICE)

    assert 0.0 == infill_figures(came.solved)["pass_at_1"]
    assert infill_figures(came.solved)["format_kept_rate"] is None
    assert {"nothing was shown": 1} == causes(came.solved)
    assert "the model had nothing to add" == came.solved[0].reason


def test_what_breaks_the_function_is_told(tmp_path: Path) -> None:
    """A text that does not fit is counted as it would be seen: it does not compile, or is cut back to nothing."""
    problem = Problem("open", "f", "def f(a):\n    return (", "\n", "a + a)", CHECK)
    came = run(tmp_path, "a + a\n", problem)

    assert 0.0 == infill_figures(came.solved)["pass_at_1"]
    assert {"SyntaxError": 1} == causes(came.solved)


def test_a_model_that_fails_ends_the_eval(tmp_path: Path) -> None:
    """Its silence would be counted as an answer."""
    backend = FakeBackend(FakeScript(default="b"))
    backend.fail_step(RuntimeError("broken"))
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})

    with pytest.raises(EngineError, match="the model failed at"):
        run_infill([TWICE], paths, Settings(), Sandbox(), on_problem=lambda: None, substitute=backend.load)


def test_the_json_has_the_figures_the_problems_and_the_comparison(tmp_path: Path) -> None:
    """And no source text, unless it is asked for."""
    ours, theirs = run(tmp_path, "b = a + a\n", TWICE), run(tmp_path, "b = 1\n", TWICE)
    report = json.loads(infill_report(ours, theirs, "limits", {"limit": 1}, with_text=False).as_json())

    assert ["schema", "command", "version", "asked", "effective", "figures", "rows"] == list(report)
    assert "eval infill" == report["command"]
    assert "limits" == report["effective"]["sandbox"]
    assert "no network" in report["asked"]["sandbox"]
    assert {
        "table": "problems",
        "problem": "twice",
        "verdict": "passed",
        "detail": "",
        "compiles": True,
        "indent": True,
        "quotes": None,
        "brackets": True,
        "reason": "one statement",
    } == report["rows"][0]
    changes = {row["figure"]: row["change"] for row in report["rows"][1:]}
    assert {"pass_at_1": -1.0, "compile_rate": 0.0, "format_kept_rate": 0.0, "exact_rate": -1.0} == changes
