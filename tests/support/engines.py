"""Engines for tests: started, used and stopped, with what they answered put together."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from codeassistd.engine.engine import Engine
from codeassistd.engine.generation import Generation
from codeassistd.engine.request import Ending, EngineState, FinishReason, GenerateRequest, Priority, SamplingParams
from codeassistd.testing.fake_backend import FakeBackend
from tests.support.waiting import wait_for

__all__ = ["Answer", "answer_of", "request", "running", "settled", "wait_until"]

_LOADING = (EngineState.LOADING, EngineState.EMPTY)


@dataclass(frozen=True, slots=True)
class Answer:
    """All that one generation gave."""

    text: str
    ids: tuple[int, ...]
    ending: Ending

    @property
    def reason(self) -> FinishReason:
        """How it ended."""
        return self.ending.reason


@asynccontextmanager
async def running(backend: FakeBackend) -> AsyncIterator[Engine]:
    """An engine on `backend`, loaded; stopped at the end, when the backend must have been used by the rules."""
    engine = Engine(backend.load)
    engine.start()
    try:
        settled(engine)
        yield engine
    finally:
        engine.stop()
    assert [] == backend.violations


def settled(engine: Engine) -> EngineState:
    """Wait until the load is over, and answer how it went."""
    wait_for(lambda: engine.status().state not in _LOADING, "the end of the load")
    return engine.status().state


def wait_until(true: Callable[[], bool], what: str) -> None:
    """Wait for something that another thread does."""
    wait_for(true, what)


def request(
    prompt: str | Sequence[int],
    *,
    client: str = "editor",
    max_tokens: int = 64,
    priority: Priority = Priority.COMPLETION,
    temperature: float = 0.0,
    seed: int = 0,
    stop: str = "",
) -> GenerateRequest:
    """A request with the fake vocabulary's ids of `prompt`, or with ids as they are."""
    vocabulary = FakeBackend().vocabulary
    ids = vocabulary.prompt_ids(prompt) if isinstance(prompt, str) else prompt
    return GenerateRequest(
        prompt=tuple(ids),
        params=SamplingParams(max_tokens, temperature, seed),
        priority=priority,
        client=client,
        stop_ids=frozenset(vocabulary.answer_ids(stop)),
    )


async def answer_of(generation: Generation) -> Answer:
    """Everything that a generation gives, to its end."""
    tokens = [token async for token in generation]
    ending = generation.ending
    assert ending is not None
    return Answer("".join(token.text for token in tokens), tuple(token.id for token in tokens), ending)
