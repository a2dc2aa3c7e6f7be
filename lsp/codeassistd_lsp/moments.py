"""What one editor's user is busy with: snippets, pastes, a snooze, and files that git ignores.

Whether git ignores a file is found out when it is opened, beside the loop, and again now and then while it is typed in.
The ignore files are read first: what none of them names is not ignored, unless git says otherwise a moment later. Only
where one does the first request of a file waits for git, and not for long; until git has answered nothing is suggested.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.completion.moment import Ignored, Moment
from codeassistd.completion.types import Trigger
from codeassistd.daemon.daemon import Daemon
from codeassistd.daemon.session import Session
from codeassistd.documents.document import Document
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.ignore import IGNORE_FILE
from codeassistd.index.ignored import IgnoreFiles, is_ignored

__all__ = ["BY_HAND_S", "RECHECK_S", "WAIT_S", "Moments"]


#: A request waits no longer than this for git; then nothing is suggested, and the next one may find its answer there.
WAIT_S = 0.3
#: After one that was made by hand no other comes by itself; a script makes one alone, right after it opens the file.
BY_HAND_S = 1.0
#: An answer of git is used for so long; rules change with a branch, or by another program.
RECHECK_S = 30.0


@dataclass(slots=True)
class _Answer:
    """What is known about a document.

    Attributes:
        asked_s: when it was last asked, by the clock.
        asking: finds out, in the background.
        known: set at the first answer.
    """

    asked_s: float
    asking: asyncio.Task[None]
    ignored: Ignored = Ignored.UNKNOWN
    known: asyncio.Event = field(default_factory=asyncio.Event)


class Moments:
    """Of one connection; used on the loop's thread.

    Attributes:
        in_snippet: the editor says that the user fills in a snippet's places.
    """

    def __init__(self, daemon: Daemon, session: Session) -> None:
        self._daemon = daemon
        self._session = session
        self._answers: dict[str, _Answer] = {}
        self._ignore_files = IgnoreFiles()
        # A git that hangs takes its own thread with it, and none of those that read documents.
        self._git = ThreadPoolExecutor(max_workers=1, thread_name_prefix="codeassistd-git")
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

    def now(self, document: Document, offset: int) -> Moment:
        """The moment at a cursor, as far as it is known."""
        answer = self._answers.get(document.uri)
        known = answer.ignored if answer is not None else Ignored.UNKNOWN
        return Moment(
            snoozed_s=self._daemon.snooze.left_s,
            in_snippet=self.in_snippet,
            is_after_large_edit=self._daemon.outcomes.is_after_large_edit(self._session.id, document, offset),
            ignored=known if document.path is not None else Ignored.NO,
        )

    def not_ignored(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The edits in files that git is known not to ignore."""
        return tuple(
            edit
            for edit in edits
            if (answer := self._answers.get(edit.uri)) is not None and answer.ignored is Ignored.NO
        )

    async def of(self, document: Document, root: Path | None, offset: int, trigger: Trigger) -> Moment:
        """The moment at a cursor, with git's answer if it comes in time."""
        if document.path is not None:
            answer = self._ask(document, root)
            if not answer.known.is_set():
                await self._wait(answer.known, BY_HAND_S if trigger is Trigger.INVOKED else WAIT_S)
        return self.now(document, offset)

    async def close(self) -> None:
        """Stop asking; a git under way ends by itself, unheard."""
        asking = [answer.asking for answer in self._answers.values()]
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        self._git.shutdown(wait=False, cancel_futures=True)

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
        path = document.path
        if path is None:
            return
        is_new = document.uri not in self._answers or not self._answers[document.uri].known.is_set()
        if is_new and not await asyncio.to_thread(self._ignore_files.may_name, path, root):
            self._learn(document.uri, Ignored.NO)
        ignores = await asyncio.get_running_loop().run_in_executor(self._git, is_ignored, path, root)
        self._learn(document.uri, Ignored.YES if ignores else Ignored.NO)

    def _learn(self, uri: str, ignored: Ignored) -> None:
        answer = self._answers.get(uri)
        if answer is not None:
            answer.ignored = ignored
            answer.known.set()

    async def _wait(self, known: asyncio.Event, seconds: float) -> None:
        waiting = [asyncio.ensure_future(known.wait()), asyncio.ensure_future(self._daemon.clock.sleep(seconds))]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
