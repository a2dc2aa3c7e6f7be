"""The proxy's mind: what to say to the editor and to the daemon, whatever the other one does.

A pure state machine without I/O, clock or thread. It is told what arrived and what became of the connection, and
speaks through `Wires`. Its promises:

- `initialize` and `shutdown` are answered at once, with or without a daemon;
- every request of the editor gets exactly one answer, also if the daemon is not there, refuses to start or dies: a list
  without items where the editor asked for suggestions, an error with the cause elsewhere;
- a daemon that comes (again) learns all that its predecessor knew: the introduction, the settings, the open documents
  with their unsaved text;
- what a daemon has begun in the editor (a spinner, a registration) is ended when it dies.

Standard library only, since the proxy must start within milliseconds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Any, Protocol

from codeassistd.daemon.capabilities import initialize_result
from codeassistd.daemon.editor_state import EditorState
from codeassistd.daemon.footprint import Footprint

__all__ = ["STOPPING", "Phase", "Relay", "Wires"]

Message = Mapping[str, Any]

STOPPING = "codeassistd/stopping"
"""A daemon that is stopped in order says this first, so that the proxies do not start it again at once."""

#: Requests that must never fail or hang, since an editor sends one per key: they are answered empty. Never by null, on
#: which some editors keep the stale ghost.
_EMPTY: Mapping[str, object] = MappingProxyType(
    {
        "textDocument/inlineCompletion": {"items": []},
        "textDocument/completion": {"isIncomplete": True, "items": []},
    }
)
_EXIT_WITHOUT_SHUTDOWN = 1
_REPLAY_ID = "codeassistd/replay"
_ENDED = "the daemon ended before it could answer"
_STOPPED = "the daemon was stopped; `codeassistd start` starts it again"

_ERROR_MESSAGE = 1
_PARSE_ERROR = -32700
_INVALID_REQUEST = -32600
_NOT_INITIALIZED = -32002
_CANCELLED = -32800
_FAILED = -32803


class Phase(Enum):
    """Where the daemon is, seen from here."""

    SILENT = "silent"
    """The editor has not said `initialize`; nothing is looked for."""
    REACHING = "reaching"
    """Being connected to; takes milliseconds if it runs, so requests wait."""
    STARTING = "starting"
    """Being started; takes seconds, so requests for suggestions do not wait."""
    LEARNING = "learning"
    """Connected, and being told what the editor has open."""
    ATTACHED = "attached"
    """Messages pass through."""
    ABSENT = "absent"
    """Could not be started or was stopped; tried again later."""


class Wires(Protocol):
    """What the relay can do; none of it blocks or fails."""

    def to_editor(self, body: bytes) -> None:
        """Send a message to the editor."""

    def to_daemon(self, body: bytes) -> None:
        """Send a message to the connected daemon."""

    def reach(self) -> None:
        """Connect to the daemon, starting it if there is none; what comes of it is told to the relay."""

    def await_daemon(self) -> None:
        """Connect as soon as somebody else has started a daemon."""


class Relay:
    """One editor and its daemon.

    Attributes:
        phase: where the daemon is.
        is_shut_down: the editor has asked for `shutdown`.
        exit_code: set once the editor has said `exit`.
        editor_pid: the editor's process, as it introduced itself.
    """

    def __init__(self, wires: Wires) -> None:
        self.phase = Phase.SILENT
        self.exit_code: int | None = None
        self.editor_pid: int | None = None
        self._wires = wires
        self._editor = EditorState()
        self.is_shut_down = False
        self._absence = ""
        self._complained = False
        # Requests of the editor by id, without an answer yet: with the daemon, and waiting for it.
        self._asked: dict[object, str] = {}
        self._waiting: dict[object, tuple[str, bytes]] = {}
        self._footprint = Footprint()
        self._is_stopping = False

    # --- what the editor says ---

    def from_editor(self, body: bytes) -> None:
        """Take a message of the editor."""
        message = _parsed(body)
        if message is None:
            self._refuse(None, _PARSE_ERROR, "this is no JSON object")
            return
        method, identity = message.get("method"), message.get("id")
        if not isinstance(method, str):
            self._take_response(identity, body)
        elif "id" not in message:
            self._take_notification(method, message, body)
        elif isinstance(identity, str | int):
            self._take_request(identity, method, message, body)
        else:
            self._refuse(None, _INVALID_REQUEST, "an id is a number or a string")

    def _take_request(self, identity: str | int, method: str, message: Message, body: bytes) -> None:
        if method == "initialize":
            self._initialize(identity, message)
        elif self.phase is Phase.SILENT:
            self._refuse(identity, _NOT_INITIALIZED, "the first request must be initialize")
        elif self.is_shut_down:
            self._refuse(identity, _INVALID_REQUEST, "shutdown was asked for already")
        elif method == "shutdown":
            self.is_shut_down = True
            self._answer(identity, None)
        elif self.phase is Phase.ATTACHED:
            self._asked[identity] = method
            self._wires.to_daemon(body)
        elif self.phase is Phase.ABSENT or (self.phase is Phase.STARTING and method in _EMPTY):
            self._answer_without_daemon(identity, method)
        else:
            self._waiting[identity] = (method, body)

    def _initialize(self, identity: object, message: Message) -> None:
        if self.phase is not Phase.SILENT:
            self._refuse(identity, _INVALID_REQUEST, "initialize was asked for already")
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        self._answer(identity, initialize_result(params))
        self._editor.introduce(params)
        pid = params.get("processId")
        self.editor_pid = pid if isinstance(pid, int) else None
        self.phase = Phase.REACHING
        self._wires.reach()

    def _take_notification(self, method: str, message: Message, body: bytes) -> None:
        if method == "exit":
            self.exit_code = 0 if self.is_shut_down else _EXIT_WITHOUT_SHUTDOWN
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        asked = params.get("id")
        if method == "$/cancelRequest" and isinstance(asked, str | int) and asked in self._waiting:
            del self._waiting[asked]
            self._refuse(asked, _CANCELLED, "cancelled")
            return
        self._editor.note(method, params, body)
        if self.phase is Phase.ATTACHED:
            self._wires.to_daemon(body)

    def _take_response(self, identity: object, body: bytes) -> None:
        # An answer to a question of a daemon that has died must not be taken for one of its successor's.
        if isinstance(identity, str | int) and self._footprint.answered(identity):
            self._wires.to_daemon(body)

    # --- what becomes of the daemon ---

    def starting(self) -> None:
        """There is no daemon, one is being started."""
        self.phase = Phase.STARTING
        self._tell_status("starting", "")
        for identity, (method, _) in tuple(self._waiting.items()):
            if method in _EMPTY:
                del self._waiting[identity]
                self._answer_without_daemon(identity, method)

    def connected(self) -> None:
        """A daemon is there; it is introduced to the editor before anything passes through."""
        self.phase = Phase.LEARNING
        self._is_stopping = False
        request = {"id": _REPLAY_ID, "method": "initialize", "params": self._editor.introduction}
        self._wires.to_daemon(_encoded(request))

    def failed(self, cause: str) -> None:
        """No daemon could be had; whoever connects tries again later."""
        self._be_absent(cause)
        if not self._complained:
            self._complained = True
            params = {"type": _ERROR_MESSAGE, "message": f"codeassistd has no daemon: {cause}"}
            self._send({"method": "window/showMessage", "params": params})

    def lost(self) -> None:
        """The connection has ended: a crash is followed by a new start, a stop by the user is respected."""
        for message in self._footprint.farewell():
            self._send(message)
        self._footprint = Footprint()
        self._absence = _STOPPED if self._is_stopping else _ENDED
        for identity, method in self._asked.items():
            self._answer_without_daemon(identity, method)
        self._asked.clear()
        if self._is_stopping:
            self._be_absent(_STOPPED)
            self._wires.await_daemon()
        else:
            self.phase = Phase.REACHING
            self._wires.reach()

    # --- what the daemon says ---

    def from_daemon(self, body: bytes) -> None:
        """Take a message of the connected daemon."""
        message = _parsed(body)
        if message is None:
            return
        method, identity = message.get("method"), message.get("id")
        if method == STOPPING:
            self._is_stopping = True
        elif isinstance(method, str):
            self._footprint.note(message)
            self._wires.to_editor(body)
        elif identity == _REPLAY_ID:
            self._attach()
        elif self._asked.pop(identity, None) is not None:
            self._wires.to_editor(body)

    def _attach(self) -> None:
        """The daemon knows the editor now: tell it the rest, and let through what has waited."""
        self.phase = Phase.ATTACHED
        self._complained = False
        for body in self._editor.replay():
            self._wires.to_daemon(body)
        for identity, (method, body) in self._waiting.items():
            self._asked[identity] = method
            self._wires.to_daemon(body)
        self._waiting.clear()

    # --- answers of our own ---

    def _be_absent(self, cause: str) -> None:
        self.phase = Phase.ABSENT
        self._absence = cause
        self._tell_status("error", cause)
        for identity, (method, _) in self._waiting.items():
            self._answer_without_daemon(identity, method)
        self._waiting.clear()

    def _answer_without_daemon(self, identity: object, method: str) -> None:
        if method in _EMPTY:
            self._answer(identity, _EMPTY[method])
        else:
            self._refuse(identity, _FAILED, self._absence or "the daemon is being started")

    def _answer(self, identity: object, result: object) -> None:
        self._send({"id": identity, "result": result})

    def _refuse(self, identity: object, code: int, message: str) -> None:
        self._send({"id": identity, "error": {"code": code, "message": message}})

    def _tell_status(self, state: str, detail: str) -> None:
        """What the daemon would say about itself if it could."""
        self._send({"method": "codeassistd/status", "params": {"state": state, "detail": detail}})

    def _send(self, message: Message) -> None:
        self._wires.to_editor(_encoded(message))


def _parsed(body: bytes) -> dict[str, Any] | None:
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return message if isinstance(message, dict) else None


def _encoded(message: Message) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
