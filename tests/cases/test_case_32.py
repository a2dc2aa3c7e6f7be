"""Case 32: nothing that overflows takes the engine down."""

from __future__ import annotations

import asyncio
import random

import pytest

from codeassistd.engine.request import FinishReason, Priority
from codeassistd.errors import DecodeError, PromptTooLongError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, running


async def test_a_prompt_over_the_context_is_a_typed_error() -> None:
    """Context + 1 tokens: refused before it starts, with both numbers; the next request is fine."""
    async with running(FakeBackend(FakeScript(default="ok"), n_ctx=100)) as engine:
        with pytest.raises(PromptTooLongError) as caught:
            engine.submit(request("x" * 101))
        assert (101, 99) == (caught.value.n_prompt, caught.value.n_max)
        assert "ok" == (await answer_of(engine.submit(request("x")))).text


async def test_a_prompt_over_the_batch_is_read_in_pieces() -> None:
    """A prompt of 250 tokens with batches of 100 takes three of them, and is answered as a whole."""
    backend = FakeBackend(FakeScript(default="ok"), n_batch=100)
    async with running(backend) as engine:
        assert "ok" == (await answer_of(engine.submit(request("x" * 250)))).text
        assert [100, 100, 50, 1, 1] == [len(batch) for batch in backend.batches]


@pytest.mark.parametrize("n_prompt", [1, 50, 98, 99])
async def test_output_that_reaches_the_context_end_is_cut(n_prompt: int) -> None:
    """It ends with `length` at the last place; nothing is shifted out, and the next request is fine."""
    async with running(FakeBackend(FakeScript(default="a" * 200), n_ctx=100)) as engine:
        answer = await answer_of(engine.submit(request("x" * n_prompt, max_tokens=200)))
        assert (FinishReason.LENGTH, 100 - n_prompt) == (answer.reason, answer.ending.n_output)
        assert "aaa" == (await answer_of(engine.submit(request("y", max_tokens=3)))).text


async def test_a_decode_failure_costs_one_request() -> None:
    """After one injected failure the cache is cleared, and the next request reads everything anew and is fine."""
    backend = FakeBackend(FakeScript(default="ok"))
    async with running(backend) as engine:
        await answer_of(engine.submit(request("x" * 20)))
        backend.fail_step(DecodeError("injected"))
        failed = await answer_of(engine.submit(request("x" * 20)))
        assert (FinishReason.ERROR, "injected", 19) == (failed.reason, failed.ending.error, failed.ending.n_cached)
        again = await answer_of(engine.submit(request("x" * 20)))
        assert ("ok", 0, 1) == (again.text, again.ending.n_cached, backend.n_cleared)


async def test_five_hundred_mixed_requests_without_a_failure() -> None:
    """All lengths up to the last place, clients, priorities and some cancels: none fails, nothing is left over."""
    rng = random.Random(32)
    backend = FakeBackend(FakeScript(default="some words of an answer"), n_ctx=200, n_batch=64)
    async with running(backend) as engine:

        async def one() -> FinishReason:
            prompt = rng.choice(["import os\n", "class A:\n", ""]) + "x" * rng.choice([1, 5, 60, 150, 189])
            generation = engine.submit(
                request(
                    prompt,
                    client=rng.choice("abcde"),
                    priority=rng.choice(list(Priority)),
                    max_tokens=rng.choice([0, 1, 20, 64]),
                )
            )
            if rng.random() < 0.2:
                generation.cancel()
            return (await answer_of(generation)).reason

        reasons: list[FinishReason] = []
        for _ in range(25):
            reasons += await asyncio.gather(*(one() for _ in range(20)))
        assert 500 == len(reasons)
        assert {FinishReason.STOP, FinishReason.LENGTH, FinishReason.ABORTED} == set(reasons)
        status = engine.status()
        assert (0, 0, 0) == (status.n_failed, status.n_running, status.n_waiting)
