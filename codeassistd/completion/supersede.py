"""One request at a time for each document of each editor: the newest wins, the older ones end at once.

Editors that never cancel would otherwise leave a queue of answers to texts that are gone.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from codeassistd.metrics.spans import Outcome

__all__ = ["Turn", "Turns"]


@dataclass(slots=True, eq=False)
class Turn:
    """One request's right to go on.

    Attributes:
        lost: done as soon as the request must end; its result is the outcome to end with.
    """

    client: str
    uri: str
    lost: asyncio.Future[Outcome] = field(default_factory=lambda: asyncio.get_running_loop().create_future())

    def lose(self, outcome: Outcome) -> None:
        """End this request; the first reason counts."""
        if not self.lost.done():
            self.lost.set_result(outcome)


class Turns:
    """The running requests; used on the loop's thread only."""

    def __init__(self) -> None:
        self._running: dict[tuple[str, str], Turn] = {}

    def __len__(self) -> int:
        return len(self._running)

    def begin(self, client: str, uri: str) -> Turn:
        """A new request takes over from the one that runs for the same client and document."""
        turn = Turn(client, uri)
        older = self._running.get((client, uri))
        if older is not None:
            older.lose(Outcome.SUPERSEDED)
        self._running[client, uri] = turn
        return turn

    def end(self, turn: Turn) -> None:
        """The request is answered."""
        if self._running.get((turn.client, turn.uri)) is turn:
            del self._running[turn.client, turn.uri]

    def drop_client(self, client: str) -> None:
        """The editor is gone: nobody waits for its answers."""
        for turn in tuple(self._running.values()):
            if turn.client == client:
                turn.lose(Outcome.CANCELLED)
