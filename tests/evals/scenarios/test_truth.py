"""The scenarios themselves, played as `codeassistd eval scenarios` plays them."""

from __future__ import annotations

import pytest

from codeassistd.evals.scenarios.baseline import differences, read_baseline
from codeassistd.evals.scenarios.raw_texts import read_raw_texts, recordings_of, titles_without_text
from codeassistd.evals.scenarios.reading import BASELINE, RAW, TRUTH, read_scenarios
from codeassistd.evals.scenarios.run import run_scenarios


def test_there_are_enough_and_most_were_recorded() -> None:
    """120 at least, 50 of them silent, and no more than a third by hand; each has a text, and none is left over."""
    scenarios, recorded = read_scenarios(TRUTH), read_raw_texts(RAW)
    assert 120 <= len(scenarios)
    assert 50 <= sum(not scenario.wants_text for scenario in scenarios)
    assert sum(scenario.raw is not None for scenario in scenarios) <= len(scenarios) / 3
    assert [] == titles_without_text(scenarios, recorded)
    assert len(scenarios) == len(recordings_of(scenarios, recorded))
    assert set() == set(recorded) - {scenario.title for scenario in scenarios if scenario.raw is None}


@pytest.mark.slow
def test_what_users_see_is_what_they_saw() -> None:
    """A change is made on purpose: `codeassistd eval scenarios --update-baseline` shows it in the diff."""
    outcomes = run_scenarios(read_scenarios(TRUTH), read_raw_texts(RAW), lambda: None)
    assert [] == differences(read_baseline(BASELINE), outcomes)
