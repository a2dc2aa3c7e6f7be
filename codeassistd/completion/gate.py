"""Whether a suggestion is sure enough to be shown, judged by what the model itself thought of it.

Pure. The score is between 0 and 1: how likely the text is what comes next. One dial, `completion.eagerness`, says how
much of that is asked for. Who asks by hand gets what there is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from codeassistd.completion.evidence import Evidence, at_best, weigh
from codeassistd.completion.place import Place
from codeassistd.completion.policy import Silence
from codeassistd.completion.types import Trigger
from codeassistd.completion.weights import CONSTANTS, Weights
from codeassistd.config import CompletionSettings
from codeassistd.engine.request import Token
from codeassistd.metrics.spans import Outcome

__all__ = ["THRESHOLDS", "Judgement", "judge", "judge_begun"]

#: The least score that is shown, by the dial. Chosen on the texts that the weights were fitted to; on other files
#: `high` shows 45 % of all texts, among them 98 % of the right ones; `medium` 26 %, every second one right, and 90 % of
#: the right ones; `low` 15 %, of which 7 in 10 are right.
THRESHOLDS: Mapping[str, float] = MappingProxyType({"low": 0.4, "medium": 0.15, "high": 0.05, "always": 0.0})


_FENCE = "```"
#: Numbers of one digit count things; longer ones are agreed on somewhere.
_NUMBER = re.compile(r"[-+]?(?P<digits>\d[\d_.]+)[;,]?")


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the gate says.

    Attributes:
        score: from 0 to 1; how likely the text is what comes next.
        evidence: what it was made of.
        threshold: the least score that is shown; 0 to who asks by hand.
        silence: why it is kept back; None where it may be shown.
    """

    score: float
    evidence: Evidence
    threshold: float = 0.0
    silence: Silence | None = None


def judge(
    tokens: Sequence[Token],
    shown: str,
    place: Place,
    settings: CompletionSettings,
    trigger: Trigger = Trigger.AUTOMATIC,
    *,
    weights: Weights = CONSTANTS,
) -> Judgement:
    """Judge the text that would be shown.

    Args:
        tokens: of the whole raw answer, from its first one on; those that made `shown` are found by their letters, so
            that what was typed along or cut off does not count.
        shown: the text to insert, as it came out of the pipeline.
        place: where it goes to.
        settings: has the dial.
        trigger: who asks by hand gets what there is.
        weights: what each piece of evidence counts.
    """
    evidence = weigh(tokens, shown, place)
    score = weights.score(evidence)
    asked = _asked(settings, trigger)
    is_guessed = asked > 0 and _is_guessed_number(shown, place)
    if is_guessed:
        asked = THRESHOLDS["low"]
    if score >= asked:
        return Judgement(score, evidence, asked)
    of_what = " of a number that stands nowhere in sight" if is_guessed else ""
    reason = (
        f"not sure enough: {score:.2f}, and {asked:.2f} is asked for{of_what} "
        f"(completion.eagerness is {settings.eagerness})"
    )
    return Judgement(score, evidence, asked, Silence(Outcome.SILENT, reason))


def judge_begun(
    tokens: Sequence[Token],
    begun: str,
    place: Place,
    settings: CompletionSettings,
    trigger: Trigger = Trigger.AUTOMATIC,
    *,
    max_lines: int,
    weights: Weights = CONSTANTS,
) -> Judgement:
    """Judge an answer of which only the beginning is there, by the best that can come of it; arguments as of `judge`.

    It is kept back where nothing that may follow would have it shown: then the rest need not be written.
    """
    bests = at_best(tokens, begun, place, max_lines)
    asked = _asked(settings, trigger)
    # Most are sure enough by the first of them, and this is asked for each token.
    scores = list(_until(asked, map(weights.score, bests)))
    score, evidence = max(scores), bests[0]
    # What fences and blanks come before is told only by what follows them.
    if score >= asked or not begun.strip() or _FENCE in begun:
        return Judgement(score, evidence, asked)
    # Rounded down, since what is just short of the least score must not read like it.
    reason = (
        f"not sure enough from the start: {math.floor(100 * score) / 100:.2f} at most, and {asked:.2f} is asked for "
        f"(completion.eagerness is {settings.eagerness})"
    )
    return Judgement(score, evidence, asked, Silence(Outcome.SILENT, reason))


def _until(enough: float, scores: Iterable[float]) -> Iterator[float]:
    """The scores up to the first that is enough."""
    for score in scores:
        yield score
        if score >= enough:
            return


def _asked(settings: CompletionSettings, trigger: Trigger) -> float:
    """The least score that is shown: nothing is asked of what a user wants to see."""
    return 0.0 if trigger is Trigger.INVOKED else THRESHOLDS[settings.eagerness]


def _is_guessed_number(shown: str, place: Place) -> bool:
    """Whether the text is but a number that stands nowhere in sight: only the model's certainty speaks for it."""
    number = _NUMBER.fullmatch(shown.strip())
    if number is None or place.head[-1:].isdigit():
        return False
    lines = (place.head, place.tail, *place.above, *place.below)
    return not any(re.search(rf"(?<![\d.]){re.escape(number['digits'])}(?![\d.])", line) for line in lines)
