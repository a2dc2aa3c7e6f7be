"""Whether what came in a scenario is what its user wants. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeassistd.evals.fit.spots import Kind, Spot
from codeassistd.evals.fit.verdict import judge
from codeassistd.evals.scenarios.conversation import Came
from codeassistd.evals.scenarios.scenario import Scenario
from codeassistd.syntax.languages import Languages

__all__ = ["Outcome", "outcome_of"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one scenario.

    Attributes:
        shown: the text that came; None if none did.
        unfit: why the document after accepting is worse; empty if it is not, or nothing came.
        miss: how this differs from what is wanted; empty if it does not.
        by_hand: whether the model's text was written by hand.
    """

    scenario: Scenario
    shown: str | None
    reason: str
    filters: tuple[str, ...]
    unfit: str
    miss: str
    by_hand: bool

    @property
    def line(self) -> str:
        """All of it in one line."""
        said = f"silent: {self.reason}" if self.shown is None else f"shown: {self.shown!r}"
        return f"MISS ({self.miss}); {said}" if self.miss else said


def outcome_of(scenario: Scenario, came: Came, languages: Languages) -> Outcome:
    """Judge what came."""
    unfit = _unfit(scenario, came, languages)
    return Outcome(
        scenario=scenario,
        shown=came.inserted,
        reason=came.reason,
        filters=came.filters,
        unfit=unfit,
        miss=_miss(scenario, came, unfit),
        by_hand=scenario.raw is not None,
    )


def _miss(scenario: Scenario, came: Came, unfit: str) -> str:
    if scenario.wants_text:
        return unfit or ("nothing came" if came.inserted is None else "")
    if came.inserted is not None:
        return "something came"
    if not any(words in came.reason for words in scenario.silent):
        return f"silent for another reason than {' or '.join(scenario.silent)!r}"
    return ""


def _unfit(scenario: Scenario, came: Came, languages: Languages) -> str:
    """What is wrong with the document after accepting; empty if nothing is."""
    if came.inserted is None:
        return ""
    if not came.is_at_cursor:
        return "the item is not an empty range at the cursor"
    before, after = came.place.before, came.place.after
    line = before.count("\n")
    n_lines = scenario.show.count("\n") + 1
    final = (before + came.inserted + after).replace("\r\n", "\n").split("\n")
    written = "\n".join(final[line : line + n_lines])
    if scenario.show and written != scenario.show:
        return f"{written!r} in place of {scenario.show!r}"
    spot = Spot(Path(scenario.file), scenario.language, Kind.MIDDLE, line + 1, before, after, _wanted(scenario, came))
    verdict = judge(spot, came.inserted, languages)
    if not verdict.parses_as_well:
        return "the document parses worse"
    return f"a doubled {verdict.doubled}" if verdict.doubled else ""


def _wanted(scenario: Scenario, came: Came) -> str:
    """What should have been put in, as far as the scenario says."""
    head = came.place.before.rpartition("\n")[2]
    tail = came.place.after.partition("\n")[0]
    return scenario.show.removeprefix(head).removesuffix(tail)
