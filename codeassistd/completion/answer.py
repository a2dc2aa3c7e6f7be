"""The answer to one request while it comes in: what is there so far, and whether it is all that is wanted."""

from __future__ import annotations

from codeassistd.clock import Clock
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place
from codeassistd.completion.stops import Shape, stop_at
from codeassistd.engine.generation import Generation
from codeassistd.engine.request import FinishReason, Token

__all__ = ["Answer"]


class Answer:
    """Reads a generation and stops it as soon as nothing more can belong to the suggestion.

    Attributes:
        raw: the text so far, without what came after the stop.
        first_token_s: when the first token came, by the clock; None before.
        tokens: all that came, with those after the stop.
    """

    def __init__(self, generation: Generation, place: Place, shape: Shape, clock: Clock) -> None:
        self._generation = generation
        self._place = place
        self._shape = shape
        self._clock = clock
        self._is_stopped = False
        self.raw = ""
        self.first_token_s: float | None = None
        self.tokens: list[Token] = []

    @property
    def is_finished(self) -> bool:
        """Whether the model or a rule ended the answer, rather than a limit."""
        ending = self._generation.ending
        return self._is_stopped or (ending is not None and ending.reason is FinishReason.STOP)

    @property
    def is_over(self) -> bool:
        """Whether nothing more comes; False where the deadline cut it off."""
        return self._is_stopped or self._generation.ending is not None

    @property
    def fault(self) -> str:
        """Why the engine gave up; empty if it did not."""
        ending = self._generation.ending
        if ending is None or self._is_stopped:
            return ""
        if ending.reason is FinishReason.ABORTED:
            return "the engine was stopped"
        return ending.error if ending.reason is FinishReason.ERROR else ""

    def so_far(self, left_out: str) -> Raw:
        """What is there, for the cursor that it was asked for."""
        return Raw(
            self.raw,
            tuple(self.tokens),
            self._shape.max_lines,
            self._shape.why,
            left_out,
            is_finished=self.is_finished,
            is_cut_off=not self.is_over,
        )

    async def collect(self) -> None:
        """Read to the ending, so that its figures are known; returns at once where nobody cancels."""
        async for token in self._generation:
            self.tokens.append(token)
            if self.first_token_s is None:
                self.first_token_s = self._clock.monotonic_s()
            if self._is_stopped:
                continue
            self.raw += token.text
            kept = stop_at(self.raw, self._place, self._shape)
            if kept is not None:
                self.raw = self.raw[:kept]
                self._is_stopped = True
                self._generation.cancel()
