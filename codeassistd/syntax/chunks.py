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
from operator import attrgetter
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


_Cuts = dict[tuple[int, int, int, str], tuple[int, ...]]
"""Lines at which pieces are cut, counted from their first.

By the place of the piece: its bytes, the start of the definition that it is (0 where it is none), and its kind.
"""


class _Section(NamedTuple):
    """Lines that are cut by themselves: a function or class with all that is in it and what stands above it.

    Attributes:
        first, end: its lines.
        blocks: functions and classes, outer before inner.
    """

    first: int
    end: int
    blocks: Sequence[Symbol]


class _Cut(NamedTuple):
    """What a section was cut to, and what it was then; the pieces lie where its lines were."""

    section: _Section
    pieces: Sequence[_Piece]

    def moved_to(self, section: _Section) -> Sequence[_Piece] | None:
        """The pieces where the section is now; None where something in it has another name, since a scope has."""
        was = self.section
        # Mostly the very same: only what stands behind an edit has moved.
        if was.blocks != section.blocks and list(map(_named, was.blocks)) != list(map(_named, section.blocks)):
            return None
        delta = section.first - was.first
        if not delta:
            return self.pieces
        return [_Piece(first + delta, end + delta, name, kind) for first, end, name, kind, _ in self.pieces]


_named = attrgetter("kind", "qualified_name")
_OUTSIDE = ("", "code")


class Chunker:
    """Cuts one text, and remembers between edits what it is cut to: most sections are as they were."""

    def __init__(self) -> None:
        # By the bytes of the section.
        self._sections: dict[tuple[int, int], _Cut] = {}
        # Of the sections that were cut last: whoever types in a long class changes one piece of it.
        self._cuts: _Cuts = {}

    def edit(self, edit: TextEdit) -> None:
        """Follow an edit: what it touches is to be cut anew."""
        start, old_end, delta = edit.start, edit.old_end, edit.delta
        sections, self._sections = self._sections, {}
        for lies, cut in sections.items():
            if lies[1] < start:
                self._sections[lies] = cut
            elif lies[0] > old_end:
                self._sections[lies[0] + delta, lies[1] + delta] = cut
        cuts, self._cuts = self._cuts, {}
        for place, lines in cuts.items():
            if place[1] < start:
                self._cuts[place] = lines
            elif place[0] > old_end:
                # No definition starts at 0 that has a piece behind an edit.
                definition = place[2] + delta if place[2] else 0
                self._cuts[place[0] + delta, place[1] + delta, definition, place[3]] = lines

    def chunks(self, text: Text, tree: tree_sitter.Tree, symbols: Sequence[Symbol], docs: Docs) -> tuple[Chunk, ...]:
        """The pieces of `text`; lines without a word at their borders are left out.

        Args:
            text: the file.
            tree: its tree, asked only where something long has to be cut.
            symbols: its definitions, outer before inner.
            docs: tells what stands above a definition and belongs to it.
        """
        known, self._sections = self._sections, {}
        known_cuts, self._cuts = self._cuts, {}
        parts: list[_Piece] = []
        # A list, since looking into an array makes a number each time.
        borders = [*text.starts, len(text)]
        for section in _sections(text, borders, symbols):
            lies = borders[section.first], borders[section.end]
            cut = known.get(lies)
            pieces = None if cut is None else cut.moved_to(section)
            if pieces is None:
                divided = _pieces(borders, section, docs)
                pieces = list(self._parts(text, borders, tree, divided, known_cuts))
            self._sections[lies] = _Cut(section, pieces)
            parts += pieces
        kinds = {symbol.qualified_name: symbol.kind for symbol in symbols}
        return tuple(
            [
                Chunk(name, kind, borders[first], text.line_end(end - 1), first, end)
                for first, end, name, kind, _ in _joined(parts, kinds)
            ]
        )

    def _parts(
        self, text: Text, borders: Sequence[int], tree: tree_sitter.Tree, pieces: Iterable[_Piece], known: _Cuts
    ) -> Iterator[_Piece]:
        """The parts that `pieces` are cut to."""
        for piece in pieces:
            top, end, name, kind, start = piece
            place = borders[top], borders[end], start, kind
            lines = known.get(place)
            if lines is None:
                lines = _cut(text, borders, tree, piece)
            self._cuts[place] = lines
            for first, last in pairwise(lines):
                yield _Piece(top + first, top + last, name, kind)
                kind = "part" if name else kind


def _sections(text: Text, borders: Sequence[int], symbols: Sequence[Symbol]) -> Iterator[_Section]:
    """All lines, cut where a function or class of several lines ends that lies in no other.

    A class on one line is no border: it is a statement among others.
    """
    n_lines = len(borders) - 1
    line, until = 0, 0
    inside: list[Symbol] = []
    is_whole = False
    for symbol in symbols:
        kind, start, end = symbol.kind, symbol.start, symbol.end
        if kind not in _BLOCKS:
            continue
        if is_whole and start >= borders[until]:
            yield _Section(line, until, inside)
            line, inside, is_whole = until, [], False
        inside.append(symbol)
        if not is_whole or end > borders[until]:
            until = bisect_right(borders, max(start, end - 1), until, n_lines)
            is_whole = is_whole or kind in FUNCTION_KINDS or text.content.find(b"\n", start, end) >= 0
    if is_whole and until < n_lines:
        yield _Section(line, until, inside)
        line, inside = until, []
    yield _Section(line, n_lines, inside)


def _pieces(borders: Sequence[int], section: _Section, docs: Docs) -> Iterator[_Piece]:
    """The lines of a section, divided by what they belong to: functions whole, of classes only what no function has.

    Args:
        borders: where each line starts, and where the text ends.
        section: is divided.
        docs: tells what stands above a definition and belongs to it.
    """
    line, last, blocks = section
    # Containers that are open, each with the line behind it.
    open_until = [(last, _OUTSIDE)]

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
        end = bisect_right(borders, max(symbol.start, symbol.end - 1), line, last)
        if end <= line:
            continue
        first = max(line, bisect_right(borders, docs.top(symbol.start), 0, last) - 1)
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
    yield from up_to(last)


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
    is_last_tiny = False
    for piece in pieces:
        first, end, name, kind, _ = piece
        is_tiny = end - first < _TINY_LINES and kind != "part"
        if last is None:
            last = piece
        elif is_last_tiny and is_tiny:
            name = _common(last.name, name)
            first = last.first
            last = _Piece(first, end, name, kinds.get(name, "code"))
            is_tiny = end - first < _TINY_LINES
        else:
            yield last
            last = piece
        is_last_tiny = is_tiny
    if last is not None:
        yield last


def _common(left: str, right: str) -> str:
    """The name of what both stand in, or of the one that the other stands in."""
    if left == right or not left or not right:
        return left and right
    words = []
    for one, other in zip(left.split("."), right.split("."), strict=False):
        if one != other:
            break
        words.append(one)
    return ".".join(words)
