"""Case 37: prefix reuse stops working unnoticed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeassistd.catalogue.profile import FimOrder
from codeassistd.config import ContextSettings
from codeassistd.engine.engine import Engine
from codeassistd.engine.slots import common_prefix
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.completing import Bench, cursor
from tests.support.engines import settled
from tests.support.prompts import profile

ABOVE = "".join(f"value_{n} = compute({n})\n" for n in range(20))
TYPED = "result = compute_all"
BELOW = "\nprint(result)\n"


@pytest.mark.parametrize("order", [FimOrder.PSM, FimOrder.PREFIX], ids=str)
async def test_twenty_letters_in_one_place(order: FimOrder) -> None:
    """From the second request on nothing before the first changed token is read again, and status has the share."""
    backend = FakeBackend(FakeScript(default="()"))
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    bench = Bench(profile=profile(order))
    bench.service._asking._engine = engine
    n_read = n_reused = n_prompt = 0
    before: list[int] = []
    for n_typed in range(1, len(TYPED) + 1):
        request = cursor(f"{ABOVE}{TYPED[:n_typed]}|{BELOW}")
        n_batches = len(backend.batches)
        result = await bench.service.complete(replace(request, context=ContextSettings(max_tokens=4000)))
        batches = backend.batches[n_batches:]
        prompt = [token for batch in batches for token in batch.tokens][: result.span.n_prompt - result.span.n_cached]
        first = batches[0].positions[0]
        prompt = before[:first] + prompt
        if before:
            n_alike = common_prefix(before, prompt)
            assert min(n_alike, len(prompt) - 1) == first == result.span.n_cached
            n_reused += result.span.n_cached
        n_prompt += result.span.n_prompt
        n_read += len(prompt) - first
        before = prompt
    status = engine.status()
    assert (n_prompt, n_reused) == (status.n_prompt, status.n_cached)
    assert status.n_cached / status.n_prompt > 0.85
    assert n_read == status.n_prompt - status.n_cached
    engine.stop()
    assert [] == backend.violations
