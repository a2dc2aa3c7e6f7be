"""The answer to one request while it comes in: what is there so far, and whether it is all that is wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from codeassistd.clock import Clock
from codeassistd.completion.known import Known
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place
from codeassistd.completion.policy import Silence
from codeassistd.completion.stops import Shape, stop_at
from codeassistd.engine.generation import Generation
from codeassistd.engine.request import Ending, FinishReason, Token

__all__ = ["Answer"]


class Answer:
    """Reads a generation and stops it as soon as nothing more can belong to the suggestion.

    Attributes:
        place: the cursor that it is for.
        shape: how much is wanted.
        left_out: the end of the text before the cursor that the prompt lacks.
        tokens: all that came, with those after the stop.
        begun_s, first_token_s, over_s: when it was asked for, when the first token came and when nothing more was
            needed, by the clock; None before.
        doubts: says of what is there why no rest of it will be shown; None where something may be.
        doubt: what it said, once it did; then no more is read.
        news: done at the next token and at the end; then another one takes its place.
    """

    def __init__(self, generation: Generation, place: Place, shape: Shape, left_out: str, clock: Clock) -> None:
        self._generation = generation
        self._clock = clock
        self._is_stopped = False
        self._n_wanted: int | None = None
        self._raw = ""
        self.place = place
        self.shape = shape
        self.left_out = left_out
        self.tokens: list[Token] = []
        self.begun_s = clock.monotonic_s()
        self.first_token_s: float | None = None
        self.over_s: float | None = None
        self.doubts: Callable[[Raw], Silence | None] = _no_doubt
        self.doubt: Silence | None = None
        self.news: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def ending(self) -> Ending | None:
        """What the engine says it cost; None until it has let go."""
        return self._generation.ending

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes."""
        return self._is_stopped or self.doubt is not None or self.ending is not None

    @property
    def is_whole(self) -> bool:
        """Whether it ended as it should, so that it may be kept."""
        reason = self.ending.reason if self.ending is not None else None
        return self._is_stopped or reason in {FinishReason.STOP, FinishReason.LENGTH}

    @property
    def fault(self) -> str:
        """Why the engine gave up; empty if it did not."""
        ending = self.ending
        if ending is None or self._is_stopped or self.doubt is not None:
            return ""
        if ending.reason is FinishReason.ABORTED:
            return "the engine was stopped"
        return ending.error if ending.reason is FinishReason.ERROR else ""

    @property
    def wanted_ids(self) -> tuple[int, ...]:
        """The tokens up to where it was stopped, with the one that showed that nothing more is wanted."""
        return tuple(token.id for token in self.tokens[: self._n_wanted])

    @property
    def known(self) -> Known:
        """What is there."""
        is_finished = self._is_stopped or (self.ending is not None and self.ending.reason is FinishReason.STOP)
        return Known(
            self._raw,
            tuple(self.tokens),
            self.place,
            self.left_out,
            self.shape,
            is_finished=is_finished,
            is_over=self.is_over,
        )

    async def collect(self) -> None:
        """Read to the ending, so that its figures are known."""
        try:
            async for token in self._generation:
                self._take(token)
        finally:
            self._end()

    def cancel(self) -> None:
        """Have the engine let go of it; what has ended stays as it ended."""
        self._generation.cancel()

    def _take(self, token: Token) -> None:
        self.tokens.append(token)
        if self.first_token_s is None:
            self.first_token_s = self._clock.monotonic_s()
        if self._is_stopped or self.doubt is not None:
            return
        self._raw += token.text
        kept = stop_at(self._raw, self.place, self.shape)
        if kept is not None:
            self._raw = self._raw[:kept]
            self._is_stopped = True
            self._n_wanted = len(self.tokens)
        else:
            # At each token, so that it does not depend on how many come at once.
            self.doubt = self.doubts(Raw(self._raw, self.tokens, self.shape.max_lines, self.shape.why, self.left_out))
        if self._is_stopped or self.doubt is not None:
            self._generation.cancel()
            self._end()
        self._tell()

    def _end(self) -> None:
        if self.over_s is None:
            self.over_s = self._clock.monotonic_s()
        self._tell()

    def _tell(self) -> None:
        news, self.news = self.news, asyncio.get_running_loop().create_future()
        if not news.done():
            news.set_result(None)


def _no_doubt(raw: Raw) -> Silence | None:
    del raw
    return None
