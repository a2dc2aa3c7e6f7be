"""Has the prompt of a document read that was just opened, before its user types the first letter.

No editor says where the cursor is when it opens a document. What is read is the prompt of a place some lines down: the
prompts of all places above it begin alike, and in a file that fits into a prompt these are all places.
"""

from __future__ import annotations

from codeassistd.completion.types import CompletionRequest, Trigger
from codeassistd.documents.document import Document
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.handlers.workspace import root_of, settings_at

__all__ = ["QUIET_S", "prewarm"]

QUIET_S = 0.3
"""After this time without an edit an opened document is worth reading: editors that restore a session, or walk through
the hits of a search, open many at once."""

_BYTES_PER_TOKEN = 2
"""Fewer than code has, so that the text above the place leaves room in the prompt for all the rest."""


async def prewarm(ls: Connection, document: Document) -> None:
    """Wait for the quiet, then have the document's prompt read.

    Not if it was changed or closed by then, nor if somebody has asked: then the place is known, and read for.
    """
    await ls.daemon.clock.sleep(QUIET_S)
    has_asked = ls.daemon.completion.has_asked(ls.session.id, document.uri)
    if has_asked or ls.session.documents.get(document.uri) is not document:
        return
    root = root_of(ls, document.path)
    settings = settings_at(ls, root)
    offset = _likely_offset(document, settings.context.max_tokens * _BYTES_PER_TOKEN)
    ls.daemon.completion.prewarm(
        CompletionRequest(
            client=ls.session.id,
            document=document,
            offset=offset,
            root=root,
            trigger=Trigger.AUTOMATIC,
            settings=settings.completion,
            context=settings.context,
            facts=ls.session.facts.get(document.uri),
            moment=ls.moments.now(document, offset),
        )
    )


def _likely_offset(document: Document, n_bytes: int) -> int:
    """The end of the document, or the start of the line that is `n_bytes` down."""
    text = document.text
    if len(text.content) <= n_bytes:
        return len(text.content)
    return text.line_start(text.line_of(n_bytes))
