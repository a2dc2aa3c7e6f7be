"""How likely a guess is to be right: counted by its grounds over sequences alike, and corrected for the one at hand.

A draft is judged token by token, since a guess behind a right one stands on better grounds than that one did: where
text is copied, each token that came true makes a longer match. So a long draft that is believed in its beginning is
believed in its end as well, and a chance match is not.

Guesses on equal grounds come true nearly always in one kind of work and seldom in another: where code is copied, and
where single lines are written. So each kind is judged by its own guesses, and by those of the others only as far as
these are needed to begin with. Lives on the engine's thread.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from codeassistd.engine.drafter import Draft

__all__ = ["Beliefs", "Luck", "prior"]

_LONE_WRONG = 0.75
_WRONG_FALLS = 0.7
"""Guesses on the grounds of n equal tokens are believed to be wrong in 0.75 / n ** 0.7 of all cases: 46 % at 2, 28 % at
4, 13 % at 12. Of the starter's answers after source files it was 42 %, 28 % and 9 %."""

_PRIOR_WEIGHT = 3.0
"""How many judged guesses that is worth."""

_KEPT_PER_GUESS = 0.98
"""Weight of what was known before, each time that a guess is judged: about the last fifty of a kind count."""

_N_TO_BEGIN = 6.0
"""Judged guesses from which on a kind of work goes by its own; until then what others have shown fills up to that.
Without that bound single lines had to pay for what copied code had shown: behind other work they were written at 0.93
to 0.94 of the plain speed."""

_LUCK_WEIGHT = 4.0
"""How many wrong guesses of one sequence its own luck must be told by."""

_LUCK_KEPT = 0.95
"""The same as `_KEPT_PER_GUESS` for the luck of a sequence, since a text changes its kind."""

_KEPT_PER_SKIP = 0.99
"""The same, each time that a draft was there and was not tried: after some hundred of them a bad start is forgiven."""


def prior(strength: int) -> float:
    """What is believed of guesses on such grounds before any was judged."""
    return 1.0 - _LONE_WRONG / float(max(strength, 1) ** _WRONG_FALLS)


@dataclass(slots=True)
class Luck:
    """Whether the guesses for one sequence are wrong more often than others on the same grounds, or less.

    Attributes:
        work: what kind of work the sequence is; those of one kind learn from each other.
    """

    work: Hashable = None
    n_wrong: float = 0.0
    n_expected: float = 0.0

    @property
    def factor(self) -> float:
        """How many times as often they are wrong."""
        return (self.n_wrong + _LUCK_WEIGHT) / (self.n_expected + _LUCK_WEIGHT)

    def see(self, rate: float, *, is_right: bool) -> None:
        """Count a guess that was believed to be right with that chance."""
        self.n_wrong = _LUCK_KEPT * self.n_wrong + (not is_right)
        self.n_expected = _LUCK_KEPT * self.n_expected + 1.0 - rate

    def fade(self) -> None:
        """A draft was there and was not tried: trust what was seen a little less."""
        self.n_wrong *= _KEPT_PER_SKIP
        self.n_expected *= _KEPT_PER_SKIP


@dataclass(slots=True)
class _Count:
    """What was seen of guesses."""

    n_right: float = 0.0
    n_wrong: float = 0.0

    @property
    def n_seen(self) -> float:
        return self.n_right + self.n_wrong

    def see(self, *, is_right: bool) -> None:
        self.scale(_KEPT_PER_GUESS)
        if is_right:
            self.n_right += 1.0
        else:
            self.n_wrong += 1.0

    def scale(self, factor: float) -> None:
        self.n_right *= factor
        self.n_wrong *= factor


class Beliefs:
    """What is known of guesses, over all sequences, so that a new one begins with what the others have shown."""

    def __init__(self) -> None:
        # By drafter and strength, then by the kind of work.
        self._counts: dict[tuple[str, int], dict[Hashable, _Count]] = {}

    def rates(self, draft: Draft, luck: Luck) -> tuple[float, ...]:
        """For each guess of a draft the chance that it is right, where all before it were."""
        factor = luck.factor
        usual = [self._rate(draft, place, luck.work) for place in range(draft.n_tokens)]
        return tuple(max(0.0, 1.0 - factor * (1.0 - rate)) for rate in usual)

    def judge(self, draft: Draft, luck: Luck, n_drafted: int, n_accepted: int) -> None:
        """Learn from a draft of which `n_drafted` tokens were read; behind a wrong one nothing is known of the rest."""
        for place in range(min(n_accepted + 1, n_drafted)):
            is_right = place < n_accepted
            luck.see(self._rate(draft, place, luck.work), is_right=is_right)
            self._count(draft, place, luck.work).see(is_right=is_right)

    def fade(self, draft: Draft, luck: Luck) -> None:
        """A draft was there and was not tried."""
        luck.fade()
        self._count(draft, 0, luck.work).scale(_KEPT_PER_SKIP)

    def _rate(self, draft: Draft, place: int, work: Hashable) -> float:
        strength = draft.strength_at(place)
        counts = self._counts.get((draft.drafter, strength), {})
        own = counts.get(work, _Count())
        others = [count for other, count in counts.items() if other != work]
        n_others = sum(count.n_seen for count in others)
        weight = min(1.0, max(0.0, _N_TO_BEGIN - own.n_seen) / n_others) if n_others else 0.0
        n_right = own.n_right + weight * sum(count.n_right for count in others) + _PRIOR_WEIGHT * prior(strength)
        return n_right / (own.n_seen + weight * n_others + _PRIOR_WEIGHT)

    def _count(self, draft: Draft, place: int, work: Hashable) -> _Count:
        return self._counts.setdefault((draft.drafter, draft.strength_at(place)), {}).setdefault(work, _Count())
