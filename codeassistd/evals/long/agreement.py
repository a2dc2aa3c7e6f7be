"""How far two models agree on the same texts, and how good each of them is. Pure."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from codeassistd.evals.long.probe import Probe
from codeassistd.evals.long.sound import completes, goes_on_well
from codeassistd.evals.long.trace import Trace
from codeassistd.metrics.stats import share

__all__ = ["CLEAR_GAP", "Agreement", "agreement", "figures"]

CLEAR_GAP = 0.5
"""Logits between the two best from which a choice is clear: nearer ones turn by rounding alone."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """One model's trace beside the reference's, of one text.

    Attributes:
        n_tokens, n_same: judged tokens, and those where both choose alike.
        n_clear, n_clear_same: of them, those where the reference's choice is clear.
        n_written, n_written_same: tokens that the reference wrote, and those up to the first that the other one chose
            otherwise.
        nll, nll_change: of the text's tokens by the other model, in nats a token, and how much more than by the
            reference.
        is_sound: whether what the other wrote can stand there, by Python's own parser.
        is_right: whether it means what the text has; None where that is open.
    """

    n_tokens: int
    n_same: int
    n_clear: int
    n_clear_same: int
    n_written: int
    n_written_same: int
    nll: float
    nll_change: float
    is_sound: bool
    is_right: bool | None


def agreement(probe: Probe, reference: Trace, other: Trace) -> Agreement:
    """Compare what two models of one vocabulary made of a text.

    Raises:
        ValueError: the two are of different texts.
    """
    same = [one == two for one, two in zip(reference.best, other.best, strict=True)]
    clear = [alike for alike, gap in zip(same, reference.gaps, strict=True) if gap >= CLEAR_GAP]
    n_written_same = 0
    for one, two in zip(reference.written, other.written, strict=False):
        if one != two:
            break
        n_written_same += 1
    return Agreement(
        n_tokens=len(same),
        n_same=sum(same),
        n_clear=len(clear),
        n_clear_same=sum(clear),
        n_written=len(reference.written),
        n_written_same=n_written_same,
        nll=statistics.fmean(other.nll),
        nll_change=statistics.fmean(other.nll) - statistics.fmean(reference.nll),
        is_sound=goes_on_well(probe, other.said),
        is_right=completes(probe, other.said) if probe.is_settled else None,
    )


def figures(agreements: Sequence[Agreement]) -> dict[str, float | int | None]:
    """The figures over several texts; a share of nothing is None.

    `agreement_share` is of all tokens, `clear_agreement_share` of those where the reference is clear, and
    `written_agreement_share` of those written freely. `perplexity` counts every token alike; `nll_change` every text.
    """
    right = [one.is_right for one in agreements if one.is_right is not None]
    n_tokens = sum(one.n_tokens for one in agreements)
    nats = share(sum(one.nll * one.n_tokens for one in agreements), n_tokens)
    return {
        "n_probes": len(agreements),
        "n_tokens": n_tokens,
        "agreement_share": share(sum(one.n_same for one in agreements), n_tokens),
        "clear_agreement_share": share(
            sum(one.n_clear_same for one in agreements), sum(one.n_clear for one in agreements)
        ),
        "written_agreement_share": share(
            sum(one.n_written_same for one in agreements), sum(one.n_written for one in agreements)
        ),
        "perplexity": None if nats is None else math.exp(nats),
        "nll_change": statistics.fmean(one.nll_change for one in agreements) if agreements else None,
        "compile_rate": share(sum(one.is_sound for one in agreements), len(agreements)),
        "pass_rate": share(sum(right), len(right)),
    }
