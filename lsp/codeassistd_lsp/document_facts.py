"""Keeps what the parser says about each open document, beside the typing and never in its way.

A document is read when it is opened and after each pause in typing, in a worker thread. A completion takes the newest
facts there are, which may be of a slightly older version, and never waits for better ones. The index gets them, too, so
that what is not saved yet is found from other files.
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
from codeassistd.syntax.parser import ParsedDocument

__all__ = ["QUIET_S", "FactsReader"]

_log = logging.getLogger(__name__)

#: A pause in typing: longer than the time between the keys of a word, shorter than what anybody notices.
QUIET_S = 0.15


class FactsReader:
    """Keeps `session.facts` up to date; used on the loop's thread."""

    def __init__(self, session: Session, clock: Clock, parsed: DocumentFacts, overlay: Overlay) -> None:
        self._session = session
        self._overlay = overlay
        self._clock = clock
        self._parsed = parsed
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._working: set[asyncio.Task[None]] = set()
        # One at a time and each with the newest text, so that facts never go back to an older version.
        self._turn = asyncio.Lock()

    def opened(self, uri: str) -> None:
        """Read a document that was opened."""
        self._read_later(uri, 0)

    def changed(self, uri: str) -> None:
        """Read a document again once its user pauses."""
        self._read_later(uri, QUIET_S)

    def closed(self, uri: str) -> None:
        """Forget a document."""
        if waiting := self._waiting.pop(uri, None):
            waiting.cancel()
        self._session.facts.pop(uri, None)
        if path := path_of(uri):
            self._overlay.drop(self._session.id, path)
        self._start(self._forget(uri))

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
            facts = await asyncio.to_thread(self._parsed.facts, uri, document.language, document.text)
            path = document.path
            is_new = path is not None and await asyncio.to_thread(_is_new, path, tuple(self._session.roots))
            if self._session.documents.get(uri) is not None:
                self._session.facts[uri] = facts
                if path is not None:
                    self._overlay.put(self._session.id, path, document.text.content, facts, is_new=is_new)

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
