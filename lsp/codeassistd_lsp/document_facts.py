"""Keeps what the parser says about each open document, beside the typing and never in its way.

A document is read when it is opened and after each pause in typing, in a worker thread. A completion takes the newest
facts there are, which may be of a slightly older version, and never waits for better ones; only for the first ones of a
document it waits a moment, since without any its prompt would be another one, to be read all again at the next key. The
index gets them, too, so that what is not saved yet is found from other files.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import Any

from codeassistd.clock import Clock
from codeassistd.daemon.session import Session
from codeassistd.documents.secrets import is_secret
from codeassistd.documents.uri import path_of
from codeassistd.index.ignored import will_be_indexed
from codeassistd.index.overlay import Overlay
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.parser import ParsedDocument

__all__ = ["FIRST_S", "QUIET_S", "FactsReader"]

_log = logging.getLogger(__name__)

#: A pause in typing: longer than the time between the keys of a word, shorter than what anybody notices.
QUIET_S = 0.15

#: A request waits no longer than this for the first facts: about what a file of 10,000 lines takes, and a fraction of
#: what it costs to read a prompt twice.
FIRST_S = 0.1


class FactsReader:
    """Keeps `session.facts` up to date; used on the loop's thread."""

    def __init__(self, session: Session, clock: Clock, parsed: DocumentFacts, overlay: Overlay) -> None:
        self._session = session
        self._overlay = overlay
        self._clock = clock
        self._parsed = parsed
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._first: dict[str, asyncio.Event] = {}
        self._working: set[asyncio.Task[None]] = set()
        # One at a time and each with the newest text, so that facts never go back to an older version.
        self._turn = asyncio.Lock()

    def opened(self, uri: str) -> None:
        """Read a document that was opened."""
        self._read_later(uri, 0)
        if uri in self._waiting:
            self._first[uri] = asyncio.Event()

    def changed(self, uri: str) -> None:
        """Read a document again once its user pauses."""
        self._read_later(uri, QUIET_S)

    def closed(self, uri: str) -> None:
        """Forget a document."""
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
        self._session.facts.pop(uri, None)
        self._tell(uri)
        if path := path_of(uri):
            self._overlay.drop(self._session.id, path)
        self._start(self._forget(uri))

    async def newest(self, uri: str) -> FileFacts | None:
        """The newest facts of a document; while its first ones are being read, it waits for them, but not for long.

        Once only: who was kept waiting for nothing is not kept at the next key.
        """
        first = self._first.get(uri)
        if first is not None:
            waiting = [asyncio.ensure_future(first.wait()), asyncio.ensure_future(self._clock.sleep(FIRST_S))]
            try:
                await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in waiting:
                    task.cancel()
            self._tell(uri)
        return self._session.facts.get(uri)

    def parsed(self, uri: str) -> ParsedDocument | None:
        """The newest tree of a document that is at hand, perhaps of an older version."""
        return self._parsed.parsed(uri)

    async def idle(self) -> None:
        """Wait until nothing is being read or waits for its pause."""
        while self._working:
            await asyncio.gather(*self._working, return_exceptions=True)

    async def close(self) -> None:
        """Stop reading; a parse under way ends by itself, unheard."""
        tasks = list(self._working)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._overlay.drop_client(self._session.id)

    def _read_later(self, uri: str, quiet_s: float) -> None:
        document = self._session.documents.get(uri)
        if document is None or (document.path is not None and is_secret(document.path)):
            return
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
            # The first facts would come after the quiet.
            self._tell(uri)
        self._waiting[uri] = self._start(self._read(uri, quiet_s))

    async def _read(self, uri: str, quiet_s: float) -> None:
        await self._clock.sleep(quiet_s)
        # From here on a change starts a new wait beside this parse, instead of cutting it off: else steady typing in a
        # file that takes long would never get any facts.
        self._waiting.pop(uri, None)
        async with self._turn:
            document = self._session.documents.get(uri)
            if document is None:
                return
            try:
                facts = await asyncio.to_thread(self._parsed.facts, uri, document.language, document.text)
                if self._session.documents.get(uri) is not None:
                    self._session.facts[uri] = facts
            finally:
                self._tell(uri)
            path = document.path
            is_new = path is not None and await asyncio.to_thread(_is_new, path, tuple(self._session.roots))
            if path is not None and self._session.documents.get(uri) is not None:
                self._overlay.put(self._session.id, path, document.text.content, facts, is_new=is_new)

    def _tell(self, uri: str) -> None:
        """Nobody has to wait any longer for the first facts of a document."""
        first = self._first.pop(uri, None)
        if first is not None:
            first.set()

    async def _forget(self, uri: str) -> None:
        async with self._turn:
            if self._session.documents.get(uri) is None:
                await asyncio.to_thread(self._parsed.forget, uri)

    def _start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(work)
        self._working.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._working.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("an open document could not be parsed", exc_info=error)


def _is_new(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a document counts in the index although no survey has found its file, since it was never saved.

    Of workspaces inside each other the strictest decides.
    """
    holding = [root for root in roots if root in path.parents]
    return bool(holding) and all(will_be_indexed(path, root) for root in holding)
