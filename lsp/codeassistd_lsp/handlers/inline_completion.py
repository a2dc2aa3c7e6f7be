"""`textDocument/inlineCompletion`: a cursor in, one item or an empty list out, never null and never an error."""

from __future__ import annotations

from dataclasses import dataclass

from lsprotocol import types

from codeassistd.completion.growth import ShowPart
from codeassistd.completion.types import CompletionRequest, MenuEntry, Suggestion, Trigger, no_tree
from codeassistd.documents.document import Document
from codeassistd.text import Position
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.convert import item_of, trigger_of
from codeassistd_lsp.handlers.workspace import root_of, settings_at
from codeassistd_lsp.protocol import PARTIAL
from codeassistd_lsp.rpc import Snapshot

__all__ = ["Question", "question_at", "register", "suggest"]


@dataclass(frozen=True, slots=True)
class Question:
    """What an editor asks, whatever it draws the answer with.

    Attributes:
        document: as it was when the request arrived; a notebook's cell comes with the code of the cells before it.
        first_line: line of `document` that is the editor's first one.
        in_sync: whether our text is known to be the editor's.
        offset: bytes from the start of `document`.
        cursor: the same place as the editor counts.
        menu: what is selected in the editor's completion menu, if that is open.
    """

    document: Document
    first_line: int
    in_sync: bool
    offset: int
    cursor: Position
    trigger: Trigger
    menu: MenuEntry | None = None


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION)(inline_completion)


# Only an `async` handler can be cancelled.
async def inline_completion(ls: Connection, params: types.InlineCompletionParams) -> types.InlineCompletionList:
    """Suggest what could come next at a place of the document, as it was when the request arrived."""
    context = params.context
    question = question_at(ls, params.position, trigger_of(context.trigger_kind), context.selected_completion_info)
    if question is None:
        return types.InlineCompletionList(items=[])
    version = question.document.version

    def show_part(part: Suggestion) -> None:
        ls.protocol.notify(PARTIAL, _partial_of(part, params, version))

    suggestion = await suggest(ls, question, show_part if ls.client.shows_parts else None)
    items = [] if suggestion is None else [item_of(suggestion, question.cursor)]
    return types.InlineCompletionList(items=items)


def question_at(
    ls: Connection,
    position: types.Position,
    trigger: Trigger,
    selected: types.SelectedCompletionInfo | None = None,
) -> Question | None:
    """What the request that is being handled asks; None if its document is not open."""
    snapshot = ls.protocol.snapshot.get()
    if snapshot is None or snapshot.document is None:
        return None
    document = snapshot.document
    offset = _offset_of(ls, snapshot, document, position)
    # Back from the offset, since a position past the end was moved to the nearest one that exists.
    place = document.text.position_at(offset, ls.session.documents.encoding)
    return Question(
        document=document,
        first_line=snapshot.first_line,
        in_sync=snapshot.in_sync,
        offset=offset,
        cursor=Position(place.line - snapshot.first_line, place.character),
        trigger=trigger,
        menu=None
        if selected is None
        else MenuEntry(selected.text, _offset_of(ls, snapshot, document, selected.range.start)),
    )


async def suggest(ls: Connection, question: Question, show_part: ShowPart | None = None) -> Suggestion | None:
    """What to show for a question, if anything; it then counts as shown."""
    arrived_s = ls.daemon.clock.monotonic_s()
    document = question.document
    root = root_of(ls, document.path)
    settings = settings_at(ls, root)
    # Those of a cell alone do not count from where its document with the cells before it does.
    is_whole = question.first_line == 0
    moment = await ls.moments.of(document, root, question.offset, question.trigger)
    facts = await ls.facts.newest(document.uri) if is_whole else None
    request = CompletionRequest(
        client=ls.session.id,
        document=document,
        offset=question.offset,
        root=root,
        trigger=question.trigger,
        settings=settings.completion,
        context=settings.context,
        facts=facts,
        newest_tree=(lambda: ls.facts.parsed(document.uri)) if is_whole else no_tree,
        in_sync=question.in_sync,
        menu=question.menu,
        moment=moment,
        weights=ls.daemon.outcomes.gate.weights,
        edits=ls.moments.not_ignored(ls.session.edits.edits()),
        arrived_s=arrived_s,
    )
    ls.daemon.outcomes.asked(request)
    result = await ls.daemon.completion.complete(request, show_part)
    if result.suggestion is not None:
        ls.daemon.outcomes.shown(request, result.suggestion, result.span)
    return result.suggestion


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
