"""The outline of a file, from the matches of `outline.scm`: heads as written, bodies left out.

@outline.open    its body is left open: its head, and what the outline has inside
@outline.elided  its body is left out, whatever is inside
@outline.whole   has no body: shown as it is
@keyword         a word before it that is shown with it (the `const` of several names)
@tail            what stands behind the body and is shown after it
@body            what the head ends before; default: the field `body` of `@value`, or of the node itself
"""

from __future__ import annotations

from collections.abc import Iterable

import tree_sitter

from codeassistd.syntax.facts import OutlineEntry
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.languages import Language
from codeassistd.syntax.source import Source, body_of, span_of

__all__ = ["collect"]


def collect(
    matches: Iterable[tuple[Pattern, Captures]], source: Source, language: Language
) -> tuple[OutlineEntry, ...]:
    """The entries in order of their place; of two patterns about one place, the one written first is right."""
    found: dict[int, tuple[Pattern, Captures]] = {}
    for pattern, captures in matches:
        start = captures[pattern.main][0].start_byte
        if start not in found or pattern.index < found[start][0].index:
            found[start] = (pattern, captures)
    entries: list[OutlineEntry] = []
    hidden_until = 0
    for start in sorted(found):
        if start < hidden_until:
            continue
        pattern, captures = found[start]
        node = captures[pattern.main][0]
        line = source.text.line_of(start)
        # What stands on one line is short enough to be shown whole, and its parts have no indentation of their own.
        is_open = pattern.kind == "open" and source.text.line_of(node.end_byte) > line
        if not is_open:
            hidden_until = node.end_byte
        keyword = captures.get("keyword", [node])[0]
        text = f"{source.read(keyword)} " if keyword is not node else ""
        if is_open:
            text += _head(node, captures, source) + language.opener
        elif pattern.kind == "elided":
            text += _elided(node, captures, source, language)
        else:
            text += source.head(start, node.end_byte)
        entries.append(OutlineEntry(source.indent(keyword.start_byte) + text, line, span_of(node)))
    return tuple(entries)


def _elided(node: tree_sitter.Node, captures: Captures, source: Source, language: Language) -> str:
    if body_of(node, captures) is None:
        return source.head(node.start_byte, node.end_byte)
    tail = f" {source.read(captures['tail'][0])}" if "tail" in captures else ""
    return _head(node, captures, source) + language.elided + tail


def _head(node: tree_sitter.Node, captures: Captures, source: Source) -> str:
    body = body_of(node, captures)
    return source.head(node.start_byte, node.end_byte if body is None else body.start_byte)
