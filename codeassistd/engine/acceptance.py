"""How likely a guess is to be right: counted by its grounds over all sequences, and corrected for the sequence at hand.

A draft is judged token by token, since a guess behind a right one stands on better grounds than that one did: where
text is copied, each token that came true makes a longer match. So a long draft that is believed in its beginning is
believed in its end as well, and a chance match is not. Lives on the engine's thread.
"""

from __future__ import annotations

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
    """Whether the guesses for one sequence are wrong more often than others on the same grounds, or less."""

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
class _Kind:
    """What was seen of the guesses of one drafter on equal grounds."""

    n_right: float = 0.0
    n_wrong: float = 0.0

    def rate(self, believed: float) -> float:
        return (self.n_right + _PRIOR_WEIGHT * believed) / (self.n_right + self.n_wrong + _PRIOR_WEIGHT)

    def scale(self, factor: float) -> None:
        self.n_right *= factor
        self.n_wrong *= factor


class Beliefs:
    """What is known of guesses, over all sequences, so that a new one begins with what the others have shown."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, int], _Kind] = {}

    def rates(self, draft: Draft, luck: Luck) -> tuple[float, ...]:
        """For each guess of a draft the chance that it is right, where all before it were."""
        factor = luck.factor
        common = [self._rate(draft, place) for place in range(draft.n_tokens)]
        return tuple(max(0.0, 1.0 - factor * (1.0 - rate)) for rate in common)

    def judge(self, draft: Draft, luck: Luck, n_drafted: int, n_accepted: int) -> None:
        """Learn from a draft of which `n_drafted` tokens were read; behind a wrong one nothing is known of the rest."""
        for place in range(min(n_accepted + 1, n_drafted)):
            is_right = place < n_accepted
            luck.see(self._rate(draft, place), is_right=is_right)
            kind = self._kind(draft, place)
            kind.scale(_KEPT_PER_GUESS)
            if is_right:
                kind.n_right += 1.0
            else:
                kind.n_wrong += 1.0

    def fade(self, draft: Draft, luck: Luck) -> None:
        """A draft was there and was not tried."""
        luck.fade()
        self._kind(draft, 0).scale(_KEPT_PER_SKIP)

    def _rate(self, draft: Draft, place: int) -> float:
        return self._kind(draft, place).rate(prior(draft.strength_at(place)))

    def _kind(self, draft: Draft, place: int) -> _Kind:
        return self._kinds.setdefault((draft.drafter, draft.strength_at(place)), _Kind())
