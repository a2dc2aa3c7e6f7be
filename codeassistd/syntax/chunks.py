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

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tree_sitter

from codeassistd.syntax.docs import Docs
from codeassistd.syntax.facts import Chunk, Symbol
from codeassistd.text import Span, Text

__all__ = ["chunks_of"]

#: A longer piece is cut: six to eight pieces have to fit into a prompt.
_MAX_LINES = 60
#: Two neighbours that both are shorter are joined: a getter alone tells nothing.
_TINY_LINES = 8
#: Tables of numbers are cut blindly; a node for each number would take long.
_MAX_CHILDREN = 2000
_MAX_DEPTH = 32
_FUNCTIONS = frozenset({"function", "method"})
_CONTAINERS = frozenset({"class", "interface", "enum", "module", "type"})
_WORD = re.compile(rb"\w")


@dataclass(frozen=True, slots=True)
class _Piece:
    """Lines `first` up to `end`, and the definition they belong to."""

    first: int
    end: int
    name: str
    kind: str


_OUTSIDE = ("", "code")


def chunks_of(text: Text, tree: tree_sitter.Tree, symbols: Sequence[Symbol], docs: Docs) -> tuple[Chunk, ...]:
    """The pieces of `text`; lines without a word at their borders are left out.

    Args:
        text: the file.
        tree: its tree, asked only where something long has to be cut.
        symbols: its definitions, outer before inner.
        docs: tells what stands above a definition and belongs to it.
    """
    trimmed = (_trimmed(text, piece) for piece in _pieces(text, symbols, docs))
    cut = [part for piece in trimmed if piece is not None for part in _cut(text, tree, piece)]
    return tuple(
        Chunk(
            name=piece.name,
            kind=piece.kind,
            span=Span(text.line_start(piece.first), text.line_end(piece.end - 1)),
            line=piece.first,
            end_line=piece.end,
        )
        for piece in _joined(cut)
    )


def _pieces(text: Text, symbols: Sequence[Symbol], docs: Docs) -> Iterator[_Piece]:
    """The whole text: functions, and between them what the innermost class or the file itself has."""
    # Containers that are open, each with the line behind it.
    open_until = [(text.line_count, _OUTSIDE)]
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

    for symbol in symbols:
        if symbol.kind not in _FUNCTIONS and symbol.kind not in _CONTAINERS:
            continue
        end = text.line_of(max(symbol.span.start, symbol.span.end - 1)) + 1
        if end <= line:
            continue
        first = max(line, docs.first_line(symbol.span.start))
        if symbol.kind in _FUNCTIONS:
            yield from up_to(first)
            yield _Piece(first, end, symbol.qualified_name, symbol.kind)
            line = end
        elif end - first > 1:
            yield from up_to(first)
            while len(open_until) > 1 and open_until[-1][0] <= line:
                open_until.pop()
            open_until.append((min(end, open_until[-1][0]), (symbol.qualified_name, symbol.kind)))
    yield from up_to(text.line_count)


def _trimmed(text: Text, piece: _Piece) -> _Piece | None:
    """Without lines at its borders that hold no word: blank ones, and what closes a class; None where all are such."""
    first, end = piece.first, piece.end
    while first < end and not _has_word(text, first):
        first += 1
    while first < end and not _has_word(text, end - 1) and (piece.kind not in _FUNCTIONS or _is_blank(text, end - 1)):
        end -= 1
    return _Piece(first, end, piece.name, piece.kind) if first < end else None


def _has_word(text: Text, line: int) -> bool:
    return _WORD.search(text.content, text.line_start(line), text.line_end(line)) is not None


def _is_blank(text: Text, line: int) -> bool:
    return not text.content[text.line_start(line) : text.line_end(line)].strip()


def _cut(text: Text, tree: tree_sitter.Tree, piece: _Piece) -> Iterator[_Piece]:
    """The piece, or its parts if it is long: each as long as it may be, up to where a statement begins."""
    first, kind = piece.first, piece.kind
    borders: list[int] = []
    if piece.end - first > _MAX_LINES:
        borders = sorted(set(_borders(text, tree.root_node, piece, _MAX_DEPTH)))
    while piece.end - first > _MAX_LINES:
        fitting = [border for border in borders if first < border <= first + _MAX_LINES]
        # Two parts of the same size rather than a full one and a rest of two lines.
        half = first + -(-(piece.end - first) // 2)
        at = max((border for border in fitting if border <= half), default=0) if half <= first + _MAX_LINES else 0
        at = at or max(fitting, default=first + _MAX_LINES)
        yield _Piece(first, at, piece.name, kind)
        first, kind = at, "part" if piece.name else kind
    yield _Piece(first, piece.end, piece.name, kind)


def _borders(text: Text, node: tree_sitter.Node, piece: _Piece, depth: int) -> Iterator[int]:
    """Lines inside the piece on which a statement begins; of statements that are long themselves, also their parts'."""
    if depth == 0 or node.child_count > _MAX_CHILDREN:
        return
    for child in node.children:
        first, last = text.line_of(child.start_byte), text.line_of(child.end_byte)
        if last < piece.first:
            continue
        if first >= piece.end:
            return
        if first > piece.first and _begins_line(text, child.start_byte):
            yield first
        if min(last, piece.end) - max(first, piece.first) >= _MAX_LINES:
            yield from _borders(text, child, piece, depth - 1)


def _begins_line(text: Text, offset: int) -> bool:
    return not text.content[text.line_start(text.line_of(offset)) : offset].strip()


def _joined(pieces: Sequence[_Piece]) -> Iterator[_Piece]:
    """The pieces, tiny neighbours together."""
    last: _Piece | None = None
    for piece in pieces:
        if last is None:
            last = piece
        elif _is_tiny(last) and _is_tiny(piece):
            name = _common(last.name, piece.name)
            kind = next((each.kind for each in (last, piece) if each.name == name), "code")
            last = _Piece(last.first, piece.end, name, kind)
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
