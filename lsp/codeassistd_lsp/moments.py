"""What one editor's user is busy with: snippets, pastes, a snooze, and files that git ignores.

Whether git ignores a file is asked when it is opened, in a worker thread, and again now and then while it is typed in;
only the first request of a file ever waits for the answer, and not for long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.completion.moment import Ignored, Moment
from codeassistd.daemon.daemon import Daemon
from codeassistd.daemon.session import Session
from codeassistd.documents.document import Document
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.ignore import IGNORE_FILE
from codeassistd.index.ignored import is_ignored

__all__ = ["RECHECK_S", "WAIT_S", "Moments"]


#: A request waits no longer than this for git; then the file counts as not known, and nothing is suggested.
WAIT_S = 1.0
#: An answer of git is used for so long; rules change with a branch, or by another program.
RECHECK_S = 30.0


@dataclass(slots=True)
class _Answer:
    """What git says about a document: the newest answer, and the question that is out."""

    asked_s: float
    asking: asyncio.Task[None]
    ignored: Ignored = Ignored.UNKNOWN


class Moments:
    """Of one connection; used on the loop's thread.

    Attributes:
        in_snippet: the editor says that the user fills in a snippet's places.
    """

    def __init__(self, daemon: Daemon, session: Session) -> None:
        self._daemon = daemon
        self._session = session
        self._answers: dict[str, _Answer] = {}
        self.in_snippet = False

    def opened(self, document: Document, root: Path | None) -> None:
        """Ask git about a document that was opened."""
        self._ask(document, root)

    def saved(self, path: Path) -> None:
        """A file was saved; ignore rules take effect at once."""
        if path.name == IGNORE_FILE:
            for answer in self._answers.values():
                answer.asked_s = float("-inf")

    def closed(self, uri: str) -> None:
        """Forget a document."""
        answer = self._answers.pop(uri, None)
        if answer is not None:
            answer.asking.cancel()

    def now(self, document: Document) -> Moment:
        """The moment as far as it is known."""
        answer = self._answers.get(document.uri)
        known = answer.ignored if answer is not None else Ignored.UNKNOWN
        return Moment(
            snoozed_s=self._daemon.snooze.left_s,
            in_snippet=self.in_snippet,
            is_after_large_edit=self._daemon.outcomes.is_after_large_edit(self._session.id, document),
            ignored=known if document.path is not None else Ignored.NO,
        )

    def not_ignored(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The edits in files that git is known not to ignore."""
        return tuple(
            edit
            for edit in edits
            if (answer := self._answers.get(edit.uri)) is not None and answer.ignored is Ignored.NO
        )

    async def of(self, document: Document, root: Path | None) -> Moment:
        """The moment, with git's answer if it comes in time."""
        if document.path is not None:
            answer = self._ask(document, root)
            if answer.ignored is Ignored.UNKNOWN and not answer.asking.done():
                await self._wait(answer.asking)
        return self.now(document)

    async def close(self) -> None:
        """Stop asking; a git under way ends by itself, unheard."""
        asking = [answer.asking for answer in self._answers.values()]
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)

    def _ask(self, document: Document, root: Path | None) -> _Answer:
        """The answer for a document, which is asked for again in the background once it is old."""
        now_s = self._daemon.clock.monotonic_s()
        answer = self._answers.get(document.uri)
        if answer is None:
            asking = asyncio.get_running_loop().create_task(self._find_out(document, root))
            answer = self._answers[document.uri] = _Answer(now_s, asking)
        elif answer.asking.done() and now_s - answer.asked_s >= RECHECK_S:
            answer.asked_s = now_s
            answer.asking = asyncio.get_running_loop().create_task(self._find_out(document, root))
        return answer

    async def _find_out(self, document: Document, root: Path | None) -> None:
        if document.path is None:
            return
        ignores = await asyncio.to_thread(is_ignored, document.path, root)
        answer = self._answers.get(document.uri)
        if answer is not None:
            answer.ignored = Ignored.YES if ignores else Ignored.NO

    async def _wait(self, asking: asyncio.Task[None]) -> None:
        limit = asyncio.get_running_loop().create_task(self._daemon.clock.sleep(WAIT_S))
        try:
            await asyncio.wait({asking, limit}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            limit.cancel()
