"""What an editor says about itself in `initialize`, read leniently: what is malformed counts as absent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.daemon.capabilities import asks_for_menu
from codeassistd.documents.uri import path_of

__all__ = ["Client"]


@dataclass(frozen=True, slots=True)
class Client:
    """The editor at the other end.

    Attributes:
        roots: its workspace folders on this machine's disk.
        options: its `initializationOptions`.
        shows_progress: it lets the server start progress bars.
        answers_configuration: the server may ask it for its settings.
        shows_parts: it shows a suggestion while that is still being written (`codeassistd/partial`).
        is_told_of_menu: it was told at the start that there are suggestions for its completion menu, since it asked.
        registers_menu: it may be told of that later.
        draws_inline: it has inline completion of its own.
    """

    name: str = ""
    roots: tuple[Path, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)
    shows_progress: bool = False
    answers_configuration: bool = False
    shows_parts: bool = False
    is_told_of_menu: bool = False
    registers_menu: bool = False
    draws_inline: bool = False

    @classmethod
    def of(cls, params: Mapping[str, object]) -> Client:
        """Read the parameters of `initialize`."""
        can = _table(params.get("capabilities"))
        ours = _table(_table(can.get("experimental")).get("codeassistd"))
        text_document = _table(can.get("textDocument"))
        return cls(
            name=_text(_table(params.get("clientInfo")).get("name")),
            roots=_roots(params),
            options=_table(params.get("initializationOptions")),
            shows_progress=_table(can.get("window")).get("workDoneProgress") is True,
            answers_configuration=_table(can.get("workspace")).get("configuration") is True,
            shows_parts=ours.get("partial") is True,
            is_told_of_menu=asks_for_menu(params),
            registers_menu=_table(text_document.get("completion")).get("dynamicRegistration") is True,
            draws_inline=isinstance(text_document.get("inlineCompletion"), Mapping),
        )


def _roots(params: Mapping[str, object]) -> tuple[Path, ...]:
    """The workspace folders; older editors give one root, as a URI or as a path."""
    folders, root_path = params.get("workspaceFolders"), Path(_text(params.get("rootPath")))
    if isinstance(folders, list):
        uris = [_text(_table(folder).get("uri")) for folder in folders]
    elif root_uri := _text(params.get("rootUri")):
        uris = [root_uri]
    else:
        return (root_path,) if root_path.is_absolute() else ()
    paths = [path for uri in uris if (path := path_of(uri)) is not None]
    return tuple(dict.fromkeys(paths))


def _table(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
