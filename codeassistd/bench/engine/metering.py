"""What measuring costs: the metrics may take no more than a hundredth of a step."""

from __future__ import annotations

from codeassistd.bench.engine.measured import Effort, Measured
from codeassistd.bench.engine.rig import Rig
from codeassistd.metrics.registry import Registry
from codeassistd.metrics.spans import Outcome, Source, Span, SpanLog
from codeassistd.metrics.work import WorkCount

__all__ = ["metrics_cost_share"]

_N_PROMPT = 128
_N_OUTPUT = 32
_N_STEPS = 20_000
_N_REQUESTS = 2_000
#: Steps after which the engine shows what it has counted.
_SHOWN_EVERY = 32
_US = 1e6


async def metrics_cost_share(rig: Rig, effort: Effort) -> Measured:
    """The share of a step that writes one token, if each request were answered by one such step alone."""
    del effort
    per_s = (await rig.generate(rig.corpus.take(_N_PROMPT), _N_OUTPUT)).tokens_per_s
    step_us = _US * rig.timed_s(_count_steps) / _N_STEPS
    request_us = _US * rig.timed_s(_count_requests) / _N_REQUESTS
    share = None if per_s is None else (step_us + request_us) / _US * per_s
    return Measured({"metrics_cost_share": share, "metrics_us_per_step": step_us, "metrics_us_per_request": request_us})


def _count_steps() -> None:
    count = WorkCount()
    for number in range(_N_STEPS):
        count.step(1, 0, 512.0, 0.0, 0.01)
        if number % _SHOWN_EVERY == 0:
            count.shown()


def _count_requests() -> None:
    log = SpanLog(listener=Registry())
    for number in range(_N_REQUESTS):
        span = Span(str(number), "automatic", "python", Outcome.SHOWN, source=Source.ENGINE, is_measured=False)
        span.total_ms, span.ttft_ms, span.tpot_ms = 40.0, 20.0, 10.0
        log.add(span)
        log.measured(span)
