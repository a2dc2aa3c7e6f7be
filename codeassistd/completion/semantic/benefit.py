"""What proposals have gained and cost, by the engine's own figures: they end by themselves where they do not pay.

Pure. A proposal that comes true spares a step for each of its tokens; one that does not was read for nothing, at the
speed of a prompt. What counts is the mean of both over the last ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Benefit", "Speeds"]

#: So many proposals are made before anything is concluded, and as many count afterwards.
_N_TRIED = 8
_N_REMEMBERED = 32
#: While they do not pay, one in so many is made all the same: the model, the user or the machine may have changed.
_TRY_EVERY = 16


@dataclass(frozen=True, slots=True)
class Speeds:
    """What the engine takes for a token, in milliseconds; 0 while it has not measured that.

    Attributes:
        write_ms: for one that it writes.
        read_ms: for one more that it reads in the same step.
    """

    write_ms: float
    read_ms: float

    @property
    def are_known(self) -> bool:
        """Whether the engine has measured both."""
        return self.write_ms > 0.0 and self.read_ms > 0.0

    def gain_ms(self, n_proposed: int, n_confirmed: int) -> float:
        """What a proposal has spared; below 0 where it has cost more."""
        return n_confirmed * self.write_ms - n_proposed * self.read_ms


@dataclass(frozen=True, slots=True)
class Benefit:
    """The balance so far.

    Attributes:
        mean_ms: what a proposal gains.
        n_judged: proposals that it is made of.
        n_withheld: proposals that were not made since the last one that was.
    """

    mean_ms: float = 0.0
    n_judged: int = 0
    n_withheld: int = 0

    @property
    def pays(self) -> bool:
        """Whether proposals are worth it, as far as is known."""
        return self.n_judged < _N_TRIED or self.mean_ms >= 0.0

    @property
    def is_due(self) -> bool:
        """Whether to make the next one."""
        return self.pays or self.n_withheld >= _TRY_EVERY - 1

    def withheld(self) -> Benefit:
        """One was not made."""
        return replace(self, n_withheld=self.n_withheld + 1)

    def judged(self, gain_ms: float) -> Benefit:
        """One was made, and has gained so much."""
        n_judged = self.n_judged + 1
        share = 1 / min(n_judged, _N_REMEMBERED)
        return Benefit(self.mean_ms + share * (gain_ms - self.mean_ms), n_judged)
