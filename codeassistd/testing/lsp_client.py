"""A language client for tests, benches and evals: it keeps what the server says, and no error goes unnoticed.

    async with LspClient(reader, writer) as client:
        await client.initialize(root=tmp_path)
        client.open("file:///w/a.py", "x = ")
        items = await client.complete("file:///w/a.py", 0, 4)

An error that the test did not read fails it at the end of the block: an answer whose result was never asked for, and
what the server reports by itself (an answer without an id, an error message to the user; read with `take_errors`).
Standard library only.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["AUTOMATIC", "INVOKED", "LspClient", "LspError", "Message", "Pending"]

#: The protocol's two kinds of trigger: the user asked by hand, or the editor asks while the user types.
INVOKED, AUTOMATIC = 1, 2

_SAFETY_S = 120.0
_ERROR_TYPE = 1
_METHOD_NOT_FOUND = -32601
#: Not a code of the protocol: the connection ended before an answer came.
_ENDED = 0


class LspError(Exception):
    """The server answered a request with an error."""

    def __init__(self, error: Mapping[str, Any]) -> None:
        self.code = int(error.get("code", 0))
        self.message = str(error.get("message", ""))
        self.data = error.get("data")
        super().__init__(f"{self.code}: {self.message}")


@dataclass(frozen=True, slots=True)
class Message:
    """A notification or request of the server."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Pending:
    """A request under way."""

    id: int | str
    answer: asyncio.Future[Any]
    read: Callable[[], None]

    @property
    def done(self) -> bool:
        """Whether the answer has come."""
        return self.answer.done()

    async def result(self) -> Any:
        """Wait for the answer.

        Raises:
            LspError: it is an error.
            TimeoutError: none came within the safety time.
        """
        self.read()
        async with asyncio.timeout(_SAFETY_S):
            return await asyncio.shield(self.answer)


class LspClient:
    """One connection to a server.

    Attributes:
        received: notifications and requests of the server, in order.
        hear: called with each of them as it comes.
        n_surplus: answers that belonged to no request, or to one that had its answer; each is an error too.
        replies: what to answer to the server's requests, by method: a function of the parameters. Requests without an
            entry are answered as an unknown method.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.received: list[Message] = []
        self.hear: Callable[[Message], None] = _overhear
        self.n_surplus = 0
        self.replies: dict[str, Callable[[Any], Any]] = {}
        self.versions: dict[str, int] = {}
        self._reader = reader
        self._writer = writer
        self._ids = itertools.count(1)
        self._pending: dict[int | str, asyncio.Future[Any]] = {}
        self._unread: dict[int | str, asyncio.Future[Any]] = {}
        self._errors: list[str] = []
        self._news = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._reading = asyncio.get_running_loop().create_task(self._read())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.hang_up()
        self._errors += [str(problem) for answer in self._unread.values() if (problem := _error_of(answer)) is not None]
        # A failure inside the block is the better story.
        if error is None and self._errors:
            raise AssertionError("the server reported errors that the test did not take:\n" + "\n".join(self._errors))

    async def hang_up(self) -> None:
        """Close the connection without a word, like an editor that was killed."""
        self._writer.close()
        await self.stop_reading()

    async def stop_reading(self) -> None:
        """Read nothing any more, like an editor that hangs."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.gather(self._reading, return_exceptions=True)

    async def closed(self) -> None:
        """Wait until the server has closed the connection."""
        if self._reading is not None:
            async with asyncio.timeout(_SAFETY_S):
                await asyncio.shield(self._reading)

    # --- plain messages ---

    def start(self, method: str, params: object = None, msg_id: int | str | None = None) -> Pending:
        """Send a request without waiting for its answer."""
        msg_id = next(self._ids) if msg_id is None else msg_id
        answer = self._pending[msg_id] = asyncio.get_running_loop().create_future()
        self._unread[msg_id] = answer
        self.send({"id": msg_id, "method": method, "params": params})
        return Pending(msg_id, answer, lambda: self._read_answer(msg_id))

    async def request(self, method: str, params: object = None) -> Any:
        """Send a request and wait for its result.

        Raises:
            LspError: the server answered with an error.
        """
        return await self.start(method, params).result()

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send({"method": method, "params": params})

    def cancel(self, pending: Pending) -> None:
        """Take a request back."""
        self.notify("$/cancelRequest", {"id": pending.id})

    def send(self, message: Mapping[str, object]) -> None:
        """Send a message as it is, but for the protocol's version and absent parameters."""
        kept = {key: value for key, value in message.items() if key != "params" or value is not None}
        self.send_body(json.dumps({"jsonrpc": "2.0"} | kept).encode("utf-8"))

    def send_body(self, body: bytes) -> None:
        """Send any bytes as one framed message."""
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send_bytes(self, data: bytes) -> None:
        """Send any bytes."""
        self._writer.write(data)

    # --- what the server said ---

    async def wait_for(self, method: str, fits: Callable[[Any], bool] = lambda _params: True, after: int = 0) -> Any:
        """Wait until the server has sent `method` with parameters that fit, counting from the message number `after`.

        Returns:
            Those parameters.
        """

        def found() -> list[Any]:
            return [
                message.params for message in self.received[after:] if message.method == method and fits(message.params)
            ]

        async with asyncio.timeout(_SAFETY_S), self._news:
            await self._news.wait_for(lambda: bool(found()))
            return found()[0]

    async def wait_for_errors(self, n_errors: int = 1) -> list[str]:
        """Wait until the server has reported so many errors by itself, and take them."""
        async with asyncio.timeout(_SAFETY_S), self._news:
            await self._news.wait_for(lambda: len(self._errors) >= n_errors)
        return self.take_errors()

    def take_errors(self) -> list[str]:
        """The errors that the server reported by itself; they count as read."""
        errors, self._errors = self._errors, []
        return errors

    # --- the usual conversation ---

    async def initialize(
        self,
        root: Path | None = None,
        capabilities: Mapping[str, object] | None = None,
        options: object = None,
    ) -> Any:
        """Say hello, and that we are ready.

        Returns:
            What the server said about itself.
        """
        folders = None if root is None else [{"uri": root.as_uri(), "name": root.name}]
        params = {
            "processId": None,
            "clientInfo": {"name": "test"},
            "rootUri": None,
            "capabilities": dict(capabilities or {}),
            "workspaceFolders": folders,
            "initializationOptions": options,
        }
        result = await self.request("initialize", params)
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, language: str = "python", version: int = 1) -> None:
        """Open a document."""
        self.versions[uri] = version
        document = {"uri": uri, "languageId": language, "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, *changes: Mapping[str, object], version: int | None = None) -> None:
        """Change a document; the version counts up by itself."""
        self.versions[uri] = self.versions.get(uri, 0) + 1 if version is None else version
        document = {"uri": uri, "version": self.versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": list(changes)})

    def insert(self, uri: str, line: int, character: int, text: str) -> None:
        """Type `text` at a place."""
        place = {"line": line, "character": character}
        self.change(uri, {"range": {"start": place, "end": place}, "text": text})

    def close_document(self, uri: str) -> None:
        """Close a document."""
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def start_completion(
        self,
        uri: str,
        line: int,
        character: int,
        *,
        trigger_kind: int = AUTOMATIC,
        selected: Mapping[str, object] | None = None,
    ) -> Pending:
        """Ask for an inline completion without waiting for it."""
        context: dict[str, object] = {"triggerKind": trigger_kind}
        if selected is not None:
            context["selectedCompletionInfo"] = selected
        params = {
            "textDocument": {"uri": uri},
            "position": {"line": line, "character": character},
            "context": context,
        }
        return self.start("textDocument/inlineCompletion", params)

    async def complete(self, uri: str, line: int, character: int, *, trigger_kind: int = AUTOMATIC) -> Sequence[Any]:
        """Ask for an inline completion and wait for its items."""
        result = await self.start_completion(uri, line, character, trigger_kind=trigger_kind).result()
        items: Sequence[Any] = result["items"]
        return items

    async def leave(self) -> None:
        """Say goodbye as the protocol wants it, and wait until the server has closed the connection."""
        await self.request("shutdown")
        self.notify("exit")
        await self.closed()

    # --- reading ---

    async def _read(self) -> None:
        try:
            while (message := await self._next()) is not None:
                self._take(message)
                async with self._news:
                    self._news.notify_all()
        finally:
            for answer in self._pending.values():
                answer.set_exception(LspError({"code": _ENDED, "message": "the connection ended"}))

    async def _next(self) -> dict[str, Any] | None:
        length = 0
        try:
            while (line := await self._reader.readline()).strip():
                name, _, value = line.partition(b":")
                if name.lower() == b"content-length":
                    length = int(value)
            if not line:
                return None
            message: dict[str, Any] = json.loads(await self._reader.readexactly(length))
        except (asyncio.IncompleteReadError, ConnectionError):
            return None
        return message

    def _take(self, message: dict[str, Any]) -> None:
        method, msg_id = message.get("method"), message.get("id")
        if method is None:
            self._take_answer(msg_id, message)
            return
        params: Any = message.get("params")
        self.received.append(Message(method, params))
        self.hear(self.received[-1])
        if msg_id is not None:
            reply = self.replies.get(method)
            unknown = {"error": {"code": _METHOD_NOT_FOUND, "message": f"no {method} here"}}
            self.send({"id": msg_id} | (unknown if reply is None else {"result": reply(params)}))
        elif method in {"window/showMessage", "window/logMessage"} and params.get("type") == _ERROR_TYPE:
            self._errors.append(f"{method}: {params.get('message')}")

    def _read_answer(self, msg_id: int | str) -> None:
        self._unread.pop(msg_id, None)

    def _take_answer(self, msg_id: object, message: dict[str, Any]) -> None:
        answer = self._pending.pop(msg_id, None) if isinstance(msg_id, int | str) else None
        error = message.get("error")
        if answer is None or answer.done():
            self.n_surplus += 1
            self._errors.append(f"answer without a request, or a second one to {msg_id}: {error or message}")
        elif error is not None:
            answer.set_exception(LspError(error))
        else:
            answer.set_result(message["result"])


def _overhear(message: Message) -> None:
    del message


def _error_of(answer: asyncio.Future[Any]) -> BaseException | None:
    """The error that has come as an answer; that no answer came is none."""
    problem = answer.exception() if answer.done() else None
    return None if isinstance(problem, LspError) and problem.code == _ENDED else problem
