"""What counts as wanted, unfit and missed."""

from __future__ import annotations

import pytest

from codeassistd.evals.scenarios.baseline import differences
from codeassistd.evals.scenarios.conversation import Came
from codeassistd.evals.scenarios.figures import scenario_figures
from codeassistd.evals.scenarios.outcome import Outcome, outcome_of
from codeassistd.evals.scenarios.scenario import Place, Scenario
from codeassistd.syntax.languages import Languages

TEXT = "def f(a):\n    return \n"
PLACE = Place(TEXT, TEXT.rindex("\n"))


def outcome(
    inserted: str | None, *, show: str = "", silent: str = "", reason: str = "because", is_at_cursor: bool = True
) -> Outcome:
    scenario = Scenario("g", "n", "w", "python", "a.py", PLACE, show=show, silent=(silent,) if silent else ())
    return outcome_of(scenario, Came(PLACE, inserted, is_at_cursor, reason, ()), Languages.default())


@pytest.mark.parametrize(
    ("inserted", "unfit", "miss"),
    [
        ("a", "", ""),
        ("b", "'    return b' in place of '    return a'", "'    return b' in place of '    return a'"),
        (None, "", "nothing came"),
        ("a\n    )", "the document parses worse", "the document parses worse"),
    ],
)
def test_a_text_that_is_wanted(inserted: str | None, unfit: str, miss: str) -> None:
    """It comes, the line stands there, and the document is none the worse."""
    found = outcome(inserted, show="    return a")
    assert (unfit, miss) == (found.unfit, found.miss)


def test_an_item_must_replace_nothing() -> None:
    """An editor hides the rest of the line for any other range."""
    assert "the item is not an empty range at the cursor" == outcome("a", show="    return a", is_at_cursor=False).miss


@pytest.mark.parametrize(
    ("inserted", "reason", "miss"),
    [
        (None, "not sure enough: 0.1", ""),
        (None, "nothing to add", "silent for another reason than 'not sure enough'"),
        ("a", "one statement", "something came"),
    ],
)
def test_silence_that_is_wanted(inserted: str | None, reason: str, miss: str) -> None:
    """It must have the right reason: a rule that is not reached would look the same."""
    assert miss == outcome(inserted, silent="not sure enough", reason=reason).miss


def test_figures_count_what_came() -> None:
    """Shares are of those that they speak of."""
    figures = scenario_figures(
        [
            outcome("a", show="    return a"),
            outcome("b", show="    return a"),
            outcome(None, show="    return a"),
            outcome(None, silent="because"),
            outcome("a", silent="because"),
        ]
    )
    assert (5, 2, 3) == (figures["n_scenarios"], figures["n_silent"], figures["n_misses"])
    assert (pytest.approx(2 / 3), 0.5) == (figures["show_rate"], figures["quiet_rate"])
    assert pytest.approx(2 / 3) == figures["fit_rate"]


def test_a_change_is_told() -> None:
    """What came out otherwise, what is new and what is gone."""
    now = [outcome("a", show="    return a")]
    assert [] == differences({"g: n": "shown: 'a'"}, now)
    assert ["g: n: silent: because -> shown: 'a'"] == differences({"g: n": "silent: because"}, now)
    assert ["g: n: not known yet -> shown: 'a'"] == differences({}, now)
    assert ["g: m: silent: x -> gone"] == differences({"g: n": "shown: 'a'", "g: m": "silent: x"}, now)
