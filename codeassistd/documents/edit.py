"""One edit of a text, exactly as an editor that counts in UTF-16 would do it.

Such an editor may replace half of a letter: two emoji often differ in their second UTF-16 unit only. Cut at letters,
such an edit would leave a text that differs from the editor's for good. It is rare, so only it takes the slow road over
units. (Halves that come in two edits are joined by `Text`.)
"""

from __future__ import annotations

from codeassistd.documents.change import Change
from codeassistd.documents.document import TextChange
from codeassistd.text import Position, PositionEncoding, Span, Text

__all__ = ["apply_change"]

_ERRORS = "surrogatepass"
_UNITS = "utf-16-le"
_UNIT_BYTES = 2


def apply_change(text: Text, change: TextChange, encoding: PositionEncoding) -> tuple[Text, Change | None]:
    """The text after `change`, and what of it has changed; a range given back to front means the same as in order.

    Returns:
        None beside the text where that is to be found out by a comparison of both texts.
    """
    if change.start is None or change.end is None:
        return Text.of(change.text), None
    start, end = sorted((change.start, change.end))
    span = Span(text.offset_at(start, encoding), text.offset_at(end, encoding))
    if encoding is PositionEncoding.UTF16 and (
        _splits_letter(text, start, span.start) or _splits_letter(text, end, span.end)
    ):
        return _replace_units(text, start, end, change.text), None
    after = text.replace(span, change.text)
    inserted = change.text.encode("utf-8", _ERRORS)
    if len(after) != len(text) - len(span) + len(inserted):
        # Two halves of a letter have been joined.
        return after, None
    return after, Change.of(span.start, text.content[span.start : span.end], inserted)


def _splits_letter(text: Text, position: Position, offset: int) -> bool:
    """Whether `position` lies one unit after `offset`, inside a letter of two units."""
    if position.line >= text.line_count or offset >= text.line_end(position.line):
        return False
    return text.position_at(offset, PositionEncoding.UTF16).character != max(0, position.character)


def _replace_units(text: Text, start: Position, end: Position, new: str) -> Text:
    """The text with a range of UTF-16 units replaced."""
    units = str(text).encode(_UNITS, _ERRORS)
    first, last = _unit_at(text, start) * _UNIT_BYTES, _unit_at(text, end) * _UNIT_BYTES
    return Text.of((units[:first] + new.encode(_UNITS, _ERRORS) + units[last:]).decode(_UNITS, _ERRORS))


def _unit_at(text: Text, position: Position) -> int:
    """How many UTF-16 units stand before `position`."""
    if position.line >= text.line_count:
        return _n_units(str(text))
    start = text.line_start(position.line)
    before = text.slice(Span(0, start))
    line = text.slice(Span(start, text.line_end(position.line)))
    return _n_units(before) + min(max(0, position.character), _n_units(line))


def _n_units(text: str) -> int:
    return len(text.encode(_UNITS, _ERRORS)) // _UNIT_BYTES
