"""What a copy has lost, from traces that are made up."""

from __future__ import annotations

import pytest

from codeassistd.evals.long.probe import Kind, Probe
from codeassistd.evals.long.trace import Trace
from codeassistd.tuning.regression import summed_up


def probe(kind: Kind) -> Probe:
    return Probe(kind, "p", "x = [", "\n]", is_settled=True)


def trace(best: tuple[int, ...], said: str, nll: float = 1.0) -> Trace:
    return Trace(best, (1.0,) * len(best), (nll,) * len(best), best, said)


def test_the_copy_stands_beside_its_source_by_kind() -> None:
    """Of two kinds the copy is as good in one, and loses half of its choices and the bracket in the other."""
    probes = [probe(Kind.BRACKETS), probe(Kind.STRINGS)]
    reference = [trace((1, 2, 3, 4), "\n]"), trace((1, 2), "\n]")]
    other = [trace((1, 2, 9, 9), "\n)", nll=1.5), trace((1, 2), "\n]")]
    found = summed_up(probes, reference, other)
    brackets, strings = found.by_kind["deep brackets"], found.by_kind["string concatenation"]
    assert (0.5, 1.0) == (brackets["agreement_share"], strings["agreement_share"])
    assert (0.0, 1.0) == (brackets["compile_rate"], found.source["deep brackets"]["compile_rate"])
    assert pytest.approx(0.5) == brackets["nll_change"]
    assert (2, pytest.approx(4 / 6)) == (found.all["n_probes"], found.all["agreement_share"])
    assert ["deep brackets", "string concatenation"] == list(found.by_kind)
