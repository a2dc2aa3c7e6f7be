"""What the parser says about open documents is kept beside the typing, and never in its way."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from codeassistd.config import Settings
from codeassistd.daemon.session import Session
from codeassistd.documents.document import TextChange
from codeassistd.index.overlay import Overlay
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.languages import Languages
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.text import Text
from codeassistd_lsp.document_facts import FIRST_S, QUIET_S, FactsReader
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
_SAFETY_S = 30.0


class GatedFacts(DocumentFacts):
    """A parser that can be held, and tells which texts it read."""

    def __init__(self) -> None:
        super().__init__(Languages.default())
        self.gate = threading.Event()
        self.gate.set()
        self.read: list[str] = []

    def facts(self, uri: str, language_id: str, text: Text) -> FileFacts:
        """Wait, note, parse."""
        assert self.gate.wait(_SAFETY_S)
        self.read.append(str(text))
        return super().facts(uri, language_id, text)


class Editor:
    """A session with its reader, driven by hand."""

    def __init__(self) -> None:
        self.clock, self.parsed = FakeClock(), GatedFacts()
        self.session = Session(id="s1", settings=Settings())
        self.overlay = Overlay()
        self.reader = FactsReader(self.session, self.clock, self.parsed, self.overlay)
        self.version = 1

    def open(self, text: str, uri: str = URI) -> None:
        self.session.documents.open(uri, "python", 1, text)
        self.reader.opened(uri)

    def change(self, text: str) -> None:
        self.version += 1
        self.session.documents.change(URI, self.version, [TextChange(text)])
        self.reader.changed(URI)

    async def until_read(self, *texts: str) -> None:
        async with asyncio.timeout(_SAFETY_S):
            while self.parsed.read != list(texts):  # noqa: ASYNC110 - other threads cannot set an event of this loop
                await asyncio.sleep(0.001)

    def symbols(self) -> list[str]:
        facts = self.session.facts.get(URI)
        return [] if facts is None else [symbol.name for symbol in facts.symbols]

    def shown(self) -> dict[str, list[str]]:
        """Names that the index finds in open documents, by path."""
        files = self.overlay.seen_by("", Path("/w"))
        return {path: [symbol.name for symbol in file.facts.symbols] for path, file in files.items()}


@pytest.fixture
def editor() -> Editor:
    return Editor()


async def test_a_document_is_read_at_once_and_after_each_pause(editor: Editor) -> None:
    """Typing on puts the next reading off; only the newest text is read."""
    editor.open("def a(): pass\n")
    await editor.until_read("def a(): pass\n")
    editor.change("def b")
    await editor.clock.advance(QUIET_S / 2)
    editor.change("def b(): pass\n")
    await editor.clock.advance(QUIET_S / 2)
    assert ["def a(): pass\n"] == editor.parsed.read
    await editor.clock.advance(QUIET_S / 2)
    await editor.until_read("def a(): pass\n", "def b(): pass\n")
    await editor.reader.idle()
    assert ["b"] == editor.symbols()
    assert {"a.py": ["b"]} == editor.shown()
    await editor.reader.close()
    assert {} == editor.shown()


async def test_a_document_that_was_never_saved_is_new_to_the_index(editor: Editor, tmp_path: Path) -> None:
    """It counts from its first reading on, if its folder is the editor's; once it is saved, the survey decides."""
    editor.session.roots.append(tmp_path)
    editor.open("a = 1\n", (tmp_path / "new.py").as_uri())
    await editor.reader.idle()
    assert {"new.py": True} == {path: file.is_new for path, file in editor.overlay.seen_by("", tmp_path).items()}
    editor.reader.closed((tmp_path / "new.py").as_uri())
    (tmp_path / "saved.py").write_text("a = 1\n", encoding="utf-8")
    editor.open("a = 2\n", (tmp_path / "saved.py").as_uri())
    await editor.reader.idle()
    assert {"saved.py": False} == {path: file.is_new for path, file in editor.overlay.seen_by("", tmp_path).items()}


async def test_typing_during_a_slow_parse_does_not_cut_it_off(editor: Editor) -> None:
    """Steady typing in a file that takes long still gets facts, of an older version first and then of the newest."""
    editor.parsed.gate.clear()
    editor.open("def a(): pass\n")
    await editor.clock.advance(0)
    editor.change("def b(): pass\n")
    await editor.clock.advance(QUIET_S)
    editor.change("def c(): pass\n")
    await editor.clock.advance(QUIET_S)
    editor.parsed.gate.set()
    await editor.reader.idle()
    assert "def c(): pass\n" == editor.parsed.read[-1]
    assert ["c"] == editor.symbols()
    await editor.reader.close()


async def test_the_first_request_of_a_document_gets_its_first_facts(editor: Editor) -> None:
    """It comes before they are there, and the prompt without them would be read for nothing."""
    editor.parsed.gate.clear()
    editor.open("def a(): pass\n")
    asking = asyncio.create_task(editor.reader.newest(URI))
    await editor.clock.advance(FIRST_S / 2)
    assert not asking.done()
    editor.parsed.gate.set()
    facts = await asking
    assert facts is not None
    assert ["a"] == [symbol.name for symbol in facts.symbols]
    await editor.reader.close()


async def test_a_slow_parse_holds_up_one_request_and_not_for_long(editor: Editor) -> None:
    """Nor does it hold up any in a document whose text was changed before it was read."""
    editor.parsed.gate.clear()
    editor.open("def a(): pass\n")
    asking = asyncio.create_task(editor.reader.newest(URI))
    await editor.clock.advance(FIRST_S)
    assert await asking is None
    assert await editor.reader.newest(URI) is None
    other = "file:///w/b.py"
    editor.open("def b(): pass\n", other)
    editor.reader.changed(other)
    assert await editor.reader.newest(other) is None
    editor.parsed.gate.set()
    await editor.reader.close()


async def test_a_closed_document_has_no_facts(editor: Editor) -> None:
    """Also when it is closed while it is being read."""
    editor.parsed.gate.clear()
    editor.open("def a(): pass\n")
    await editor.clock.advance(0)
    editor.session.documents.close(URI)
    editor.reader.closed(URI)
    editor.parsed.gate.set()
    await editor.reader.idle()
    assert ({}, 0, {}) == (editor.session.facts, editor.parsed.n_trees, editor.shown())
    await editor.reader.close()


async def test_secret_files_are_not_read(editor: Editor) -> None:
    """What may not be shown to the model is not shown to the parser."""
    editor.open("KEY = 1", "file:///w/.env")
    await editor.reader.idle()
    assert ([], {}) == (editor.parsed.read, editor.shown())
    await editor.reader.close()


async def test_a_closing_connection_waits_for_no_parser(editor: Editor) -> None:
    """A parse under way ends unheard."""
    editor.parsed.gate.clear()
    editor.open("def a(): pass\n")
    await editor.clock.advance(0)
    await editor.reader.close()
    editor.parsed.gate.set()
    assert {} == editor.session.facts


async def test_a_session_has_the_facts_of_what_its_editor_shows(tmp_path: Path) -> None:
    """Through the protocol: open, type, pause, close."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        [session] = running.daemon.sessions
        client.open(URI, "def alpha(): pass\n")
        await running.until(lambda: URI in session.facts)
        assert ["alpha"] == [symbol.name for symbol in session.facts[URI].symbols]
        client.change(URI, {"text": "def beta(): pass\n"})
        await client.request("codeassistd/status")
        await running.clock.advance(QUIET_S)
        await running.until(lambda: [symbol.name for symbol in session.facts[URI].symbols] == ["beta"])
        client.close_document(URI)
        await client.request("codeassistd/status")
        assert {} == session.facts
