"""The engine on the scripted backend: what goes in comes out, once, and the figures tell the truth."""

from __future__ import annotations

import asyncio
import gc

import pytest

from codeassistd.engine.engine import Engine
from codeassistd.engine.request import EngineState, FinishReason, Priority
from codeassistd.errors import EngineError, NotReadyError, PromptTooLongError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.engines import answer_of, request, running, settled, wait_until


async def test_an_answer_streams_to_its_end() -> None:
    """Text, ids, probabilities and one ending with the figures of the generation."""
    backend = FakeBackend(FakeScript((Rule.after("x = ", "41 + 1"),)))
    async with running(backend) as engine:
        generation = engine.submit(request("x = "))
        tokens = [token async for token in generation]
        assert "41 + 1" == "".join(token.text for token in tokens)
        assert {10.0} == {token.margin for token in tokens}
        ending = generation.ending
        assert ending is not None
        assert (FinishReason.STOP, 4, 0, 6, "") == (
            ending.reason,
            ending.n_prompt,
            ending.n_cached,
            ending.n_output,
            ending.error,
        )


async def test_the_ending_is_there_only_after_the_last_token() -> None:
    """Who looks in the middle of the iteration sees None; iterating again after the end gives nothing."""
    async with running(FakeBackend(FakeScript(default="ab"))) as engine:
        generation = engine.submit(request("x"))
        async for _token in generation:
            assert generation.ending is None
        assert generation.ending is not None
        assert [] == [token async for token in generation]


@pytest.mark.parametrize("marker", ["<eos>", "<pad>", "<fim_prefix>", "<file_sep>", "<repo_name>", "<fim_middle>"])
async def test_every_control_token_ends_the_answer(marker: str) -> None:
    """Nothing after the first control token is generated, and it is no part of the output."""
    backend = FakeBackend(FakeScript(default=f"x = 1{marker}{'y' * 50}"))
    async with running(backend) as engine:
        answer = await answer_of(engine.submit(request("q")))
        assert ("x = 1", FinishReason.STOP, 5) == (answer.text, answer.reason, answer.ending.n_output)
        assert 6 == len(backend.batches)


async def test_stop_ids_end_the_answer() -> None:
    """A token that the request names ends it like the model's own end."""
    async with running(FakeBackend(FakeScript(default="return 1\nreturn 2"))) as engine:
        answer = await answer_of(engine.submit(request("q", stop="\n")))
        assert ("return 1", FinishReason.STOP) == (answer.text, answer.reason)


@pytest.mark.parametrize(("max_tokens", "expected"), [(0, ""), (1, "a"), (3, "abc")])
async def test_max_tokens_limits_the_output(max_tokens: int, expected: str) -> None:
    """The answer is cut after that many tokens; 0 only reads the prompt into the cache."""
    async with running(FakeBackend(FakeScript(default="abcdef"))) as engine:
        answer = await answer_of(engine.submit(request("prompt", max_tokens=max_tokens)))
        assert (expected, FinishReason.LENGTH) == (answer.text, answer.reason)
        again = await answer_of(engine.submit(request("prompt")))
        assert ("abcdef", 5, "slot") == (again.text, again.ending.n_cached, again.ending.cached_from)


async def test_a_temperature_is_repeatable_by_its_seed() -> None:
    """The same seed draws the same tokens."""
    async with running(FakeBackend(FakeScript(default="abcdef"))) as engine:
        first, second = [await answer_of(engine.submit(request("q", temperature=1.0, seed=3))) for _ in range(2)]
        assert (first.ids, first.reason) == (second.ids, second.reason)


async def test_what_was_read_is_not_read_again() -> None:
    """Typing on reads one new token per key; the figure says how many were found."""
    backend = FakeBackend(FakeScript(default="z"))
    async with running(backend) as engine:
        cached = [
            (await answer_of(engine.submit(request("def f():\n" + "x" * typed)))).ending.n_cached for typed in range(5)
        ]
        assert [0, 9, 10, 11, 12] == cached
        status = engine.status()
        assert (9 + 10 + 11 + 12 + 13, 9 + 10 + 11 + 12) == (status.n_prompt, status.n_cached)


async def test_many_answers_at_once_are_the_same_as_alone() -> None:
    """Forty requests of five clients over four slots: each gets its own answer, whole."""
    rules = tuple(Rule.after(f"ask{number:02}", f"answer {number} " * 3) for number in range(40))
    async with running(FakeBackend(FakeScript(rules), n_batch=64)) as engine:
        generations = [engine.submit(request(f"ask{number:02}", client=f"c{number % 5}")) for number in range(40)]
        answers = await asyncio.gather(*map(answer_of, generations))
        assert [f"answer {number} " * 3 for number in range(40)] == [answer.text for answer in answers]
        assert (40, 0, 0) == (engine.status().n_finished, engine.status().n_running, engine.status().n_waiting)


async def test_running_sequences_share_their_steps() -> None:
    """Four streams of one length take as many steps as one, not four times as many."""
    backend = FakeBackend(FakeScript(default="abcdefghijklmnopqrst"))
    async with running(backend) as engine:
        backend.step_gate.clear()
        generations = [engine.submit(request("p", client=str(number))) for number in range(4)]
        wait_until(backend.stepping.is_set, "the first step")
        backend.step_gate.set()
        await asyncio.gather(*map(answer_of, generations))
        assert len(backend.batches) <= 24
        assert 4 == max(map(len, backend.batches))


async def test_a_key_press_overtakes_background_work() -> None:
    """It takes a slot from background work and is done long before it; that loses nothing by it."""
    backend = FakeBackend(FakeScript((Rule.after("key", "press"),), default="b" * 60), n_slots=1)
    async with running(backend) as engine:
        order = []

        async def ask(prompt: str, priority: Priority) -> None:
            answer = await answer_of(engine.submit(request(prompt, priority=priority, client=prompt)))
            order.append(answer.text)

        background = asyncio.create_task(ask("x" * 300, Priority.BACKGROUND))
        await asyncio.sleep(0)
        wait_until(lambda: bool(backend.batches), "the first step of the background work")
        await ask("key", Priority.COMPLETION)
        await background
        assert ["press", "b" * 60] == order


async def test_times_are_told_by_the_clock() -> None:
    """Queue, prefill, first token and total are measured where they happen; nothing passes on a clock that stands."""
    backend = FakeBackend(FakeScript(default="ab"))
    clock = FakeClock()
    engine = Engine(backend.load, clock)
    engine.start()
    settled(engine)
    backend.step_gate.clear()
    generation = engine.submit(request("x"))
    wait_until(backend.stepping.is_set, "the first step")
    await clock.advance(0.25)
    backend.step_gate.set()
    ending = (await answer_of(generation)).ending
    engine.stop()
    assert (0.0, 250.0, 250.0, 250.0) == (ending.queue_ms, ending.prefill_ms, ending.ttft_ms, ending.total_ms)


async def test_requests_that_make_no_sense_are_refused_at_once() -> None:
    """Each has a typed error with one line, before anything reaches the backend."""
    backend = FakeBackend(n_ctx=32)
    async with running(backend) as engine:
        with pytest.raises(EngineError, match="empty"):
            engine.submit(request(""))
        with pytest.raises(PromptTooLongError, match="32 tokens, but the context leaves room for 31"):
            engine.submit(request("x" * 32))
        with pytest.raises(EngineError, match="token ids"):
            engine.submit(request((1, backend.vocabulary.n_vocab)))
        with pytest.raises(EngineError, match="token ids"):
            engine.submit(request((-1,)))
        with pytest.raises(EngineError, match="negative"):
            engine.submit(request("x", max_tokens=-1))
        assert [] == backend.batches


def test_the_state_says_what_is_missing() -> None:
    """Without a model there is neither vocabulary nor info, and a request says what to do."""

    async def ask(engine: Engine) -> str:
        with pytest.raises(NotReadyError) as caught:
            engine.submit(request("x"))
        return str(caught.value)

    engine = Engine(None)
    engine.start()
    assert EngineState.EMPTY == engine.status().state
    assert (None, None) == (engine.vocabulary, engine.info)
    assert "no model is set; see `codeassistd model list`" == asyncio.run(ask(engine))
    engine.stop()
    assert "the engine is stopped" == asyncio.run(ask(engine))


async def test_an_abandoned_stream_does_no_harm() -> None:
    """A caller that drops its generation unread leaves nothing behind, and the next one is served."""
    async with running(FakeBackend(FakeScript(default="a"))) as engine:
        engine.submit(request("x"))
        gc.collect()
        assert "a" == (await answer_of(engine.submit(request("y")))).text


def test_a_closed_loop_ends_its_generations() -> None:
    """If a caller's loop is gone, the engine stops working for it."""
    backend = FakeBackend(FakeScript(default="a" * 4000))

    async def ask(engine: Engine) -> None:
        engine.submit(request("x", max_tokens=4000))

    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    backend.step_gate.clear()
    asyncio.run(ask(engine))
    backend.step_gate.set()
    wait_until(lambda: engine.status().n_aborted == 1, "the end of the work for a closed loop")
    engine.stop()
    assert len(backend.batches) < 4000
