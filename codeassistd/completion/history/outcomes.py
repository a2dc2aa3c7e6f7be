"""What becomes of each suggestion, for all editors: seen from their edits, and told to the journal.

Used on the loop's thread. It also knows whether the newest change of a document was a paste or a large deletion, since
only here an accepted suggestion is told from a paste.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from codeassistd.clock import Clock
from codeassistd.completion.history.followed import Followed
from codeassistd.completion.history.journal import Journal
from codeassistd.completion.history.learn import GateInForce
from codeassistd.completion.history.record import CHECKS, Fate, Record
from codeassistd.completion.types import CompletionRequest, Suggestion
from codeassistd.completion.weights import CONSTANTS
from codeassistd.documents.change import Change
from codeassistd.documents.document import Document
from codeassistd.metrics.spans import Span
from codeassistd.text import Span as TextSpan

__all__ = ["Outcomes", "is_large"]

#: More letters at once than any menu puts in or any key takes away.
_LARGE_LETTERS = 40
#: Suggestions whose acceptance is still understood, and accepted ones that are still looked for.
_MAX_FOLLOWED = 256
_NO_HISTORY = GateInForce(CONSTANTS, "constants", "no history is kept (completion.history)")

_Key = tuple[str, str]


@dataclass(slots=True, eq=False)
class _Entry:
    """A suggestion that is followed.

    Attributes:
        told: what the journal knows; None where nothing of it is kept.
        looking: looks for its text later on; None before it was accepted.
    """

    key: _Key
    followed: Followed
    told: tuple[Fate, float] | None
    looking: asyncio.Task[None] | None = None


@dataclass(frozen=True, slots=True)
class _LargeChange:
    """What made a version, in its bytes."""

    version: int
    spans: tuple[TextSpan, ...]


class Outcomes:
    """Follows the suggestions of all editors; `journal` is None where nothing is to be kept."""

    def __init__(self, clock: Clock, journal: Journal | None = None) -> None:
        self._clock = clock
        self._journal = journal
        self._newest: dict[_Key, _Entry] = {}
        self._by_id: OrderedDict[str, _Entry] = OrderedDict()
        self._contents: dict[_Key, bytes] = {}
        self._large: dict[_Key, _LargeChange] = {}

    @property
    def journal(self) -> Journal | None:
        """Where outcomes are kept."""
        return self._journal

    @property
    def gate(self) -> GateInForce:
        """What judges suggestions now."""
        return self._journal.gate if self._journal is not None else _NO_HISTORY

    def shown(self, request: CompletionRequest, suggestion: Suggestion, span: Span) -> None:
        """A suggestion goes out to an editor; its text stays in memory."""
        key, content = (request.client, request.document.uri), suggestion.text.encode("utf-8", "surrogatepass")
        self._contents[key] = request.document.text.content
        older = self._newest.get(key)
        if older is not None and older.followed.goes_on_as(content, request.offset):
            self._remember(suggestion.id, older)
            return
        if older is not None:
            older.followed.give_up()
            self._tell(older)
        entry = self._newest[key] = _Entry(key, Followed(suggestion.id, content, request.offset), None)
        if self._journal is not None and request.settings.history:
            record = Record.of(span, self.gate.name, self._clock.wall_s())
            self._journal.add(record)
            entry.told = (record.fate, record.taken)
        self._remember(suggestion.id, entry)

    def asked(self, request: CompletionRequest) -> None:
        """An editor asks at a place: a suggestion somewhere else is off its screen."""
        entry = self._newest.get((request.client, request.document.uri))
        if entry is not None and entry.followed.is_open and request.offset != entry.followed.cursor:
            entry.followed.end()
            self._tell(entry)

    def changed(self, client: str, before: Document, after: Document) -> None:
        """A document has got a new version."""
        key = (client, after.uri)
        changes = after.changes_since(before)
        self._contents[key] = after.text.content
        took = self._follow_all(self._entries(key), changes, before.text.content)
        spans = () if took else _large_spans(changes)
        if spans:
            self._large[key] = _LargeChange(after.version, spans)
        else:
            self._large.pop(key, None)

    def is_after_large_edit(self, client: str, document: Document, offset: int) -> bool:
        """Whether this version was made by a paste, a large deletion or a large undo where the cursor at `offset` is.

        What an editor changes elsewhere at the same time, such as the imports, is none of that.
        """
        large = self._large.get((client, document.uri))
        return (
            large is not None
            and large.version == document.version
            and any(span.start <= offset <= span.end for span in large.spans)
        )

    def accepted(self, identity: str) -> None:
        """An editor says that a suggestion was accepted; an id that is not known any more is none of ours."""
        entry = self._by_id.get(identity)
        if entry is not None:
            entry.followed.accept()
            self._tell(entry)

    def closed(self, client: str, uri: str) -> None:
        """A document was closed: what is not known by now is never known."""
        key = (client, uri)
        for entry in self._entries(key):
            entry.followed.give_up()
            self._tell(entry)
            self._forget(entry)
        self._newest.pop(key, None)
        self._contents.pop(key, None)
        self._large.pop(key, None)

    def client_gone(self, client: str) -> None:
        """An editor's connection has ended."""
        for key in [key for key in self._contents if key[0] == client]:
            self.closed(*key)

    async def close(self) -> None:
        """End all looks at what is still there, and have the journal written to its end."""
        tasks = [entry.looking for entry in self._by_id.values() if entry.looking is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._journal is not None:
            await asyncio.to_thread(self._journal.close)

    def _entries(self, key: _Key) -> list[_Entry]:
        """What is followed in a document: the newest suggestion, and those that were accepted a while ago."""
        newest = self._newest.get(key)
        known = {id(entry): entry for entry in self._by_id.values() if entry.key == key}
        if newest is not None:
            known[id(newest)] = newest
        return list(known.values())

    def _follow_all(self, entries: Sequence[_Entry], changes: Sequence[Change], content: bytes) -> bool:
        """Let suggestions see changes of `content`, one after the other; returns whether they put some of them in."""
        took = False
        for change in changes if entries else ():
            content = change.applied(content)
            for entry in entries:
                took = self._follow(entry, change, content) or took
        return took

    def _follow(self, entry: _Entry, change: Change, after: bytes) -> bool:
        """Let a suggestion see a change; returns whether the change put some of its text in."""
        n_before = entry.followed.taken
        entry.followed.edit(change, after)
        self._tell(entry)
        return entry.followed.taken > n_before

    def _tell(self, entry: _Entry) -> None:
        """Tell the journal what is new, and begin to look for a text once some of it was taken."""
        followed = entry.followed
        taken = 1.0 if followed.fate is Fate.ACCEPTED else round(followed.share_taken, 3)
        if entry.told is None or self._journal is None:
            return
        if entry.told[0] is not followed.fate or (not followed.is_open and entry.told[1] != taken):
            entry.told = (followed.fate, taken)
            self._journal.decide(followed.id, followed.fate, taken)
        if followed.fate in {Fate.ACCEPTED, Fate.PARTLY} and entry.looking is None:
            entry.looking = asyncio.get_running_loop().create_task(self._look(entry, self._journal))

    async def _look(self, entry: _Entry, journal: Journal) -> None:
        waited_s = 0.0
        for check, after_s in CHECKS:
            await self._clock.sleep(after_s - waited_s)
            waited_s = after_s
            journal.keep(entry.followed.id, check, round(entry.followed.share_left(self._contents[entry.key]), 3))
        self._forget(entry)

    def _remember(self, identity: str, entry: _Entry) -> None:
        self._by_id[identity] = entry
        while len(self._by_id) > _MAX_FOLLOWED:
            _, oldest = self._by_id.popitem(last=False)
            self._stop_looking(oldest)

    def _forget(self, entry: _Entry) -> None:
        for identity in [identity for identity, known in self._by_id.items() if known is entry]:
            del self._by_id[identity]
        self._stop_looking(entry)

    @staticmethod
    def _stop_looking(entry: _Entry) -> None:
        if entry.looking is not None and entry.looking is not asyncio.current_task():
            entry.looking.cancel()


def _large_spans(changes: Sequence[Change]) -> tuple[TextSpan, ...]:
    """Where the large ones of changes lie that were made one after the other, in the newest text."""
    spans: list[TextSpan] = []
    for change in changes:
        moved = (span if span.end <= change.start else _moved(span, change.growth) for span in spans)
        spans = [*moved, *([TextSpan(change.start, change.inserted_end)] if is_large(change) else [])]
    return tuple(spans)


def _moved(span: TextSpan, n_bytes: int) -> TextSpan:
    return TextSpan(span.start + n_bytes, span.end + n_bytes)


def is_large(change: Change) -> bool:
    """Whether no key and no menu makes such a change: several lines with letters, or very many letters."""
    return any(
        len(b"".join(text.split())) > _LARGE_LETTERS or sum(bool(line.strip()) for line in text.splitlines()) > 1
        for text in (change.removed, change.inserted)
    )
