"""What a cursor stands in, by the tree: code, a comment, a string.

Grammars name their nodes as they like, but all of them say "comment" and "string" somewhere in the name. A text that is
being typed may be too broken to tell; then it is code, and whoever asks may know better from the words.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import tree_sitter

from codeassistd.syntax.languages import Language
from codeassistd.syntax.parser import ParsedDocument

__all__ = ["Site", "site_at"]


class Site(StrEnum):
    """A kind of place."""

    CODE = "code"
    COMMENT = "comment"
    """One that ends with its line."""
    PROSE = "prose"
    """A comment or string over several lines, such as a docstring."""
    STRING = "string"
    """One that ends on its line."""


#: Code within a string.
_CODE_IN_STRING = ("interpolation", "substitution", "expansion")


def site_at(parsed: ParsedDocument, offset: int, language: Language) -> Site:
    """What byte `offset` stands in."""
    content = parsed.text.content
    for node in _around(parsed.tree.root_node, offset):
        kind = node.type
        if any(word in kind for word in _CODE_IN_STRING):
            return Site.CODE
        if "comment" in kind:
            return Site.PROSE if _begins_with(content, node, language.block_comments) else Site.COMMENT
        if _is_string(node):
            whole = _whole_string(node)
            is_long = whole.start_point.row != whole.end_point.row
            is_long = is_long or _begins_with(content, whole, _long_only(language))
            return Site.PROSE if is_long else Site.STRING
    return Site.CODE


def _around(root: tree_sitter.Node, offset: int) -> Iterator[tree_sitter.Node]:
    """The nodes that hold the cursor, innermost first; a line comment holds its own end, all others do not."""
    node = root.descendant_for_byte_range(max(0, offset - 1), offset)
    while node is not None and node.parent is not None:
        ends_line = "comment" in node.type and node.start_point.row == node.end_point.row
        inside = node.start_byte < offset < node.end_byte
        if inside or (ends_line and node.start_byte < offset and not _is_closed(node)):
            yield node
        node = node.parent


def _is_closed(comment: tree_sitter.Node) -> bool:
    """Whether a comment ends with a mark of its own, so that nothing behind it belongs to it."""
    text = comment.text or b""
    return text.endswith((b"*/", b"]]", b"-->"))


def _is_string(node: tree_sitter.Node) -> bool:
    return "string" in node.type or "char" in node.type


def _whole_string(node: tree_sitter.Node) -> tree_sitter.Node:
    """The string that a piece of one belongs to; several side by side are several."""
    while (parent := node.parent) is not None and _is_string(parent) and "concat" not in parent.type:
        node = parent
    return node


def _begins_with(content: bytes, node: tree_sitter.Node, pairs: tuple[tuple[str, str], ...]) -> bool:
    text = content[node.start_byte : node.end_byte].decode("utf-8", "replace").lstrip("rRbBuUfF")
    return any(text.startswith(begin) for begin, _ in pairs)


def _long_only(language: Language) -> tuple[tuple[str, str], ...]:
    """Strings whose quote tells that they may reach over several lines."""
    return tuple(pair for pair in language.long_strings if pair[0] not in language.strings)
