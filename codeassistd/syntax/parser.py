"""Texts to trees: at once, or incrementally for a document that is being typed in.

tree-sitter holds the GIL while it parses. Reading through a callback in small slices lets other threads run between
two slices; parsing 42,000 lines then stalls them 11 ms at most instead of 310 ms. But the binding never gives back what
a callback has returned, about as many bytes as the text has: so only large texts are read like that, and only from
nothing, which for a document happens once. What is read again with an old tree takes milliseconds in one go.
"""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

from codeassistd.syntax.edits import TextEdit, difference
from codeassistd.syntax.grammar import Grammar
from codeassistd.text import Text

__all__ = ["ParseLimits", "ParsedDocument", "parse", "parse_whole", "reparse", "told"]

_SLICE_BYTES = 4096
#: Larger texts are read in slices: in one go they would stall other threads for more than 10 ms.
_LARGE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class ParseLimits:
    """What is too big to be parsed: such files are machine-made, and would cost more than they tell.

    Attributes:
        max_bytes: longest text.
        max_line_bytes: longest line; minified files have longer ones.
    """

    max_bytes: int = 1_048_576
    max_line_bytes: int = 10_000

    def reason_to_skip(self, text: Text) -> str:
        """Why `text` is not parsed, or the empty string."""
        if len(text) > self.max_bytes:
            return f"larger than {self.max_bytes} bytes"
        if text.longest_line() > self.max_line_bytes:
            return f"a line is longer than {self.max_line_bytes} bytes"
        return ""


@dataclass(frozen=True, slots=True)
class ParsedDocument:
    """A text with the tree that was parsed from it; the tree is never edited, so any thread may `reparse` from it."""

    grammar: Grammar
    text: Text
    tree: tree_sitter.Tree


def parse(grammar: Grammar, text: Text, old_tree: tree_sitter.Tree | None = None) -> tree_sitter.Tree:
    """The tree of `text`; broken code gives a tree with error nodes.

    Args:
        grammar: the language of the text.
        text: any UTF-8.
        old_tree: the tree of an earlier text, with the edit between the two told to it.
    """
    content = text.content

    def read(offset: int, _point: tree_sitter.Point) -> bytes:
        return content[offset : offset + _SLICE_BYTES]

    parser = tree_sitter.Parser(grammar.language)
    if old_tree is not None:
        return parser.parse(content, old_tree)
    return parser.parse(read if len(content) > _LARGE_BYTES else content)


def parse_whole(grammar: Grammar, content: bytes) -> tree_sitter.Tree:
    """The tree of `content` in one go, which is the fastest, for processes whose other threads may wait."""
    return tree_sitter.Parser(grammar.language).parse(content)


def reparse(known: ParsedDocument, text: Text) -> tree_sitter.Tree:
    """The tree of `text`, with all that did not change taken from the tree of another version."""
    if known.text == text:
        return known.tree
    return parse(known.grammar, text, told(known, text, difference(known.text.content, text.content)))


def told(known: ParsedDocument, text: Text, edit: TextEdit) -> tree_sitter.Tree:
    """A copy of the tree of `known` that was told of the edit on the way to `text`."""
    old, new = known.text.content, text.content
    tree = known.tree.copy()
    tree.edit(
        edit.start,
        edit.old_end,
        edit.new_end,
        _point(old, edit.start),
        _point(old, edit.old_end),
        _point(new, edit.new_end),
    )
    return tree


def _point(content: bytes, offset: int) -> tuple[int, int]:
    r"""Row and column as tree-sitter counts them: only `\n` ends a row, unlike in `Text`."""
    return content.count(b"\n", 0, offset), offset - (content.rfind(b"\n", 0, offset) + 1)
