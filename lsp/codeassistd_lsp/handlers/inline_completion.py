"""`textDocument/inlineCompletion`: a cursor in, one item or an empty list out, never null and never an error."""

from __future__ import annotations

from lsprotocol import types

from codeassistd.completion.types import CompletionRequest, MenuEntry, Suggestion
from codeassistd.documents.document import Document
from codeassistd.text import Position
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.convert import item_of, trigger_of
from codeassistd_lsp.handlers.workspace import root_of, settings_at
from codeassistd_lsp.protocol import PARTIAL
from codeassistd_lsp.rpc import Snapshot

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)(inline_completion)


# Only an `async` handler can be cancelled.
async def inline_completion(ls: Connection, params: types.InlineCompletionParams) -> types.InlineCompletionList:
    """Suggest what could come next at a place of the document, as it was when the request arrived."""
    snapshot = ls.protocol.snapshot.get()
    if snapshot is None or snapshot.document is None:
        return types.InlineCompletionList(items=[])
    document = snapshot.document
    encoding = ls.session.documents.encoding
    root = root_of(ls, document.path)
    settings = settings_at(ls, root)
    request = CompletionRequest(
        client=ls.session.id,
        document=document,
        offset=_offset_of(ls, snapshot, document, params.position),
        root=root,
        trigger=trigger_of(params.context.trigger_kind),
        settings=settings.completion,
        context=settings.context,
        # Those of a cell alone do not count from where its document with the cells before it does.
        facts=None if snapshot.first_line else ls.session.facts.get(document.uri),
        parsed=None if snapshot.first_line else ls.facts.parsed(document.uri),
        in_sync=snapshot.in_sync,
        menu=_menu_of(ls, snapshot, document, params.context),
        moment=await ls.moments.of(document, root),
        weights=ls.daemon.outcomes.gate.weights,
        edits=ls.moments.not_ignored(ls.session.edits.edits()),
    )
    ls.daemon.outcomes.asked(request)

    def show_part(part: Suggestion) -> None:
        ls.protocol.notify(PARTIAL, _partial_of(part, params, document.version))

    result = await ls.daemon.completion.complete(request, show_part if ls.client.shows_parts else None)
    suggestion = result.suggestion
    if suggestion is None:
        return types.InlineCompletionList(items=[])
    ls.daemon.outcomes.shown(request, suggestion, result.span)
    # Back from the offset, since a position past the end was moved to the nearest one that exists.
    place = document.text.position_at(request.offset, encoding)
    cursor = Position(place.line - snapshot.first_line, place.character)
    return types.InlineCompletionList(items=[item_of(suggestion, cursor)])


def _partial_of(part: Suggestion, asked: types.InlineCompletionParams, version: int) -> dict[str, object]:
    """The beginning of a suggestion for the place that was asked for, in the words of the one who asked."""
    position = asked.position
    return {
        "id": part.id,
        "uri": asked.text_document.uri,
        "version": version,
        "position": {"line": position.line, "character": position.character},
        "text": part.text,
    }


def _offset_of(ls: Connection, snapshot: Snapshot, document: Document, position: types.Position) -> int:
    """A place of the editor's document in ours."""
    place = Position(position.line + snapshot.first_line, position.character)
    return document.text.offset_at(place, ls.session.documents.encoding)


def _menu_of(
    ls: Connection, snapshot: Snapshot, document: Document, context: types.InlineCompletionContext
) -> MenuEntry | None:
    """What is selected in the editor's completion menu, if that is open."""
    selected = context.selected_completion_info
    if selected is None:
        return None
    return MenuEntry(selected.text, _offset_of(ls, snapshot, document, selected.range.start))
