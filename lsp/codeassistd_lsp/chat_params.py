"""What an editor sends about conversations, read strictly: a question must not go out other than it was meant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from codeassistd.chat.conversation import MAX_SESSION, session_name
from codeassistd.chat.request import MAX_TEXT, RawOutput
from codeassistd.documents.uri import path_of
from codeassistd.text import Position

__all__ = ["DEFAULT_SESSION", "ChatParams", "session_of"]

DEFAULT_SESSION = "default"


@dataclass(frozen=True, slots=True)
class ChatParams:
    """A question as the editor sends it.

    Attributes:
        uri: of the document that the user looks at; empty if there is none.
        selection: start and end in that document, in the editor's units; None if nothing is selected.
        token: of the progress that tells what is said; None if nobody wants to hear it.
    """

    session: str
    text: str
    uri: str = ""
    selection: tuple[Position, Position] | None = None
    files: tuple[Path, ...] = ()
    outputs: tuple[RawOutput, ...] = ()
    token: int | str | None = None

    @classmethod
    def of(cls, params: object) -> ChatParams:
        """Read the parameters of a question.

        Raises:
            JsonRpcInvalidParams: with what is wrong.
        """
        table = _table(params, "params")
        document = table.get("textDocument")
        selection = table.get("selection")
        token = table.get("partialResultToken")
        if token is not None and (isinstance(token, bool) or not isinstance(token, int | str)):
            raise JsonRpcInvalidParams("partialResultToken must be a number or a text")
        if selection is not None and document is None:
            raise JsonRpcInvalidParams("a selection needs its textDocument")
        return cls(
            session=session_of(params),
            text=_text(table, "text"),
            uri="" if document is None else _text(_table(document, "textDocument"), "uri"),
            selection=None if selection is None else _range(selection),
            files=tuple(_path(uri) for uri in _list(table, "files")),
            outputs=tuple(_output(item) for item in _list(table, "outputs")),
            token=token,
        )


def session_of(params: object) -> str:
    """The name of the conversation that is meant.

    Raises:
        JsonRpcInvalidParams: it is no name.
    """
    given = _table(params, "params").get("session")
    if given is None:
        return DEFAULT_SESSION
    name = session_name(given) if isinstance(given, str) else None
    if name is None:
        raise JsonRpcInvalidParams(f"session must be a name of 1 to {MAX_SESSION} printable letters")
    return name


def _output(item: object) -> RawOutput:
    table = _table(item, "outputs")
    code = table.get("exitCode")
    if code is not None and (isinstance(code, bool) or not isinstance(code, int)):
        raise JsonRpcInvalidParams("exitCode must be a number")
    return RawOutput(_text(table, "command"), _text(table, "text"), code)


def _range(value: object) -> tuple[Position, Position]:
    table = _table(value, "selection")
    return _position(table.get("start")), _position(table.get("end"))


def _position(value: object) -> Position:
    table = _table(value, "selection")
    line, character = table.get("line"), table.get("character")
    return Position(_count(line), _count(character))


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise JsonRpcInvalidParams("selection must be a range of positions, each with line and character")
    return value


def _path(uri: object) -> Path:
    path = path_of(uri) if isinstance(uri, str) else None
    if path is None:
        raise JsonRpcInvalidParams("files must be uris of files on this machine")
    return path


def _table(value: object, name: str) -> Mapping[str, Any]:
    if value is None and name == "params":
        return {}
    if not isinstance(value, Mapping):
        raise JsonRpcInvalidParams(f"{name} must be an object")
    return value


def _text(table: Mapping[str, Any], name: str) -> str:
    value = table.get(name)
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise JsonRpcInvalidParams(f"{name} must be a text of at most {MAX_TEXT} letters")
    return value


def _list(table: Mapping[str, Any], name: str) -> Sequence[object]:
    value = table.get(name)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise JsonRpcInvalidParams(f"{name} must be a list")
    return value
