"""One editor connection: what lives from its first message to its last.

A session belongs to the loop's thread, which is its single writer. It holds the open documents and what the parser last
said about each; everything handed out of it is frozen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.config import Settings
from codeassistd.documents.notebooks import NotebookStore
from codeassistd.documents.recent_edits import RecentEdits
from codeassistd.documents.store import DocumentStore
from codeassistd.syntax.facts import FileFacts

__all__ = ["Session"]


@dataclass(slots=True, eq=False)
class Session:
    """The state of one editor connection.

    Attributes:
        id: unique within the daemon; names the client to the engine, so that each editor keeps its own warm prompts.
        settings: the daemon's settings with the editor's on top.
        client_name: as the editor calls itself; empty until it has said so.
        roots: workspace folders open in this editor.
        documents: the open documents.
        notebooks: the open notebooks, whose cells are among the documents.
        edits: what was changed last, in any document.
        facts: what the parser last said about an open document, by uri; perhaps of a slightly older version.
    """

    id: str
    settings: Settings
    client_name: str = ""
    roots: list[Path] = field(default_factory=list)
    documents: DocumentStore = field(default_factory=DocumentStore)
    notebooks: NotebookStore = field(default_factory=NotebookStore)
    facts: dict[str, FileFacts] = field(default_factory=dict)
    edits: RecentEdits = field(default_factory=RecentEdits)
