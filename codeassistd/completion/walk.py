"""One request on its way: what was asked, its right to go on, its span, and the answer that it waits for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from codeassistd.clock import Clock
from codeassistd.completion.growth import Growth
from codeassistd.completion.live import LiveAnswer
from codeassistd.completion.offer import Raw
from codeassistd.completion.policy import Silence
from codeassistd.completion.supersede import Turn
from codeassistd.completion.types import CompletionRequest, Suggestion
from codeassistd.metrics.spans import Outcome, Span

__all__ = ["SUPERSEDED", "Walk"]

SUPERSEDED = Silence(Outcome.SUPERSEDED, "the text was changed, and the answer fits no more")
#: Of the loop, from a message that lies in the socket to one that was heard: it is read, taken apart and followed.
_N_TURNS = 3

_WHY_LOST = {
    Outcome.SUPERSEDED: "a newer request of this document took over",
    Outcome.CANCELLED: "the editor is gone",
}


@dataclass(slots=True, eq=False)
class Walk:
    """What belongs to one request.

    Attributes:
        begun_s: when it came, by the clock.
        live: the answer that it follows, once there is one.
        growth: shows the answer while it is written; None if its editor wants it whole.
        tried: the part of the answer that was last looked at, whether it may be shown early.
    """

    request: CompletionRequest
    turn: Turn
    span: Span
    begun_s: float
    live: LiveAnswer | None = None
    growth: Growth | None = None
    tried: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The editor and the document."""
        return self.request.client, self.request.document.uri

    @property
    def is_reading(self) -> bool:
        """Whether the engine still reads its prompt."""
        return self.live is not None and self.live.is_reading

    @property
    def lost(self) -> Silence | None:
        """Why it must end now; None if it may go on."""
        if not self.turn.lost.done():
            return None
        outcome = self.turn.lost.result()
        return Silence(outcome, _WHY_LOST[outcome])

    def waited(self, live: LiveAnswer, now_s: float) -> float:
        """How long the user waits for `live`, as a share of the deadline: since the first key that it serves."""
        waited_ms = max(1000 * (now_s - self.begun_s), live.spent_ms(now_s))
        return waited_ms / self.request.settings.deadline_ms

    def note_tokens(self, live: LiveAnswer) -> None:
        """Tell the span what came of `live`, if this request is the one that asked for it."""
        answer, span = live.answer, self.span
        if answer is None or live.span is not span:
            return
        if not span.is_measured:
            span.n_output = len(answer.tokens)
        if answer.first_token_s is not None:
            span.ttft_ms = 1000 * (answer.first_token_s - self.begun_s)

    async def last_look(self, result: Suggestion | Silence) -> Suggestion | Silence:
        """What may go out of `result`: nothing that a key contradicts which came while it was made to fit."""
        if isinstance(result, Silence):
            return result
        # One that was cut off at the deadline is dropped already, and not for what was typed.
        live = None if self.live is None or self.live.is_dropped else self.live
        for _ in range(_N_TURNS):
            await asyncio.sleep(0)
        if self.lost is not None:
            return self.lost
        return SUPERSEDED if live is not None and live.is_dropped else result

    async def wait(self, seconds: float, clock: Clock) -> Silence | None:
        """Wait, but not for longer than the request may go on; tells why if it may not."""
        sleeping = asyncio.get_running_loop().create_task(clock.sleep(seconds))
        try:
            racers: set[asyncio.Future[Any]] = {sleeping, self.turn.lost}
            await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleeping.cancel()
        return self.lost

    async def follow(
        self, live: LiveAnswer, clock: Clock, early: Callable[[Raw], Suggestion | None]
    ) -> Raw | Suggestion | Silence | None:
        """Wait for what `live` has to say at this cursor.

        Args:
            live: goes on from this cursor, so far as it is known.
            clock: counts the time to the deadline.
            early: whether a part of what is there is worth showing while the rest goes on.

        Returns:
            The whole of it, or what is there at the deadline; a part that is shown early; why the request must end; or
            None if the two have parted.
        """
        self.live = live
        left_s = self.begun_s + self.request.settings.deadline_ms / 1000 - clock.monotonic_s()
        deadline: asyncio.Task[None] | None = None
        try:
            while True:
                if (lost := self.lost) is not None:
                    return lost
                if live.doubt is not None:
                    # Who has typed on asks anew: what the model says then rests on more.
                    return live.doubt if live.span is self.span else None
                raw = None if live.is_dropped else live.rest(self.request)
                if raw is None or not live.is_running or (deadline is not None and deadline.done()):
                    return raw
                if (part := early(raw)) is not None:
                    return part
                deadline = deadline or asyncio.get_running_loop().create_task(clock.sleep(max(0.0, left_s)))
                racers: set[asyncio.Future[Any]] = {live.news, deadline, self.turn.lost}
                await asyncio.wait(racers, return_when=asyncio.FIRST_COMPLETED)
                live.check()
        finally:
            if deadline is not None:
                deadline.cancel()
