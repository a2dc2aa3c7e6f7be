"""Two runs of `eval scenarios` are compared scenario by scenario."""

from __future__ import annotations

from codeassistd.evals.scenarios.figures import scenario_values
from codeassistd.evals.scenarios.outcome import Outcome
from codeassistd.evals.scenarios.scenario import Place, Scenario


def outcome(shown: str | None, *, silent: bool, unfit: str = "", miss: str = "") -> Outcome:
    wanted = ("a rule",) if silent else ()
    scenario = Scenario("g", "n", "why", "python", "a.py", Place("", 0), silent=wanted)
    return Outcome(scenario, shown, "", (), unfit, miss, by_hand=False)


def test_every_scenario_has_its_figures() -> None:
    """Showing counts where something is wanted, quiet where nothing is, fit where something came."""
    outcomes = [
        outcome("x", silent=False),
        outcome(None, silent=False, miss="nothing came"),
        outcome(None, silent=True),
        outcome("y", silent=True, unfit="doubled line", miss="something came"),
    ]

    assert {
        "met_rate": [1.0, 0.0, 1.0, 0.0],
        "show_rate": [1.0, 0.0, None, None],
        "quiet_rate": [None, None, 1.0, 0.0],
        "fit_rate": [1.0, None, None, 0.0],
    } == scenario_values(outcomes)
