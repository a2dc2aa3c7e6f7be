"""Works out, while the user looks at a suggestion, what would follow once it is accepted.

It waits until the user has clearly stopped typing, runs behind every request that somebody waits for, and ends as soon
as the user does something else. What it costs and how often it served is counted.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

from codeassistd.clock import Clock
from codeassistd.completion.types import CompletionRequest
from codeassistd.config import CompletionSettings
from codeassistd.errors import CodeassistdError
from codeassistd.text import Span

__all__ = ["FollowUpCount", "FollowUps", "after_accepting", "is_wanted"]

_log = logging.getLogger(__name__)

#: Of the user's usual time from key to key; who rests for longer is looking at what is shown.
_N_INTERVALS = 2.0
_LEAST_REST_S = 0.25


@dataclass(slots=True)
class FollowUpCount:
    """What was worked out ahead.

    Attributes:
        n_begun: answers that the engine was asked for.
        n_used: those of them that a user came to see.
        n_output, engine_ms: tokens that the engine wrote for all of them, and the time it took.
    """

    n_begun: int = 0
    n_used: int = 0
    n_output: int = 0
    engine_ms: float = 0.0


class FollowUps:
    """The waiting ones: at most one for each document of each editor; used on the loop's thread."""

    def __init__(self, clock: Clock, begin: Callable[[CompletionRequest], None]) -> None:
        """Call `begin` with the request that a user would make after accepting, once it is time."""
        self._clock = clock
        self._begin = begin
        self._waiting: dict[tuple[str, str], asyncio.Task[None]] = {}

    def plan(self, request: CompletionRequest, shown: str, interval_s: float | None) -> None:
        """Wait for the user to rest, then work out what follows `shown`."""
        key = (request.client, request.document.uri)
        self.end(*key)
        rest_s = max(_LEAST_REST_S, _N_INTERVALS * (interval_s or 0.0))
        task = asyncio.get_running_loop().create_task(self._wait(request, shown, rest_s))
        self._waiting[key] = task
        task.add_done_callback(lambda done: self._forget(key, done))

    def end(self, client: str, uri: str) -> None:
        """The user has done something."""
        task = self._waiting.pop((client, uri), None)
        if task is not None:
            task.cancel()

    def drop_client(self, client: str) -> None:
        """The editor is gone."""
        for key in [key for key in self._waiting if key[0] == client]:
            self.end(*key)

    async def _wait(self, request: CompletionRequest, shown: str, rest_s: float) -> None:
        await self._clock.sleep(rest_s)
        try:
            self._begin(after_accepting(request, shown))
        except CodeassistdError as error:
            _log.debug("nothing is worked out ahead: %s", error)

    def _forget(self, key: tuple[str, str], done: asyncio.Task[None]) -> None:
        if self._waiting.get(key) is done:
            del self._waiting[key]
        error = None if done.cancelled() else done.exception()
        if error is not None:
            _log.error("working ahead failed", exc_info=error)


def after_accepting(request: CompletionRequest, shown: str) -> CompletionRequest:
    """The request that comes once `shown` was accepted."""
    document = request.document
    text = document.text.replace(Span(request.offset, request.offset), shown)
    return replace(
        request,
        document=replace(document, text=text),
        offset=request.offset + len(shown.encode("utf-8", "surrogatepass")),
        menu=None,
    )


def is_wanted(settings: CompletionSettings, *, on_battery: bool) -> bool:
    """Whether to work ahead at all: `auto` does not where that drains a battery, nor for who wants few suggestions."""
    if settings.follow_up == "auto":
        return not on_battery and settings.eagerness != "low"
    return settings.follow_up == "on"
