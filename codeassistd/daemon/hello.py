"""The first line of a connection, and the daemon's answer to it; all that both sides must agree on for ever.

    client -> daemon   {"protocol": 1, "version": "0.1.0", "kind": "lsp" | "control", "token": ""}
    daemon -> client   {"protocol": 1, "version": "0.1.0", "ok": true, "error": ""}

After an `ok`, `lsp` connections carry framed LSP messages and `control` connections one JSON-RPC object per line.
Standard library only, since the proxy uses it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from codeassistd import __version__

__all__ = ["MAX_LINE_BYTES", "PROTOCOL", "Answer", "Hello", "HelloError", "Kind"]

_T = TypeVar("_T")

PROTOCOL = 1
#: A peer that sends more than this without a line end does not speak our protocol.
MAX_LINE_BYTES = 4096


class HelloError(ValueError):
    """A line is not what our own programs send."""


class Kind(StrEnum):
    """What a connection is for."""

    LSP = "lsp"
    CONTROL = "control"


@dataclass(frozen=True, slots=True)
class Hello:
    """The client's first line.

    Attributes:
        token: proves on loopback TCP that the client can read the owner's files; empty on a unix socket.
    """

    kind: Kind
    protocol: int = PROTOCOL
    version: str = __version__
    token: str = ""

    def to_line(self) -> bytes:
        """As sent, with the line end."""
        return _line(protocol=self.protocol, version=self.version, kind=self.kind, token=self.token)

    @classmethod
    def from_line(cls, line: bytes) -> Hello:
        """Read what a client sent.

        Raises:
            HelloError: this is no hello of ours.
        """
        fields = _object(line)
        kind = _typed(fields, "kind", str)
        if kind not in tuple(Kind):
            raise HelloError(f"unknown kind {kind!r}")
        return cls(
            kind=Kind(kind),
            protocol=_typed(fields, "protocol", int),
            version=_typed(fields, "version", str),
            token=str(fields.get("token", "")),
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The daemon's answer: `error` says in one line why it will not talk, and is empty if it will."""

    error: str = ""
    protocol: int = PROTOCOL
    version: str = __version__

    @property
    def ok(self) -> bool:
        """Whether the connection may go on."""
        return not self.error

    def to_line(self) -> bytes:
        """As sent, with the line end."""
        return _line(protocol=self.protocol, version=self.version, ok=self.ok, error=self.error)

    @classmethod
    def from_line(cls, line: bytes) -> Answer:
        """Read what a daemon sent.

        Raises:
            HelloError: this is no answer of ours.
        """
        fields = _object(line)
        error = "" if _typed(fields, "ok", bool) else str(fields.get("error") or "the daemon refused without a reason")
        return cls(error, _typed(fields, "protocol", int), _typed(fields, "version", str))


def _line(**fields: object) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def _object(line: bytes) -> dict[str, object]:
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise HelloError("not JSON") from error
    if not isinstance(fields, dict):
        raise HelloError("not an object")
    return fields


def _typed(fields: dict[str, object], name: str, kind: type[_T]) -> _T:
    value = fields.get(name)
    if not isinstance(value, kind):
        raise HelloError(f"{name} is missing or of a wrong type")
    return value
