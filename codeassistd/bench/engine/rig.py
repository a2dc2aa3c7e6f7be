"""What is measured: an engine, and beside it a backend of the same model that nothing schedules.

The two never work at once. Everything runs on one loop; what blocks may block it, since nobody else waits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from codeassistd.bench.engine.corpus import Corpus
from codeassistd.catalogue.profile import Profile
from codeassistd.clock import Clock
from codeassistd.config import ContextSettings, KvType
from codeassistd.engine.backend import Backend, BackendInfo, Vocabulary
from codeassistd.engine.engine import Engine
from codeassistd.engine.generation import Generation
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import Ending, FinishReason, GenerateRequest, Priority, SamplingParams, Token
from codeassistd.errors import EngineError

__all__ = ["Bare", "Generated", "Rig"]


class Bare(Protocol):
    """The shortest loop that writes text with the same model; `engine.llama.bare` has it."""

    def read(self, prompt: Sequence[int]) -> int:
        """Forget everything, read a prompt, and choose the first token of the answer."""

    def write(self, n_tokens: int) -> list[int]:
        """Write so many more tokens."""


@dataclass(frozen=True, slots=True)
class Generated:
    """One generation as its caller saw it; times are clock readings in seconds.

    Attributes:
        token_s: when each token came.
    """

    tokens: tuple[Token, ...]
    submitted_s: float
    token_s: tuple[float, ...]
    ended_s: float
    ending: Ending

    @property
    def n_output(self) -> int:
        """Tokens that came."""
        return len(self.token_s)

    @property
    def tokens_per_s(self) -> float | None:
        """Speed from the first token to the last; None where there is no way from one to the other."""
        if self.n_output < 2:  # noqa: PLR2004 - both ends
            return None
        seconds = self.token_s[-1] - self.token_s[0]
        return (self.n_output - 1) / seconds if seconds > 0 else None

    @property
    def total_ms(self) -> float:
        """From the request to its end."""
        return 1000 * (self.ended_s - self.submitted_s)


@dataclass(frozen=True, slots=True)
class Rig:
    """All that measurements need.

    Attributes:
        model: its name, or the path of a bare file.
        backend: of the same model and settings, driven directly; `bare` works in its context.
        info_with: what a load with keys and values in that format says about itself.
        new_engine: another engine of the same model and settings, not started.
    """

    model: str
    engine: Engine
    backend: Backend
    bare: Bare
    corpus: Corpus
    profile: Profile
    context: ContextSettings
    clock: Clock
    info_with: Callable[[KvType], BackendInfo]
    new_engine: Callable[[EngineOptions], Engine]

    @property
    def info(self) -> BackendInfo:
        """What is loaded."""
        return self.backend.info

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary of both."""
        return self.backend.vocabulary

    def submit(
        self,
        prompt: Sequence[int],
        n_tokens: int,
        *,
        client: str = "bench",
        priority: Priority = Priority.COMPLETION,
        max_draft: int = 0,
    ) -> Generation:
        """Start a generation; without drafts, unless they are what is measured."""
        request = GenerateRequest(
            tuple(prompt), SamplingParams(max_tokens=n_tokens), priority=priority, client=client, max_draft=max_draft
        )
        return self.engine.submit(request)

    async def generate(
        self, prompt: Sequence[int], n_tokens: int, *, client: str = "bench", max_draft: int = 0
    ) -> Generated:
        """Generate to the end.

        Raises:
            EngineError: a step failed.
        """
        submitted_s = self.clock.monotonic_s()
        return await self.follow(self.submit(prompt, n_tokens, client=client, max_draft=max_draft), submitted_s)

    async def follow(self, generation: Generation, submitted_s: float) -> Generated:
        """Take all that comes of a generation, to its end.

        Raises:
            EngineError: a step failed.
        """
        tokens: list[Token] = []
        token_s: list[float] = []
        async for token in generation:
            tokens.append(token)
            token_s.append(self.clock.monotonic_s())
        ending = generation.ending
        if ending is None or ending.reason is FinishReason.ERROR:
            raise EngineError(f"the engine failed while it was measured: {ending.error if ending else 'no ending'}")
        return Generated(tuple(tokens), submitted_s, tuple(token_s), self.clock.monotonic_s(), ending)

    def timed_s(self, work: Callable[[], object]) -> float:
        """How long some blocking work takes."""
        begun_s = self.clock.monotonic_s()
        work()
        return self.clock.monotonic_s() - begun_s
