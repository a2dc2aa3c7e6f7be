"""`textDocument/completion`: the suggestion as an entry of the menu, for editors that have no inline completion.

Only where `completion.menu` is on. At most one entry, never null; whatever comes is incomplete, so that the editor asks
again with the next key.
"""

from __future__ import annotations

import re

from lsprotocol import types

from codeassistd.completion.types import Suggestion, Trigger
from codeassistd.text import Span
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.convert import menu_item_of
from codeassistd_lsp.handlers.inline_completion import Question, question_at, suggest
from codeassistd_lsp.handlers.workspace import root_of, settings_at

__all__ = ["register"]

_WORD = re.compile(r"[\w$]*\Z")
#: Bytes before the cursor in which its word is looked for.
_MAX_WORD = 256


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.TEXT_DOCUMENT_COMPLETION)(completion)


# Only an `async` handler can be cancelled.
async def completion(ls: Connection, params: types.CompletionParams) -> types.CompletionList:
    """Suggest what could come next at a place of the document, as it was when the request arrived."""
    # Some editors call their own requests invoked too, so none of them passes the rules of silence.
    question = question_at(ls, params.position, Trigger.AUTOMATIC)
    if question is None or not settings_at(ls, root_of(ls, question.document.path)).completion.menu:
        return types.CompletionList(is_incomplete=False, items=[])
    suggestion = await suggest(ls, question)
    return types.CompletionList(is_incomplete=True, items=_items(question, suggestion))


def _items(question: Question, suggestion: Suggestion | None) -> list[types.CompletionItem]:
    return [] if suggestion is None else [menu_item_of(suggestion, question.cursor, _word_before(question))]


def _word_before(question: Question) -> str:
    """What has been typed of the word at the cursor."""
    text, offset = question.document.text, question.offset
    start = max(text.line_start(text.line_of(offset)), offset - _MAX_WORD)
    found = _WORD.search(text.slice(Span(start, offset)))
    return found.group() if found is not None else ""
