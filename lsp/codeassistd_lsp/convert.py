"""Between the protocol's types and ours."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types

from codeassistd.completion.types import Suggestion, Trigger
from codeassistd.documents.document import TextChange
from codeassistd.text import Position
from codeassistd_lsp.protocol import ACCEPTED_COMMAND

__all__ = ["changes_of", "item_of", "position_of", "trigger_of"]


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
    place = types.Position(line=cursor.line, character=cursor.character)
    return types.InlineCompletionItem(
        insert_text=suggestion.text,
        range=types.Range(start=place, end=place),
        command=types.Command(
            title="Suggestion accepted",
            command=ACCEPTED_COMMAND,
            arguments=[suggestion.id],
        ),
    )
