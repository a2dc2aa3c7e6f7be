"""The outline of a file, from the matches of `outline.scm`: heads as written, bodies left out.

    @outline.open    its body is left open: its head, and what the outline has inside
    @outline.elided  its body is left out, whatever is inside
    @outline.whole   has no body: shown as it is
    @keyword         a word before it that is shown with it (the `const` of several names)
    @tail            what stands behind the body and is shown after it
    @body            what the head ends before; default: the field `body` of `@value`, or of the node itself

Of two patterns about one place, the one written first is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import tree_sitter

from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.facts import OutlineEntry
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.heads import Heads
from codeassistd.syntax.languages import Language
from codeassistd.syntax.source import Source, body_of
from codeassistd.text import Span

__all__ = ["OutlineCollector"]


@dataclass(slots=True)
class _Found:
    """What the query found, before it is known whether something outside hides it.

    Attributes:
        body: where the body starts; None where there is none.
        entry: what was made of it last; an edit that does not touch it changes its place at most.
    """

    pattern: Pattern
    start: int
    end: int
    body: int | None
    indent: str
    keyword: str
    tail: str
    entry: OutlineEntry | None = None

    def move(self, delta: int) -> None:
        """Follow an edit in front of it."""
        self.start += delta
        self.end += delta
        if self.body is not None:
            self.body += delta


class OutlineCollector:
    """Takes the matches of one file as they come, and tells its outline when all are there."""

    def __init__(self, source: Source, language: Language) -> None:
        self._source = source
        self._language = language
        self._found: dict[int, _Found] = {}

    def add(self, pattern: Pattern, node: tree_sitter.Node, captures: Captures) -> None:
        """Take one match; nothing of it is kept but plain values."""
        read = self._source.read
        known = self._found.get(node.start_byte)
        if known is not None and known.pattern.index < pattern.index:
            return
        body = body_of(node, captures)
        self._found[node.start_byte] = _Found(
            pattern=pattern,
            start=node.start_byte,
            end=node.end_byte,
            body=None if body is None else body.start_byte,
            indent=self._source.indent(captures.get("keyword", [node])[0].start_byte),
            keyword=f"{read(captures['keyword'][0])} " if "keyword" in captures else "",
            tail=f" {read(captures['tail'][0])}" if "tail" in captures else "",
        )

    def edit(self, edit: TextEdit) -> None:
        """Follow an edit: what it touches is to be added anew."""
        found, self._found = self._found, {}
        for item in found.values():
            if item.start > edit.old_end:
                item.move(edit.delta)
            elif item.end >= edit.start:
                continue
            self._found[item.start] = item

    def entries(self, heads: Heads) -> tuple[OutlineEntry, ...]:
        """In order of their place."""
        return tuple(self._entries(heads))

    def _entries(self, heads: Heads) -> Iterator[OutlineEntry]:
        line_of = self._source.line_of
        hidden_until = 0
        for start, item in sorted(self._found.items()):
            if start < hidden_until:
                continue
            line = line_of(start)
            kind = item.pattern.kind if item.body is not None else "whole"
            # What stands on one line is short enough to be shown whole; its parts have no indentation of their own.
            if kind == "open" and line_of(item.end) == line:
                kind = "whole"
            if kind != "open":
                hidden_until = item.end
            if item.entry is None:
                text = f"{item.indent}{item.keyword}{self._shown(kind, item, heads)}"
                item.entry = OutlineEntry(text, line, Span(start, item.end))
            elif item.entry.span.start != start or item.entry.line != line:
                item.entry = OutlineEntry(item.entry.text, line, Span(start, item.end))
            yield item.entry

    def _shown(self, kind: str, item: _Found, heads: Heads) -> str:
        if kind == "whole" or item.body is None:
            return heads.read(item.start, item.end)
        head = heads.read(item.start, item.body)
        return head + (self._language.opener if kind == "open" else self._language.elided + item.tail)
