"""The clients of a load: each makes its requests until it is told to stop, and waits for what is still under way.

An actor knows nothing of the daemon but what any client may ask, and each of its requests is noted with its fate.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from codeassistd.bench.keystrokes import TypingScript, cursor_after
from codeassistd.bench.load.asked import Asked, Fate, Kind, Phase
from codeassistd.clock import Clock
from codeassistd.testing.lsp_client import INVOKED, LspClient, LspError, Message, Pending

__all__ = ["Actor", "Background", "Chatter", "Recorder", "Typing"]

_CHAT = "codeassistd/chat"
_QUESTION = "What do these files do, where could they fail, and how would you test that?"
#: Answers to a request that was taken back.
_TAKEN_BACK = frozenset({-32800, -32801, -32802})


class Actor(Protocol):
    """One client."""

    async def act(self, phase: Phase, stop: asyncio.Event) -> None:
        """Ask until `stop` is set, and wait for the last reply; a lost one is the last."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """Waits for replies and notes what became of each request.

    Attributes:
        clock: tells when something was sent and came.
        note: gets each request once it is over.
        patience_s: a reply that has not come by then is lost.
    """

    clock: Clock
    note: Callable[[Asked], None]
    patience_s: float

    async def completion(self, pending: Pending, kind: Kind, phase: Phase, nth: int = 0) -> Fate:
        """Wait for the answer to a completion that was sent just now, and note it; `nth` as in `Asked`."""
        sent_s = self.clock.monotonic_s()
        fate, result = await self.reply(pending)
        if fate is Fate.ANSWERED and not result["items"]:
            fate = Fate.EMPTY
        self.note(Asked(kind, phase, fate, sent_s, self.clock.monotonic_s(), nth=nth))
        return fate

    async def reply(self, pending: Pending) -> tuple[Fate, Any]:
        """The fate of a request, and its result if it has one."""
        pending.read()
        await _first_of(pending.answer, asyncio.ensure_future(self.clock.sleep(self.patience_s)))
        if not pending.answer.done():
            # The end of the connection will be told to it, and to nobody else.
            pending.answer.add_done_callback(asyncio.Future.exception)
            return Fate.LOST, None
        try:
            return Fate.ANSWERED, pending.answer.result()
        except LspError as error:
            # The connection's own end is no reply either.
            return (Fate.TAKEN_BACK if error.code in _TAKEN_BACK else Fate.REFUSED if error.code else Fate.LOST), None


class Typing:
    """Types scripts, one after the other, a key at most every `interval_s`."""

    def __init__(
        self, client: LspClient, recorder: Recorder, scripts: Sequence[TypingScript], interval_s: float
    ) -> None:
        self._client = client
        self._recorder = recorder
        self._interval_s = interval_s
        self._keys = self._typed(itertools.cycle(scripts))

    async def act(self, phase: Phase, stop: asyncio.Event) -> None:
        """Type on where the last phase has stopped."""
        clock, fate = self._recorder.clock, Fate.EMPTY
        while not stop.is_set() and fate is not Fate.LOST:
            due_s = clock.monotonic_s() + self._interval_s
            script, n_typed = next(self._keys)
            pending = self._client.start_completion(script.path.as_uri(), *cursor_after(script, n_typed))
            fate = await self._recorder.completion(pending, Kind.TYPING, phase, n_typed)
            pause = asyncio.ensure_future(clock.sleep(max(0.0, due_s - clock.monotonic_s())))
            await _first_of(pause, asyncio.ensure_future(stop.wait()))
            pause.cancel()

    def _typed(self, scripts: Iterator[TypingScript]) -> Iterator[tuple[TypingScript, int]]:
        """Types one key after the other; tells each time in which script, and how many it has typed there."""
        for script in scripts:
            uri = script.path.as_uri()
            self._client.open(uri, script.before + script.after, script.language)
            for index, key in enumerate(script.keys):
                self._client.insert(uri, *cursor_after(script, index), key)
                yield script, index + 1
            self._client.close_document(uri)


class Chatter:
    """Asks about some long files at a time; what is said at the end is taken back, as by a user who has read enough.

    Args:
        client: whose notifications are heard by this actor from now on.
        recorder: notes each question.
        sessions: the conversation of each question; nobody else may ask there.
        files: are gone through in turns, `n_files` to a question.
    """

    def __init__(
        self, client: LspClient, recorder: Recorder, sessions: Iterator[str], files: Sequence[Path], n_files: int
    ) -> None:
        self._client = client
        self._recorder = recorder
        self._sessions = sessions
        self._files = itertools.cycle(files)
        self._n_files = n_files
        self._numbers = itertools.count(1)
        self._token = ""
        self._pieces_s: list[float] = []
        client.hear = self._hear

    async def act(self, phase: Phase, stop: asyncio.Event) -> None:
        """Ask one question after the other."""
        fate = Fate.EMPTY
        while not stop.is_set() and fate is not Fate.LOST:
            fate = await self._ask(phase, stop)

    async def _ask(self, phase: Phase, stop: asyncio.Event) -> Fate:
        clock = self._recorder.clock
        self._token, self._pieces_s = f"question-{next(self._numbers)}", []
        files = [next(self._files).as_uri() for _ in range(self._n_files)]
        sent_s = clock.monotonic_s()
        pending = self._client.start(
            _CHAT,
            {"session": next(self._sessions), "text": _QUESTION, "files": files, "partialResultToken": self._token},
        )
        replying = asyncio.ensure_future(self._recorder.reply(pending))
        await _first_of(replying, asyncio.ensure_future(stop.wait()))
        if not replying.done():
            self._client.cancel(pending)
        fate, _ = await replying
        pieces_s = self._pieces_s
        first_s = pieces_s[0] if pieces_s else None
        self._recorder.note(Asked(Kind.CHAT, phase, fate, sent_s, clock.monotonic_s(), first_s, len(pieces_s)))
        return fate

    def _hear(self, message: Message) -> None:
        if message.method == "$/progress" and message.params["token"] == self._token:
            self._pieces_s.append(self._recorder.clock.monotonic_s())


class Background:
    """Opens a long document, asks by hand in its middle, and closes it again."""

    def __init__(self, client: LspClient, recorder: Recorder, scripts: Sequence[TypingScript]) -> None:
        self._client = client
        self._recorder = recorder
        self._scripts = itertools.cycle(scripts)

    async def act(self, phase: Phase, stop: asyncio.Event) -> None:
        """One document after the other."""
        fate = Fate.EMPTY
        while not stop.is_set() and fate is not Fate.LOST:
            script = next(self._scripts)
            uri = script.path.as_uri()
            self._client.open(uri, script.before + script.after, script.language)
            pending = self._client.start_completion(uri, *cursor_after(script, 0), trigger_kind=INVOKED)
            fate = await self._recorder.completion(pending, Kind.BACKGROUND, phase)
            self._client.close_document(uri)


async def _first_of(kept: asyncio.Future[Any], other: asyncio.Future[Any]) -> None:
    """Wait for one of two; `other` is given up if it comes later, `kept` is not."""
    await asyncio.wait((kept, other), return_when=asyncio.FIRST_COMPLETED)
    other.cancel()
