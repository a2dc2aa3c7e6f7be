"""Every optimisation with every other: speed and quality side by side, so that none is judged where it shines alone.

Speed is typing, quality how likely the model finds what really stands there. What cannot change a text (guesses ahead,
caches) has the quality of the settings that can.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from codeassistd.config import Settings
from codeassistd.daemon.tuned import TypingSpeed
from codeassistd.errors import CodeassistdError
from codeassistd.evals.paired import Paired, paired

__all__ = ["AXES", "TEXT_AXES", "Cell", "Choice", "Gauge", "combinations", "run_matrix"]

Choice = Mapping[str, str]
"""A level of each axis, by the axis."""

Axes = Mapping[str, Mapping[str, Mapping[str, str]]]

#: By axis the levels, and by level the settings; the first level of each is the one that loses nothing.
AXES: Axes = MappingProxyType(
    {
        "kv": {"f16": {"model.kv_type_k": "f16"}, "q8_0": {"model.kv_type_k": "q8_0"}},
        "pruning": {
            "whole": {"context.max_tokens": "2048", "context.cold_ms": "60000"},
            "pruned": {"context.max_tokens": "512"},
        },
        "draft": {"none": {"model.max_draft": "0"}, "lookup": {"model.max_draft": "16"}},
        "cache": {
            "off": {"model.cache_mb": "0", "completion.semantic_cache_mb": "0", "completion.follow_up": "off"},
            "on": {"model.cache_mb": "256", "completion.semantic_cache_mb": "16", "completion.follow_up": "on"},
        },
    }
)
#: Those that may change what is suggested.
TEXT_AXES = frozenset({"kv", "pruning"})


class Gauge(Protocol):
    """What is measured with some settings; blocks, and raises CodeassistdError where they cannot be had."""

    def typing(self, settings: Settings) -> TypingSpeed:
        """How fast keys are answered."""

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        """How unlikely the true continuations are at set places, in nats a token."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination.

    Attributes:
        p50_ms, p90_ms: typing, the median over the rounds; None where it could not be measured.
        quality: nats a token against the first combination, place by place: above 0 it knows less. None likewise.
        problem: why nothing was measured.
    """

    choice: Choice
    p50_ms: float | None = None
    p90_ms: float | None = None
    quality: Paired | None = None
    problem: str = ""


def combinations(axes: Axes = AXES) -> tuple[Choice, ...]:
    """Every level with every other, the first one of each axis first."""
    return tuple(dict(zip(axes, levels, strict=True)) for levels in itertools.product(*axes.values()))


def run_matrix(
    gauge: Gauge,
    settings_with: Callable[[Mapping[str, str]], Settings],
    n_rounds: int,
    tell: Callable[[str], None],
    axes: Axes = AXES,
) -> tuple[Cell, ...]:
    """Measure all combinations.

    Args:
        gauge: measures.
        settings_with: the user's settings with others on top, as texts by dotted key.
        n_rounds: how often each is typed; every other round goes backwards, so that a machine that gets slower does not
            harm the last ones alone.
        tell: told of each thing that begins.
        axes: what is combined.
    """
    choices = combinations(axes)
    problems: dict[int, str] = {}
    qualities = _qualities(gauge, settings_with, choices, tell, axes)
    speeds: dict[int, list[TypingSpeed]] = {place: [] for place in range(len(choices))}
    for number in range(n_rounds):
        order = range(len(choices)) if number % 2 == 0 else reversed(range(len(choices)))
        for place in order:
            if place in problems:
                continue
            tell(f"typing with {_words(choices[place])}")
            try:
                speeds[place].append(gauge.typing(settings_with(_values(choices[place], axes))))
            except CodeassistdError as error:
                problems[place] = str(error)
    return tuple(
        Cell(
            choice,
            statistics.median(speed.p50_ms for speed in speeds[place]) if speeds[place] else None,
            statistics.median(speed.p90_ms for speed in speeds[place]) if speeds[place] else None,
            qualities.get(_text_of(choice)),
            problems.get(place, ""),
        )
        for place, choice in enumerate(choices)
    )


def _qualities(
    gauge: Gauge,
    settings_with: Callable[[Mapping[str, str]], Settings],
    choices: Sequence[Choice],
    tell: Callable[[str], None],
    axes: Axes,
) -> dict[tuple[str, ...], Paired]:
    """What each combination that can change a text costs against the first."""
    found: dict[tuple[str, ...], Paired] = {}
    first: Sequence[float] | None = None
    for choice in _distinct(choices):
        tell(f"quality with {_words(choice)}")
        try:
            judged = gauge.truth_nll(settings_with(_values(choice, axes)))
        except CodeassistdError:
            # The typing with these settings says why.
            continue
        first = judged if first is None else first
        found[_text_of(choice)] = paired(first, judged)
    return found


def _distinct(choices: Sequence[Choice]) -> Iterator[Choice]:
    seen = set()
    for choice in choices:
        if _text_of(choice) not in seen:
            seen.add(_text_of(choice))
            yield choice


def _text_of(choice: Choice) -> tuple[str, ...]:
    """What of a combination may change a text."""
    return tuple(level for axis, level in choice.items() if axis in TEXT_AXES)


def _values(choice: Choice, axes: Axes) -> dict[str, str]:
    return {key: value for axis, level in choice.items() for key, value in axes[axis][level].items()}


def _words(choice: Choice) -> str:
    return ", ".join(f"{axis} {level}" for axis, level in choice.items())
