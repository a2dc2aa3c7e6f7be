"""Case 39, in the engine: many threads and many clients at once, one thread in the backend."""

from __future__ import annotations

import asyncio
import threading

from codeassistd.engine.engine import Engine
from codeassistd.engine.request import FinishReason
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.engines import Answer, answer_of, request, running, settled
from tests.support.waiting import SAFETY_S


def test_eight_threads_with_twenty_requests_each() -> None:
    """Every thread on a loop of its own: all are answered right, and the backend saw one thread only."""
    rules = tuple(Rule.after(f"thread {number} ", f"for {number}") for number in range(8))
    backend = FakeBackend(FakeScript(rules))
    engine = Engine(backend.load)
    engine.start()
    settled(engine)
    answers: dict[int, list[Answer]] = {}

    async def ask(number: int) -> None:
        asked = [engine.submit(request("x" * turn + f"thread {number} ", client=f"c{number}")) for turn in range(20)]
        answers[number] = [await answer_of(generation) for generation in asked]

    threads = [threading.Thread(target=lambda n=number: asyncio.run(ask(n))) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SAFETY_S)
    engine.stop()
    assert {number: [f"for {number}"] * 20 for number in range(8)} == {
        number: [answer.text for answer in given] for number, given in answers.items()
    }
    assert (160, 0) == (engine.status().n_finished, engine.status().n_failed)
    assert [] == backend.violations


async def test_two_editors_taking_turns_each_have_the_whole_window() -> None:
    """Forty turns with prompts that fill the context: none fails through the other, and both stay warm."""
    backend = FakeBackend(FakeScript(default="a"), n_ctx=1000, n_slots=2, n_batch=256)
    async with running(backend) as engine:
        reused = []
        for turn in range(40):
            prompt = "lr"[turn % 2] * 950 + "k" * turn
            answer = await answer_of(engine.submit(request(prompt, client=f"editor {turn % 2}")))
            assert (FinishReason.STOP, "a") == (answer.reason, answer.text)
            reused.append(answer.ending.n_cached)
        assert [0, 0] == reused[:2]
        assert all(n_cached >= 950 for n_cached in reused[2:])


async def test_a_client_with_many_files_does_not_throw_the_other_one_out() -> None:
    """One editor walks through ten files; the other one's single warm slot is still warm after that."""
    backend = FakeBackend(FakeScript(default="a"), n_slots=4)
    async with running(backend) as engine:
        await answer_of(engine.submit(request("r" * 100, client="quiet")))
        for file in range(10):
            await answer_of(engine.submit(request(chr(97 + file) * 100, client="busy")))
        answer = await answer_of(engine.submit(request("r" * 101, client="quiet")))
        assert 100 == answer.ending.n_cached
