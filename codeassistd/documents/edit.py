"""One edit of a text, exactly as an editor that counts in UTF-16 would do it.

Such an editor may replace half of a letter (two emoji often differ in their second UTF-16 unit only) or type the two
halves in two edits. Cut at letters, those edits would leave a text that differs from the editor's for good. They are
rare, so only they take the slow road over units.
"""

from __future__ import annotations

from codeassistd.documents.document import TextChange
from codeassistd.text import Position, PositionEncoding, Span, Text

__all__ = ["apply_change"]

_ERRORS = "surrogatepass"
_UNITS = "utf-16-le"
_UNIT_BYTES = 2


def apply_change(text: Text, change: TextChange, encoding: PositionEncoding) -> Text:
    """The text after `change`; a range given back to front means the same as in order."""
    if change.start is None or change.end is None:
        return Text.of(_joined(change.text))
    start, end = sorted((change.start, change.end))
    span = Span(text.offset_at(start, encoding), text.offset_at(end, encoding))
    if encoding is PositionEncoding.UTF16 and (
        _splits_letter(text, start, span.start)
        or _splits_letter(text, end, span.end)
        or _is_half(text.content[max(0, span.start - 3) : span.start])
        or _is_half(text.content[span.end : span.end + 3])
    ):
        return _replace_units(text, start, end, change.text)
    return text.replace(span, _joined(change.text))


def _joined(text: str) -> str:
    """`text` with halves that stand side by side made into the letter they are."""
    return text if text.isascii() else text.encode(_UNITS, _ERRORS).decode(_UNITS, _ERRORS)


def _splits_letter(text: Text, position: Position, offset: int) -> bool:
    """Whether `position` lies one unit after `offset`, inside a letter of two units."""
    if position.line >= text.line_count or offset >= text.line_end(position.line):
        return False
    return text.position_at(offset, PositionEncoding.UTF16).character != max(0, position.character)


def _is_half(data: bytes) -> bool:
    """Whether `data` is the three bytes of a lone surrogate: U+D800 to U+DFFF."""
    return data[:1] == b"\xed" and data[1:2] >= b"\xa0"


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
