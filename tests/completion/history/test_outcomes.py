"""What becomes of suggestions, over documents, editors and time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from codeassistd.completion.history.journal import Journal
from codeassistd.completion.history.outcomes import Outcomes, is_large
from codeassistd.completion.history.record import Fate, Record
from codeassistd.completion.history.store import HistoryStore
from codeassistd.completion.types import Suggestion
from codeassistd.documents.change import Change
from codeassistd.documents.document import Document
from codeassistd.metrics.spans import Source, Span
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.text import Text
from tests.support.completing import cursor
from tests.support.evidence import USUAL


@dataclass
class Desk:
    """One document that is typed in, and the history of what is suggested in it."""

    outcomes: Outcomes
    journal: Journal
    clock: FakeClock
    path: Path
    client: str = "s1"
    document: Document = field(default_factory=lambda: cursor("x = |").document)

    def suggest(self, text: str, identity: str = "a", offset: int | None = None, **settings: object) -> None:
        """Show a suggestion at the end of the document, or at `offset`."""
        at = len(self.document.text) if offset is None else offset
        request = replace(cursor(**settings), client=self.client, document=self.document, offset=at)  # type: ignore[arg-type]
        span = Span(identity, "automatic", "python", score=0.5, evidence=USUAL.as_table(), source=Source.ENGINE)
        self.outcomes.asked(request)
        self.outcomes.shown(request, Suggestion(identity, text), span)

    def write(self, text: str) -> None:
        """The document's next version."""
        before = self.document
        self.document = replace(before, version=before.version + 1, text=Text.of(text))
        self.outcomes.changed(self.client, before, self.document)

    def edit(self, *changes: Change) -> None:
        """The document's next version, told as edits one after the other."""
        before, content = self.document, self.document.text.content
        for change in changes:
            content = change.applied(content)
        self.document = replace(before, version=before.version + 1, text=Text.of(content), changes=changes)
        self.outcomes.changed(self.client, before, self.document)

    def rows(self) -> dict[str, Record]:
        """What is kept, by id."""
        self.journal.flush()
        store = HistoryStore.open(self.path)
        try:
            return {row.id: row for row in store.newest()}
        finally:
            store.close()

    def fates(self) -> dict[str, Fate]:
        return {identity: row.fate for identity, row in self.rows().items()}


@asynccontextmanager
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock, path = FakeClock(), tmp_path / "history" / "history.db"
    journal = Journal(path, clock)
    outcomes = Outcomes(clock, journal)
    try:
        yield Desk(outcomes, journal, clock, path)
    finally:
        await outcomes.close()


async def test_an_accepted_suggestion_is_looked_for_later(tmp_path: Path) -> None:
    """After 30 s, 2 and 10 minutes; what is left of it by then is a share, and moves with the text above."""
    async with desk(tmp_path) as at:
        at.suggest("total + tax + fee")
        at.write("x = total + tax + fee")
        at.outcomes.accepted("a")
        assert {"a": Fate.ACCEPTED} == at.fates()
        await at.clock.advance(30)
        at.write("import os\n" * 200 + "x = total + tax + fee")
        await at.clock.advance(90)
        at.write("import os\n" * 200 + "x = total + tax")
        await at.clock.advance(480)
        row = at.rows()["a"]

        assert (1.0, 1.0, 1.0, 0.5) == (row.taken, row.kept_30s, row.kept_2min, row.kept_10min)


async def test_a_suggestion_typed_along_is_one_row(tmp_path: Path) -> None:
    """The editor asks after each key and gets the rest; accepting the rest accepts the suggestion."""
    async with desk(tmp_path) as at:
        at.suggest("abc", "a")
        at.write("x = a")
        at.suggest("bc", "b")
        at.write("x = abc")
        at.outcomes.accepted("b")

        assert {"a": Fate.ACCEPTED} == at.fates()


async def test_each_end_of_a_suggestion(tmp_path: Path) -> None:
    """Something else typed; the cursor moved; replaced by another; closed."""
    async with desk(tmp_path) as at:
        at.suggest("abc", "typed over")
        at.write("x = z")
        at.suggest("yyy", "moved away")
        at.suggest("q", "replaced", offset=0)
        at.suggest("r", "closed", offset=0)
        at.outcomes.closed("s1", at.document.uri)

        assert {
            "typed over": Fate.DISMISSED,
            "moved away": Fate.DISMISSED,
            "replaced": Fate.SHOWN,
            "closed": Fate.SHOWN,
        } == at.fates()


async def test_closing_a_document_loses_only_the_looks(tmp_path: Path) -> None:
    """The acceptance is kept; nobody looks for its text any more, and no task is left."""
    async with desk(tmp_path) as at:
        at.suggest("abc def")
        at.write("x = abc def")
        await at.clock.advance(30)
        at.outcomes.client_gone("s1")
        await at.clock.advance(600)
        row = at.rows()["a"]

        assert (Fate.ACCEPTED, 1.0, None) == (row.fate, row.kept_30s, row.kept_2min)
        assert 0 == at.clock.n_sleeping


async def test_editors_and_documents_are_apart(tmp_path: Path) -> None:
    """The same file in two editors: what one types says nothing about the other's suggestion."""
    async with desk(tmp_path) as at:
        at.suggest("abc", "mine")
        theirs = replace(at, client="s2")
        theirs.suggest("abc", "theirs")
        theirs.write("x = abc")

        assert {"mine": Fate.SHOWN, "theirs": Fate.ACCEPTED} == at.fates()


async def test_no_text_is_kept(tmp_path: Path) -> None:
    """Neither of the suggestion nor of the document nor of its path: not in any file of the history."""
    async with desk(tmp_path) as at:
        at.suggest("canary_one + 1", "a")
        at.write("x = canary_one + 1")
        at.outcomes.accepted("a")
        at.write("canary_two = 3")
        await at.clock.advance(600)
        at.rows()
        for file in at.path.parent.iterdir():
            content = file.read_bytes()
            assert [] == [word for word in (b"canary", b"cart.py", b"/home/ada") if word in content]


async def test_switched_off_nothing_is_kept(tmp_path: Path) -> None:
    """By the user's setting for this document; it is followed all the same, for the rule about pastes."""
    async with desk(tmp_path) as at:
        at.suggest("abc def ghi", history=False)
        at.write("x = abc def ghi")
        at.outcomes.accepted("a")

        assert {} == at.fates()
        assert not at.outcomes.is_after_large_edit("s1", at.document, len(at.document.text))


async def test_without_a_journal_it_works() -> None:
    """The daemon keeps no history at all."""
    at = Desk(Outcomes(FakeClock()), None, FakeClock(), Path())  # type: ignore[arg-type]  # none is asked
    at.suggest("abc")
    at.write("x = abc")
    at.outcomes.accepted("a")
    await at.outcomes.close()

    assert ("constants", "no history is kept (completion.history)") == (at.outcomes.gate.name, at.outcomes.gate.why)


async def test_a_paste_is_told_from_an_acceptance(tmp_path: Path) -> None:
    """Both put in many lines at once; only the paste is one. The next key ends it."""
    block = "\n    first = 1\n    second = 2\n    return first + second"
    async with desk(tmp_path) as at:
        at.suggest(block)
        at.write("x = " + block)
        accepted = at.outcomes.is_after_large_edit("s1", at.document, len(at.document.text))
        at.write("x = " + block + block)
        pasted = at.outcomes.is_after_large_edit("s1", at.document, len(at.document.text))
        at.write("x = " + block + block + "\n")
        typed_on = at.outcomes.is_after_large_edit("s1", at.document, len(at.document.text))
        at.write("x = ")
        undone = at.outcomes.is_after_large_edit("s1", at.document, len(at.document.text))

        assert [False, True, False, True] == [accepted, pasted, typed_on, undone]


async def test_what_changes_elsewhere_is_no_paste(tmp_path: Path) -> None:
    """An editor puts in an import, or lays out the lines above: the cursor does not stand there."""
    header = b"from somewhere.far.away import a_rather_long_name\n"
    async with desk(tmp_path) as at:
        at.edit(Change(4, b"", b"thing"), Change(0, b"", header))
        end = len(at.document.text)
        with_import = [at.outcomes.is_after_large_edit("s1", at.document, place) for place in (end, len(header))]
        at.edit(Change(end, b"", b"\n" + 50 * b"a"), Change(0, b"", b"# 1\n"))
        pasted = at.outcomes.is_after_large_edit("s1", at.document, len(at.document.text))

        assert [False, True] == with_import
        assert pasted


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("x", "xy", False),
        ("f", "f()", False),
        ("def f():", "def f():\n    ", False),
        ("{}", "{\n    \n}", False),
        ("conf", "configuration_of_the_whole_program", False),
        ("", "a = 1\nb = 2\n", True),
        ("", "x" * 41, True),
        ("a = 1\nb = 2\n", "", True),
        ("one line that is not long\n", "", False),
    ],
)
def test_what_no_key_makes(before: str, after: str, expected: bool) -> None:  # noqa: FBT001 - a column
    """Several lines with letters, or very many letters, put in or taken out at once."""
    assert expected is is_large(Change.between(before.encode(), after.encode()))


async def test_only_so_many_are_followed(tmp_path: Path) -> None:
    """A daemon that runs for weeks does not remember each suggestion."""
    async with desk(tmp_path) as at:
        for number in range(300):
            at.suggest(f"word{number}", f"n{number}")
        assert 256 == len(at.outcomes._by_id)
        at.outcomes.accepted("n0")
        at.outcomes.accepted("n299")

        assert (Fate.SHOWN, Fate.ACCEPTED) == (at.fates()["n0"], at.fates()["n299"])
    assert {asyncio.current_task()} == asyncio.all_tasks()
