"""Whether a document parses as well with a text put in at a cursor as without it.

What is being typed is seldom whole, so "without a fault" is no measure; "no more faults than before" is. A fault is
what the parser could not read (an error node) or had to make up (a missing node). Small documents, and large ones whose
tree is at hand, are judged whole; of other large ones the definitions round the cursor are, since a parse from nothing
holds the GIL for longer than a key press may take.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from codeassistd.syntax.grammar import Grammar
from codeassistd.syntax.parser import ParsedDocument, parse, reparse
from codeassistd.text import Span, Text

__all__ = ["Faults", "Soundness", "n_faults"]

#: Bytes that are parsed from nothing: four milliseconds.
_MAX_FRESH_BYTES = 32_768
#: Bytes on each side of the cursor that are parsed of a large document.
_SIDE_BYTES = 12_288
#: A line that begins a definition, or some other statement, on the outermost level.
_OUTERMOST = re.compile(rb"^(?=[^\s)\]}#/*])", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Faults:
    """What the parser has to complain about.

    Attributes:
        n_all: error and missing nodes.
        n_own: those of them that begin within the text that was put in.
    """

    n_all: int
    n_own: int


class Soundness:
    """One cursor in one version of a document; nothing is parsed before it is asked.

    Used in the thread that made it.

    Attributes:
        is_whole: whether the document is judged, rather than a piece of it.
    """

    __slots__ = ("_before", "_grammar", "_known", "_offset", "_text", "is_whole")

    def __init__(
        self,
        grammar: Grammar,
        text: Text,
        offset: int,
        known: ParsedDocument | None = None,
        *,
        is_whole: bool = True,
    ) -> None:
        """Judge what is put into `text` at byte `offset`.

        Args:
            grammar: of the text.
            text: the document, or a piece of it.
            offset: of the cursor.
            known: the tree of another version of just this text.
            is_whole: whether `text` is the document.
        """
        self.is_whole = is_whole
        self._grammar = grammar
        self._text = text
        self._offset = offset
        self._known = known
        self._before: ParsedDocument | None = None

    @classmethod
    def at(
        cls, grammar: Grammar | None, text: Text, offset: int, known: ParsedDocument | None = None
    ) -> Soundness | None:
        """The judge of a place in a document.

        Args:
            grammar: of the document's language; None if it has none.
            text: the document.
            offset: of the cursor, in bytes.
            known: the tree of an earlier version, which makes a large document cheap.

        Returns:
            None where nothing can be judged: no grammar, or lines so long that no piece is small enough.
        """
        if grammar is None:
            return None
        if known is not None and known.grammar is grammar:
            return cls(grammar, text, offset, known)
        piece = _piece(text, offset)
        if len(piece) > _MAX_FRESH_BYTES:
            return None
        if len(piece) == len(text):
            return cls(grammar, text, offset)
        return cls(grammar, Text.of(text.content[piece.start : piece.end]), offset - piece.start, is_whole=False)

    @property
    def before(self) -> ParsedDocument:
        """The document as it is; of a large one perhaps a piece."""
        if self._before is None:
            known = self._known
            tree = parse(self._grammar, self._text) if known is None else reparse(known, self._text)
            self._before = ParsedDocument(self._grammar, self._text, tree)
        return self._before

    @property
    def offset(self) -> int:
        """The cursor in `before`, in bytes."""
        return self._offset

    def n_before(self) -> int:
        """Faults that the document has already."""
        return sum(1 for _ in _faults(self.before.tree.root_node))

    def without_rest(self) -> Soundness | None:
        """The judge of this place without the rest of its line; None where that is not at fault already.

        Beside a bracket that closes nothing, how the parser recovers depends on anything that stands before it.
        """
        line = self._text.line_of(self._offset)
        end = self._text.line_end(line)
        places = [node.start_byte for node in _faults(self.before.tree.root_node)]
        if not any(self._text.line_start(line) <= place <= end for place in places) or self._offset == end:
            return None
        bare = self._text.replace(Span(self._offset, end), "")
        return Soundness(self._grammar, bare, self._offset, self.before, is_whole=self.is_whole)

    def faults(self, insertion: str) -> Faults:
        """Faults of the document with `insertion` at the cursor."""
        span = Span(self._offset, self._offset)
        text = self._text.replace(span, insertion)
        tree = reparse(self.before, text)
        if not tree.root_node.has_error:
            return Faults(0, 0)
        if len(text) <= _MAX_FRESH_BYTES:
            # Where it recovers from a fault depends on what it could take from the old tree.
            tree = parse(self._grammar, text)
        starts = [node.start_byte for node in _faults(tree.root_node)]
        end = self._offset + len(text) - len(self._text)
        return Faults(len(starts), sum(self._offset <= start < end for start in starts))


def n_faults(grammar: Grammar, text: Text) -> int:
    """Error and missing nodes of a whole text, read from nothing."""
    return sum(1 for _ in _faults(parse(grammar, text).root_node))


def _faults(root: tree_sitter.Node) -> Iterator[tree_sitter.Node]:
    """The error and missing nodes of a tree."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.has_error:
            if node.is_error or node.is_missing:
                yield node
            waiting += node.children


def _piece(text: Text, offset: int) -> Span:
    """What to parse of a text whose tree is not at hand: whole statements of the outermost level, if they fit."""
    if len(text) <= _MAX_FRESH_BYTES:
        return Span(0, len(text))
    number = text.line_of(offset)
    line, line_end = text.line_start(number), text.line_end(number)
    first = text.line_start(text.line_of(max(0, offset - _SIDE_BYTES)))
    last = text.line_start(text.line_of(min(len(text), offset + _SIDE_BYTES)))
    starts = [match.start() for match in _OUTERMOST.finditer(text.content, first, line + 1)]
    ends = [match.start() for match in _OUTERMOST.finditer(text.content, line + 1, last)]
    # The definition before the cursor's, and the one after it: what is left open shows in the next one.
    start = next((place for place in starts if place > first), min(first, line))
    return Span(start, ends[-1] if ends else max(last, line_end))
