"""Cuts a file into pieces at the size of a function, for search: whole lines, in order, none twice.

    lines of the file    pieces
    import os          ┐ code
    LIMIT = 3          ┘
    class Shape:       ┐ class Shape: its head and fields
        sides = 0      ┘
        # Its size.    ┐ method Shape.area, with what belongs to it
        def area(self) ┘

A long piece is cut at the borders of its statements; tiny neighbours are joined.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import tree_sitter

from codeassistd.syntax.docs import Docs
from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.facts import CLASS_KINDS, FUNCTION_KINDS, Chunk, Symbol
from codeassistd.text import Text

__all__ = ["Chunker"]

#: A longer piece is cut: six to eight pieces have to fit into a prompt.
_MAX_LINES = 60
#: Two neighbours that both are shorter are joined: a getter alone tells nothing.
_TINY_LINES = 8
#: Long tables are cut blindly where this many borders are known; looking at each entry would take long at each key.
_MAX_BORDERS = 500
_MAX_DEPTH = 32
_BLOCKS = FUNCTION_KINDS | CLASS_KINDS
# All bytes but those of words, to which letters beyond ASCII belong.
_NO_WORD = bytes(code for code in range(128) if not chr(code).isalnum() and code != ord("_"))


class _Piece(NamedTuple):
    """Lines `first` up to `end`, and the definition they belong to, which starts at byte `start`; cheap to make."""

    first: int
    end: int
    name: str
    kind: str
    start: int = 0


_Place = tuple[int, int, int, str]
"""Where a piece lies, in bytes: its lines, the start of the definition that it is, and the kind of that."""


def _moved(place: _Place, delta: int) -> _Place:
    """Behind an edit in front of it; 0 stays: no definition starts there that has a piece behind an edit."""
    first, end, start, kind = place
    return first + delta, end + delta, start + delta if start else 0, kind


_OUTSIDE = ("", "code")


class Chunker:
    """Cuts one text, and remembers the cuts between edits."""

    def __init__(self) -> None:
        # Lines at which a piece is cut, counted from its first, by the bytes of the piece.
        self._cuts: dict[_Place, tuple[int, ...]] = {}
        # Where a definition with what stands above it starts, by where it starts itself.
        self._tops: dict[int, int] = {}

    def edit(self, edit: TextEdit) -> None:
        """Follow an edit: what it touches is to be cut anew."""
        cuts, self._cuts = self._cuts, {}
        for place, lines in cuts.items():
            if place[1] < edit.start:
                self._cuts[place] = lines
            elif place[0] > edit.old_end:
                self._cuts[_moved(place, edit.delta)] = lines
        tops, self._tops = self._tops, {}
        for start, top in tops.items():
            if start < edit.start:
                self._tops[start] = top
            elif top > edit.old_end:
                self._tops[start + edit.delta] = top + edit.delta

    def chunks(self, text: Text, tree: tree_sitter.Tree, symbols: Sequence[Symbol], docs: Docs) -> tuple[Chunk, ...]:
        """The pieces of `text`; lines without a word at their borders are left out.

        Args:
            text: the file.
            tree: its tree, asked only where something long has to be cut.
            symbols: its definitions, outer before inner.
            docs: tells what stands above a definition and belongs to it.
        """
        known, self._cuts = self._cuts, {}
        tops, self._tops = self._tops, {}
        blocks = [symbol for symbol in symbols if symbol.kind in _BLOCKS]
        for symbol in blocks:
            start = symbol.start
            top = tops.get(start)
            self._tops[start] = docs.top(start) if top is None else top
        parts: list[_Piece] = []
        # A list, since looking into an array makes a number each time.
        borders = [*text.starts, len(text)]
        for piece in _pieces(borders, blocks, self._tops):
            top, end, name, kind, start = piece
            place = borders[top], borders[end], start, kind
            lines = known.get(place)
            if lines is None:
                lines = _cut(text, borders, tree, piece)
            self._cuts[place] = lines
            for first, last in pairwise(lines):
                parts.append(_Piece(top + first, top + last, name, kind))
                kind = "part" if name else kind
        kinds = {symbol.qualified_name: symbol.kind for symbol in symbols}
        return tuple(
            Chunk(name, kind, borders[first], text.line_end(end - 1), first, end)
            for first, end, name, kind, _ in _joined(parts, kinds)
        )


def _pieces(borders: Sequence[int], blocks: Iterable[Symbol], tops: Mapping[int, int]) -> Iterator[_Piece]:
    """The whole text: functions, and between them what the innermost class or the file itself has.

    Args:
        borders: where each line starts, and where the text ends.
        blocks: functions and classes, outer before inner.
        tops: where each of them starts with what stands above it.
    """
    n_lines = len(borders) - 1
    # Containers that are open, each with the line behind it.
    open_until = [(n_lines, _OUTSIDE)]
    line = 0

    def up_to(end: int) -> Iterator[_Piece]:
        """What lies between the last piece and `end`, each line to the container that it stands in."""
        nonlocal line
        while line < end:
            while len(open_until) > 1 and open_until[-1][0] <= line:
                open_until.pop()
            until, (name, kind) = open_until[-1]
            yield _Piece(line, min(until, end), name, kind)
            line = min(until, end)

    for symbol in blocks:
        end = bisect_right(borders, max(symbol.start, symbol.end - 1), 0, n_lines)
        if end <= line:
            continue
        first = max(line, bisect_right(borders, tops[symbol.start], 0, n_lines) - 1)
        if symbol.kind in FUNCTION_KINDS:
            if line < first:
                yield from up_to(first)
            yield _Piece(first, end, symbol.qualified_name, symbol.kind, symbol.start)
            line = end
        elif end - first > 1:
            yield from up_to(first)
            while len(open_until) > 1 and open_until[-1][0] <= line:
                open_until.pop()
            open_until.append((min(end, open_until[-1][0]), (symbol.qualified_name, symbol.kind)))
    yield from up_to(n_lines)


def _trimmed(text: Text, borders: Sequence[int], piece: _Piece) -> tuple[int, int] | None:
    """The lines of a piece without those at its borders that hold no word: blank ones, and what closes a class.

    What closes a function stays. None where no line is left.
    """
    start, end = borders[piece.first], borders[piece.end]
    content = text.content[start:end]
    without_head = content.lstrip(_NO_WORD)
    if not without_head:
        return None
    without_tail = content.rstrip() if piece.kind in FUNCTION_KINDS else content.rstrip(_NO_WORD)
    first = bisect_right(borders, end - len(without_head), piece.first, piece.end) - 1
    return first, bisect_right(borders, start + len(without_tail) - 1, first, piece.end)


def _cut(text: Text, borders: Sequence[int], tree: tree_sitter.Tree, piece: _Piece) -> tuple[int, ...]:
    """Lines at which the piece is cut, its first and the one behind its last too; empty where nothing is left of it.

    Each part is as long as it may be, up to where a statement begins.
    """
    trimmed = _trimmed(text, borders, piece)
    if trimmed is None:
        return ()
    first, end = trimmed
    if end - first <= _MAX_LINES:
        return first - piece.first, end - piece.first
    lines = [first]
    statements = _statements(text, tree, piece._replace(first=first, end=end))
    while end - first > _MAX_LINES:
        # Two parts of the same size rather than a full one and a rest of two lines.
        wanted = max(-(-(end - first) // 2), 1) if end - first <= 2 * _MAX_LINES else _MAX_LINES
        fitting = statements[bisect_right(statements, first) : bisect_right(statements, first + _MAX_LINES)]
        at = min(fitting, key=lambda line: abs(line - first - wanted), default=first + wanted)
        lines.append(at)
        first = at
    return tuple(line - piece.first for line in (*lines, end))


def _statements(text: Text, tree: tree_sitter.Tree, piece: _Piece) -> list[int]:
    """Lines inside the piece on which a statement begins; of statements that are long themselves, also their parts'."""
    start, end = max(piece.start, text.line_start(piece.first)), text.line_end(piece.end - 1)
    around = tree.root_node.descendant_for_byte_range(start, end) or tree.root_node
    borders: set[int] = set()
    # Outer statements first: they are the better borders.
    waiting = deque([(around, 0)])
    while waiting and len(borders) < _MAX_BORDERS:
        node, depth = waiting.popleft()
        seen = piece.first
        for child in _children(node, start, end):
            child_start, child_end = child.start_byte, child.end_byte
            if child_end <= start:
                continue
            if child_start >= end:
                break
            first = text.line_of(child_start)
            # Of the children on one line only the first can begin it.
            if first > seen:
                seen = first
                if not text.content[text.line_start(first) : child_start].strip():
                    borders.add(first)
            # A line has a byte at least.
            if child_end - child_start < _MAX_LINES - 1 or depth == _MAX_DEPTH:
                continue
            if min(text.line_of(child_end), piece.end) - max(first, piece.first) >= _MAX_LINES:
                waiting.append((child, depth + 1))
    return sorted(borders)


def _children(node: tree_sitter.Node, start: int, end: int) -> Iterable[tree_sitter.Node]:
    """The children of `node`; where it has more than there may be borders, some that overlap `start` to `end`."""
    if node.child_count <= _MAX_BORDERS:
        return node.children
    return _children_from(node, start, end)


def _children_from(node: tree_sitter.Node, start: int, end: int) -> Iterator[tree_sitter.Node]:
    """The children that overlap `start` to `end`, without making a list of millions of others."""
    cursor = node.walk()
    if cursor.goto_first_child_for_byte(start) is None:
        return
    for _ in range(_MAX_BORDERS):
        child = cursor.node
        if child is None or child.start_byte >= end:
            return
        yield child
        if not cursor.goto_next_sibling():
            return


def _joined(pieces: Sequence[_Piece], kinds: Mapping[str, str]) -> Iterator[_Piece]:
    """The pieces, tiny neighbours together; `kinds` are those of all definitions by name."""
    last: _Piece | None = None
    for piece in pieces:
        if last is None:
            last = piece
        elif _is_tiny(last) and _is_tiny(piece):
            name = _common(last.name, piece.name)
            last = _Piece(last.first, piece.end, name, kinds.get(name, "code"))
        else:
            yield last
            last = piece
    if last is not None:
        yield last


def _is_tiny(piece: _Piece) -> bool:
    return piece.end - piece.first < _TINY_LINES and piece.kind != "part"


def _common(left: str, right: str) -> str:
    """The name of what both stand in, or of the one that the other stands in."""
    words = []
    for one, other in zip(left.split("."), right.split("."), strict=False):
        if one != other:
            break
        words.append(one)
    return ".".join(words)
