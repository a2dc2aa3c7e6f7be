"""One editor at the other end of a stream: its session, its settings, what runs for it, and how to talk to it.

Made for each connection and never shared, since pygls answers the second client of one server object on the first
one's stream. Everything here runs on the loop's thread.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.server import JsonRPCServer

from codeassistd.daemon.daemon import Daemon
from codeassistd.daemon.session import Session
from codeassistd.index.overlay import Overlay
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.languages import Languages
from codeassistd_lsp.client import Client
from codeassistd_lsp.document_facts import FactsReader
from codeassistd_lsp.framing import FramingError, MessageReader, MessageTooLargeError
from codeassistd_lsp.menu_offer import MenuOffer
from codeassistd_lsp.moments import Moments
from codeassistd_lsp.progress import ProgressBar
from codeassistd_lsp.rpc import Phase, Rpc, Snapshot, strict_converter
from codeassistd_lsp.session_settings import SessionSettings
from codeassistd_lsp.settings_watch import SettingsWatch

__all__ = ["Connection"]

_log = logging.getLogger(__name__)


class Connection(JsonRPCServer):
    """Serves one editor.

    Attributes:
        client: what the editor said about itself; empty before `initialize`.
        settings: the settings of this session and of each of its workspaces.
        settings_watch: notices when the file of a workspace is changed.
        facts: keeps `session.facts` up to date.
        moments: what the user is busy with.
        menu_offer: tells the editor of suggestions for its completion menu.
    """

    protocol: Rpc

    def __init__(self, daemon: Daemon, session: Session, writer: asyncio.StreamWriter) -> None:
        super().__init__(Rpc, strict_converter)
        self.daemon = daemon
        self.session = session
        self.client = Client()
        self.settings = SessionSettings(daemon.paths, lambda: daemon.settings, daemon.pinned)
        self.settings_watch = SettingsWatch(daemon.clock)
        overlay = daemon.indexer.overlay if daemon.indexer is not None else Overlay()
        self.facts = FactsReader(session, daemon.clock, DocumentFacts(Languages.default()), overlay)
        self.moments = Moments(daemon, session)
        self.progress = ProgressBar(self.protocol, daemon)
        self.menu_offer = MenuOffer(self.protocol, self.spawn, self.warn)
        self._output = _Output(writer)
        self._tasks: set[asyncio.Task[None]] = set()
        self._warned: set[str] = set()
        self._at_close: list[Callable[[], None]] = []
        self.protocol.set_writer(self._output)

    async def run(self, reader: asyncio.StreamReader) -> None:
        """Serve until the editor says `exit` or its stream ends."""
        messages = MessageReader(reader)
        while self.protocol.phase is not Phase.ENDED:
            try:
                body = await messages.read()
            except MessageTooLargeError as error:
                self.protocol.refuse(None, types.ErrorCodes.InvalidRequest, str(error))
                continue
            except FramingError as error:
                self.protocol.refuse(None, types.ErrorCodes.ParseError, f"{error}; the connection ends")
                return
            if body is None:
                return
            self.protocol.receive(body)
            if not await self._output.drained():
                return

    async def close(self) -> None:
        """End everything that runs for this editor; what it asked the engine for is aborted."""
        for call in self._at_close:
            call()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, *self.protocol.cancel_all(), return_exceptions=True)
        await self.facts.close()
        await self.moments.close()
        self.daemon.outcomes.client_gone(self.session.id)
        self.daemon.completion.client_gone(self.session.id)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run `work` beside the messages, for at most as long as the connection lives."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def until_closed(self, end: Callable[[], None]) -> None:
        """Call `end` when the connection closes."""
        self._at_close.append(end)

    def snapshot(self, uri: str) -> Snapshot:
        """The document as it is now."""
        documents = self.session.documents
        cell = self.session.notebooks.cell(uri, documents)
        if cell is not None:
            return Snapshot(cell.document, documents.in_sync(uri), cell.first_line)
        return Snapshot(documents.get(uri), documents.in_sync(uri))

    def notification_lost(self, method: str, params: object) -> None:
        """A notification could not be read. A lost edit or text makes its document unreliable."""
        if method == types.NOTEBOOK_DOCUMENT_DID_CHANGE and isinstance(params, dict):
            book = params.get("notebookDocument")
            uri = book.get("uri") if isinstance(book, dict) else None
            notebook = self.session.notebooks.get(uri) if isinstance(uri, str) else None
            for cell in () if notebook is None else notebook.cells:
                self.session.documents.missed(cell.uri)
        if method in {types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE} and isinstance(params, dict):
            document = params.get("textDocument")
            if isinstance(document, dict) and isinstance(document.get("uri"), str):
                self.session.documents.missed(document["uri"])

    def warn(self, text: str) -> None:
        """Tell the user once, in the editor's log: never by a popup."""
        if text not in self._warned:
            self._warned.add(text)
            params = types.LogMessageParams(type=types.MessageType.Warning, message=f"codeassistd: {text}")
            self.protocol.notify(types.WINDOW_LOG_MESSAGE, params)

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """A handler failed: a mistake of ours, for our log; the request was answered with an error already."""
        del source
        if isinstance(error, JsonRpcException):
            # Its message may quote what the user typed; its data are the lines of our own code.
            lines = error.data.get("traceback", []) if isinstance(error.data, dict) else []
            _log.error("a message could not be handled: code %d\n%s", error.code, "".join(lines))
        else:
            _log.error("a message could not be handled", exc_info=error)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("a background task of the language server failed", exc_info=error)


class _Output:
    """The stream to the editor; what is written after it broke is dropped, since nobody is left to read it."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    def write(self, data: bytes) -> None:
        """Send `data` soon."""
        if not self._writer.is_closing():
            self._writer.write(data)

    def close(self) -> None:
        """Close the stream."""
        self._writer.close()

    async def drained(self) -> bool:
        """Wait while the editor is slow to read, so that no unread answers pile up; False once the stream is broken."""
        try:
            await self._writer.drain()
        except ConnectionError:
            return False
        return True
