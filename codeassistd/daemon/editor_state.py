"""What an editor has told its daemon and a later daemon must be told again.

The proxy keeps it, so that a daemon can die and come back without the editor noticing. Standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from codeassistd.daemon.capabilities import position_encoding
from codeassistd.text import Position

if TYPE_CHECKING:
    from codeassistd.daemon.notebook_state import NotebookState
    from codeassistd.documents.document import TextChange
    from codeassistd.documents.store import DocumentStore

__all__ = ["EditorState"]


class EditorState:
    """One editor's introduction, folders, settings, open documents and notebooks."""

    def __init__(self) -> None:
        self._introduction: dict[str, Any] = {}
        self._initialized: bytes | None = None
        self._configuration: bytes | None = None
        self._store: DocumentStore | None = None
        self._notebooks: NotebookState | None = None

    @property
    def introduction(self) -> Mapping[str, Any]:
        """The parameters of `initialize`, with the workspace folders as they are now."""
        return self._introduction

    def introduce(self, params: Mapping[str, Any]) -> None:
        """The editor said `initialize`."""
        self._introduction = dict(params)

    def note(self, method: str, params: Mapping[str, Any], body: bytes) -> None:
        """The editor sent a notification; what nobody needs to be told again is forgotten."""
        document = params.get("textDocument")
        if method == "initialized":
            self._initialized = body
        elif method == "workspace/didChangeConfiguration":
            self._configuration = body
        elif method == "workspace/didChangeWorkspaceFolders":
            self._change_folders(params.get("event"))
        elif method.startswith("notebookDocument/"):
            self._open_notebooks.note(method, params)
        elif isinstance(document, dict) and isinstance(document.get("uri"), str):
            self._note_document(method, params, document)

    def replay(self) -> list[bytes]:
        """All there is to say to a daemon that has answered `initialize`, in order."""
        bodies = [body for body in (self._initialized, self._configuration) if body is not None]
        if self._notebooks is not None:
            openings = self._notebooks.openings(self._documents)
            bodies += [_notification("notebookDocument/didOpen", opening) for opening in openings]
        for document in self._documents.all():
            if self._notebooks is None or not self._notebooks.holds(document.uri):
                item = {"uri": document.uri, "languageId": document.language, "version": document.version}
                opening = {"textDocument": item | {"text": str(document.text)}}
                bodies.append(_notification("textDocument/didOpen", opening))
            if not self._documents.in_sync(document.uri):
                # Our text may differ from the editor's. A change that is not newer puts the daemon in the same doubt:
                # it suggests nothing in this document until its full text arrives.
                same = {"uri": document.uri, "version": document.version}
                bodies.append(_notification("textDocument/didChange", {"textDocument": same, "contentChanges": []}))
        return bodies

    @property
    def _documents(self) -> DocumentStore:
        if self._store is None:
            # Not before the first document: the answer to `initialize` must not wait for this import.
            from codeassistd.documents.store import DocumentStore  # noqa: PLC0415 - see above

            self._store = DocumentStore(position_encoding(self._introduction))
        return self._store

    @property
    def _open_notebooks(self) -> NotebookState:
        if self._notebooks is None:
            from codeassistd.daemon.notebook_state import NotebookState  # noqa: PLC0415 - as above

            self._notebooks = NotebookState(self._note_document)
        return self._notebooks

    def _note_document(self, method: str, params: Mapping[str, Any], document: Mapping[str, Any]) -> None:
        uri = document["uri"]
        if method == "textDocument/didClose":
            self._documents.close(uri)
        elif method == "textDocument/didOpen":
            # An editor that sends something else here gets no suggestions from the daemon either.
            language, version, text = (document.get(key) for key in ("languageId", "version", "text"))
            if isinstance(language, str) and isinstance(version, int) and isinstance(text, str):
                self._documents.open(uri, language, version, text)
        elif method == "textDocument/didChange":
            changes = _changes(params.get("contentChanges"))
            version = document.get("version")
            if changes is None or not isinstance(version, int):
                self._documents.missed(uri)
            else:
                self._documents.change(uri, version, changes)

    def _change_folders(self, event: object) -> None:
        if not isinstance(event, dict):
            return
        removed = {_uri_of(folder) for folder in event.get("removed") or ()}
        folders = [one for one in self._introduction.get("workspaceFolders") or () if _uri_of(one) not in removed]
        known = {_uri_of(folder) for folder in folders}
        folders += [folder for folder in event.get("added") or () if _uri_of(folder) not in known]
        self._introduction["workspaceFolders"] = folders


def _changes(sent: object) -> Sequence[TextChange] | None:
    """The changes of a notification; None if they cannot be read."""
    from codeassistd.documents.document import TextChange  # noqa: PLC0415 - as above

    def change(item: Mapping[str, Any]) -> TextChange:
        text, span = item["text"], item.get("range")
        if not isinstance(text, str):
            raise TypeError("text")
        if span is None:
            return TextChange(text)
        return TextChange(text, _position(span["start"]), _position(span["end"]))

    try:
        return [change(item) for item in sent] if isinstance(sent, list) else None
    except (KeyError, TypeError):
        return None


def _position(sent: Mapping[str, Any]) -> Position:
    line, character = sent["line"], sent["character"]
    if not isinstance(line, int) or not isinstance(character, int):
        raise TypeError("position")
    return Position(line, character)


def _uri_of(folder: object) -> object:
    return folder.get("uri") if isinstance(folder, dict) else None


def _notification(method: str, params: Mapping[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode()
