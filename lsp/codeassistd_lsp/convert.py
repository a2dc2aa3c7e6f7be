"""Between the protocol's types and ours."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from codeassistd.completion.types import Suggestion, Trigger
from codeassistd.documents.document import TextChange
from codeassistd.text import Position
from codeassistd_lsp.protocol import ACCEPTED_COMMAND

__all__ = ["changes_of", "item_of", "menu_item_of", "position_of", "trigger_of"]

#: Longest label of a menu's entry, in letters; menus are narrow, and show the whole text beside.
_MAX_LABEL = 60
#: Behind what any word can be: suggestions do not push away what the editor knows for certain.
_LAST = "~~~~"


def position_of(position: types.Position) -> Position:
    """A place of the protocol as ours."""
    return Position(position.line, position.character)


def changes_of(events: Sequence[types.TextDocumentContentChangeEvent]) -> tuple[TextChange, ...]:
    """The changes of one `didChange`, in order."""
    return tuple(
        TextChange(event.text, position_of(event.range.start), position_of(event.range.end))
        if isinstance(event, types.TextDocumentContentChangePartial)
        else TextChange(event.text)
        for event in events
    )


def trigger_of(kind: types.InlineCompletionTriggerKind) -> Trigger:
    """Whether the user asked or the editor did."""
    return Trigger.INVOKED if kind is types.InlineCompletionTriggerKind.Invoked else Trigger.AUTOMATIC


def item_of(suggestion: Suggestion, cursor: Position) -> types.InlineCompletionItem:
    """The item of a suggestion.

    Its range is explicit and empty: without one, or with one that reaches over text, editors hide the rest of the line
    or the item itself.
    """
    return types.InlineCompletionItem(
        insert_text=suggestion.text, range=_nothing_at(cursor), command=_acceptance_of(suggestion)
    )


def menu_item_of(suggestion: Suggestion, cursor: Position, word: str) -> types.CompletionItem:
    """The entry of a suggestion in a completion menu; `word` is what has been typed of the word at the cursor.

    The edit inserts at the cursor and replaces nothing. Editors keep the entries that begin like the word, some by the
    label and some by the filter, so both begin with it.
    """
    first, *more = suggestion.text.splitlines()
    begun = word + first
    # A block begins on the next line; what it begins with says more than nothing.
    shown = next((line.strip() for line in (begun, *more) if line.strip()), "")
    is_cut = len(shown) > _MAX_LABEL or bool(more)
    return types.CompletionItem(
        label=shown[:_MAX_LABEL].rstrip() + (" …" if is_cut else ""),
        kind=types.CompletionItemKind.Snippet if more else types.CompletionItemKind.Text,
        detail="codeassistd",
        documentation=suggestion.text if is_cut else None,
        preselect=False,
        sort_text=_LAST,
        filter_text=shown,
        insert_text_format=types.InsertTextFormat.PlainText,
        # Its lines are indented already.
        insert_text_mode=types.InsertTextMode.AsIs,
        text_edit=types.TextEdit(range=_nothing_at(cursor), new_text=suggestion.text),
        command=_acceptance_of(suggestion),
    )


def _nothing_at(cursor: Position) -> types.Range:
    place = types.Position(line=cursor.line, character=cursor.character)
    return types.Range(start=place, end=place)


def _acceptance_of(suggestion: Suggestion) -> types.Command:
    return types.Command(title="Suggestion accepted", command=ACCEPTED_COMMAND, arguments=[suggestion.id])
