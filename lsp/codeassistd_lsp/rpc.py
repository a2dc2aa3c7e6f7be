"""One connection's JSON-RPC, on top of pygls: every request gets exactly one answer, whatever it looks like.

pygls answers neither a malformed request nor one after `shutdown`, tells the user of errors by popups, and hands whole
messages to its log. Here each message is judged first (is it JSON, is it one of ours, does it fit the phase, has it the
right shape) and only good ones reach pygls, which keeps the running requests, cancels them and sends the answers.
"""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import JsonRPCProtocol, default_converter
from pygls.protocol.json_rpc import JsonRPCResponseMessage

from codeassistd.documents.document import Document
from codeassistd_lsp.protocol import NOTIFICATION_TYPES, REQUEST_TYPES

if TYPE_CHECKING:
    from codeassistd_lsp.connection import Connection

__all__ = ["Phase", "Rpc", "Snapshot", "strict_converter"]

_log = logging.getLogger(__name__)

_VERSION = "2.0"
_MESSAGE_TYPES: dict[str, type] = {
    **{method: kinds[0] for method, kinds in types.METHOD_TO_TYPES.items()},
    **REQUEST_TYPES,
    **NOTIFICATION_TYPES,
}


#: What is asked of a document at a place.
_COMPLETIONS = frozenset({types.TEXT_DOCUMENT_INLINE_COMPLETION, types.TEXT_DOCUMENT_COMPLETION})
_REQUESTS = frozenset(method for method, kinds in types.METHOD_TO_TYPES.items() if kinds[1]) | REQUEST_TYPES.keys()
#: Some clients leave out parameters that are an empty table.
_WITHOUT_PARAMS: dict[str, dict[str, object]] = {types.INITIALIZE: {}, types.INITIALIZED: {}}


class Phase(Enum):
    """Where a connection stands in its life; what is allowed depends on it."""

    NEW = auto()
    """Before `initialize`."""
    OPEN = auto()
    SHUT_DOWN = auto()
    """Between `shutdown` and `exit`."""
    ENDED = auto()
    """After `exit`."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A document as it was when a request arrived.

    Attributes:
        document: of a notebook's cell, with the code of the cells before it.
        first_line: line of `document` that is the editor's first one.
    """

    document: Document | None
    in_sync: bool
    first_line: int = 0

    @property
    def path(self) -> Path | None:
        """Where the document lies on disk."""
        return None if self.document is None else self.document.path


class Rpc(JsonRPCProtocol):
    """The messages of one connection."""

    _server: Connection

    def __init__(self, server: Connection, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self.phase = Phase.NEW
        self.snapshot: ContextVar[Snapshot | None] = ContextVar("snapshot", default=None)

    def receive(self, body: bytes) -> None:
        """Take one message as it came; nothing in it can raise."""
        try:
            message = json.loads(body)
        except (ValueError, RecursionError):
            self.refuse(None, types.ErrorCodes.ParseError, "the message is not valid JSON")
            return
        if not isinstance(message, dict) or message.get("jsonrpc") != _VERSION:
            self.refuse(
                None, types.ErrorCodes.InvalidRequest, 'a message must be one JSON object with "jsonrpc": "2.0"'
            )
        elif not isinstance(message.get("method"), str):
            self._receive_answer(message)
        elif "id" in message:
            self._receive_request(message)
        else:
            self._receive_notification(message)

    def refuse(self, msg_id: int | str | None, code: types.ErrorCodes | types.LSPErrorCodes, reason: str) -> None:
        """Answer with an error; without an id it goes out as JSON-RPC asks, with a null one."""
        error = {"code": int(code), "message": reason}
        self._send_data({"jsonrpc": _VERSION, "id": msg_id, "error": error})

    def get_message_type(self, method: str) -> type[Any] | None:
        """The standard's type of a request or notification."""
        kinds = types.METHOD_TO_TYPES.get(method)
        return kinds[0] if kinds else None

    def get_result_type(self, method: str) -> type[Any] | None:
        """The standard's type of a request's answer."""
        kinds = types.METHOD_TO_TYPES.get(method)
        return kinds[1] if kinds else None

    def cancel_all(self) -> list[asyncio.Task[Any]]:
        """Cancel every running request, ours and the editor's; gives back the tasks that are now ending."""
        for future in tuple(self._request_futures.values()):
            future.cancel()
        # pygls declares them all as futures of threads, but the editor's are tasks.
        running: list[object] = [*self._request_futures.values()]
        return [task for task in running if isinstance(task, asyncio.Task)]

    def _receive_request(self, message: dict[str, Any]) -> None:
        msg_id, method = message["id"], message["method"]
        if isinstance(msg_id, bool) or not isinstance(msg_id, int | str):
            self.refuse(None, types.ErrorCodes.InvalidRequest, "the id of a request must be a number or a text")
        elif self.phase is Phase.NEW and method != types.INITIALIZE:
            self.refuse(msg_id, types.ErrorCodes.ServerNotInitialized, "the first request must be initialize")
        elif self.phase is Phase.OPEN and method == types.INITIALIZE:
            self.refuse(msg_id, types.ErrorCodes.InvalidRequest, "the server is initialized already")
        elif self.phase in {Phase.SHUT_DOWN, Phase.ENDED}:
            self.refuse(msg_id, types.ErrorCodes.InvalidRequest, "the server was shut down")
        elif method not in self.fm.features or method not in _REQUESTS:
            self.refuse(msg_id, types.ErrorCodes.MethodNotFound, f"unknown method {method}")
        else:
            structured, problem = self._structured(_with_params(message), _MESSAGE_TYPES[method])
            if problem:
                self.refuse(msg_id, types.ErrorCodes.InvalidParams, problem)
            else:
                self.handle_message(structured)

    def _receive_notification(self, message: dict[str, Any]) -> None:
        method = message["method"]
        if method != types.EXIT and self.phase is not Phase.OPEN:
            return
        known = method in self.fm.features or method == types.CANCEL_REQUEST
        if not known or method in _REQUESTS:
            return  # the standard adds notifications with each version, and all may be ignored
        structured, problem = self._structured(_with_params(message), _MESSAGE_TYPES[method])
        if problem:
            _log.warning("a malformed %s was ignored: %s", method, problem)
            self._server.notification_lost(method, message.get("params"))
        else:
            self.handle_message(structured)

    def _receive_answer(self, message: dict[str, Any]) -> None:
        msg_id = message.get("id")
        # The editor's own requests live in the same table, but as tasks.
        asked = self._request_futures.get(msg_id) if isinstance(msg_id, str) else None
        if "method" in message or not ("result" in message or "error" in message):
            self.refuse(None, types.ErrorCodes.InvalidRequest, "a message needs a method, a result or an error")
        elif isinstance(asked, Future):
            structured, problem = self._structured(message, self._answer_type(message))
            if problem:
                _log.warning("a malformed answer of the editor: %s", problem)
                self._request_futures.pop(str(msg_id)).set_exception(JsonRpcInvalidParams(problem))
            else:
                self.handle_message(structured)

    def _answer_type(self, message: dict[str, Any]) -> Any:
        awaited = self._result_types.pop(message["id"], JsonRPCResponseMessage)
        return types.ResponseErrorMessage if "error" in message else awaited

    def _structured(self, message: dict[str, Any], kind: Any) -> tuple[Any, str]:
        """The message as its type, and what is wrong with it: pygls would write a traceback into the log."""
        try:
            return self._converter.structure(message, kind), ""
        except Exception as error:  # noqa: BLE001 - the one guard of reading: whatever it is, the message was no good
            return None, _problem(error)

    def _handle_cancel_notification(self, msg_id: Any) -> None:
        # Most cancels cross their answer on the way, and pygls would warn of each. It does not check the id either.
        if isinstance(msg_id, int | str) and msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:
        # An async handler starts one turn of the loop later, when a later change may have been read already. This runs
        # in the message's own context, so the snapshot reaches its handler and no other.
        if method_name in _COMPLETIONS:
            self.snapshot.set(self._server.snapshot(params.text_document.uri))
        super()._handle_request(msg_id, method_name, params)

    def _send_handler_result(self, future: Any, *, msg_id: int | str) -> None:
        # What a handler refuses is for the editor; pygls would take it for a failure and log its traceback.
        error = None if future.cancelled() else future.exception()
        if isinstance(error, JsonRpcException):
            self._request_futures.pop(msg_id, None)
            self._send_response(msg_id, error=error.to_response_error())
        else:
            super()._send_handler_result(future, msg_id=msg_id)

    def _send_response(
        self, msg_id: int | str, result: Any | None = None, error: types.ResponseError | None = None
    ) -> None:
        # pygls puts a Python traceback into the error's data, which the editor can only show to its user.
        if error is not None and not (isinstance(error.data, dict) and error.data.keys() == {"exitCode"}):
            error = types.ResponseError(code=error.code, message=error.message)
        super()._send_response(msg_id, result, error)


def _with_params(message: dict[str, Any]) -> dict[str, Any]:
    if message.get("params") is None:
        message["params"] = _WITHOUT_PARAMS.get(message["method"])
    return message


def strict_converter() -> cattrs.Converter:
    """The converter of pygls, except that a text must be a text: its own makes the text "None" out of null."""
    converter: cattrs.Converter = default_converter()  # type: ignore[no-untyped-call]  # pygls' gap
    converter.register_structure_hook(str, _exactly)
    converter.register_structure_hook(int, _exactly)
    return converter


def _exactly(value: Any, wanted: type) -> Any:
    if issubclass(wanted, Enum):
        return wanted(value)
    if type(value) is not wanted:
        raise TypeError(f"not {wanted.__name__}")
    return value


def _problem(error: Exception) -> str:
    """What is wrong with a message, by the place in it and never by what stands there, which may be source text."""
    if isinstance(error, cattrs.BaseValidationError):
        return "malformed parameters: " + "; ".join(cattrs.transform_error(error, path="message"))
    return f"malformed parameters ({type(error).__name__})"
