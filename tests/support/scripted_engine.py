"""An engine without a thread: a test says which tokens come and when, so that each order of events can be played."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from codeassistd.engine.backend import BackendInfo
from codeassistd.engine.generation import Generation
from codeassistd.engine.request import Ending, EngineState, EngineStatus, FinishReason, GenerateRequest, Token
from codeassistd.testing.fake_vocabulary import FakeVocabulary

__all__ = ["Play", "ScriptedEngine"]


@dataclass(eq=False)
class Play:
    """One generation as the engine's side sees it.

    Attributes:
        lets_go: whether a cancel ends it at once; if not, the test ends it.
    """

    request: GenerateRequest
    generation: Generation | None = None
    n_cancelled: int = 0
    n_output: int = 0
    lets_go: bool = True

    @property
    def prompt(self) -> str:
        """The prompt as text, markers spelled out."""
        return FakeVocabulary().spell(list(self.request.prompt))

    def say(self, *texts: str) -> None:
        """Let tokens come."""
        assert self.generation is not None
        for text in texts:
            self.n_output += 1
            self.generation.deliver(Token(0, text, -0.1, 5.0))

    def end(self, reason: FinishReason = FinishReason.STOP, error: str = "") -> None:
        """Let the ending come."""
        assert self.generation is not None
        n_prompt = len(self.request.prompt)
        self.generation.deliver(Ending(reason, n_prompt, n_prompt - 1, self.n_output, 1.0, 2.0, 3.0, 4.0, error))

    def cancel(self) -> None:
        """The caller has cancelled; the engine lets go at once, or when the test says so."""
        self.n_cancelled += 1
        if self.n_cancelled == 1 and self.lets_go:
            self.end(FinishReason.ABORTED)


@dataclass(eq=False)
class ScriptedEngine:
    """Stands in for `Engine`.

    Attributes:
        plays: one for each submitted request, in order.
        answers: texts to give at once to the next requests; without one a play waits for the test.
        error: what `submit` raises, if set.
    """

    vocabulary: FakeVocabulary | None = field(default_factory=FakeVocabulary)
    state: EngineState = EngineState.READY
    detail: str = ""
    n_ctx: int = 4096
    model_id: str = "scripted"
    answers: list[str] = field(default_factory=list)
    error: Exception | None = None
    plays: list[Play] = field(default_factory=list)

    @property
    def info(self) -> BackendInfo | None:
        """What is loaded."""
        if self.vocabulary is None:
            return None
        return BackendInfo(self.n_ctx, 512, 4, self.vocabulary.n_vocab, {}, {}, {}, model_id=self.model_id)

    def status(self) -> EngineStatus:
        """How it is."""
        return EngineStatus(self.state, self.detail)

    def wake(self) -> None:
        """There is nothing to load."""

    def submit(self, request: GenerateRequest) -> Generation:
        """Note a request."""
        if self.error is not None:
            raise self.error
        play = Play(request)
        play.generation = Generation(asyncio.get_running_loop(), play.cancel)
        self.plays.append(play)
        if self.answers:
            play.say(*self.answers.pop(0))
            play.end()
        return play.generation

    async def play(self, number: int) -> Play:
        """The play of that number, once it is there."""
        for _ in range(1000):
            if len(self.plays) > number:
                return self.plays[number]
            await asyncio.sleep(0)
        raise AssertionError(f"request {number} was never submitted")
