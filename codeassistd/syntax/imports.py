"""Imported names, from the matches of `imports.scm`.

Captures of a pattern: `@import.module`, `@import.name`, `@import.alias`, each where the language writes it. An import
without a module imports a module by its name. `(#set! name "default")` names what no word of the file names.

Where a language nests (`use a::{b, c::{d}}`), `@import.group` is the nest and `@import.prefix` what stands before it;
prefixes of all nests round an import, and its own module, are joined by the grammar's `(#set! separator "::")`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import tree_sitter

from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.facts import Import
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.source import Source, span_of
from codeassistd.text import Span

__all__ = ["ImportCollector"]

_QUOTES = "\"'`<>"


@dataclass(frozen=True, slots=True)
class _Group:
    """A nest of imports and what it puts before them."""

    span: Span
    prefix: str
    separator: str


@dataclass(frozen=True, slots=True)
class _Found:
    """One import as it stands, without what the nests round it put before it."""

    start: int
    module: str
    name: str
    alias: str


class ImportCollector:
    """Takes the matches of one file as they come, and tells its imports when all are there."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._groups: dict[Span, _Group] = {}
        # By the place of the name, and all else that tells two imports there apart.
        self._found: dict[_Found, None] = {}

    def add(self, pattern: Pattern, node: tree_sitter.Node, captures: Captures) -> None:
        """Take one match; nothing of it is kept but plain values."""
        if pattern.kind == "group":
            span = span_of(node)
            separator = pattern.settings.get("separator") or "."
            self._groups[span] = _Group(span, self._word(captures, "prefix"), separator)
            return
        # The name tells the line: a list of names may run over several.
        start = (captures["import.name"][0] if "import.name" in captures else node).start_byte
        name = self._word(captures, "name") or pattern.settings.get("name") or ""
        self._found[_Found(start, self._word(captures, "module"), name, self._word(captures, "alias"))] = None

    def edit(self, edit: TextEdit) -> None:
        """Follow an edit: what it touches is to be added anew."""
        found, groups = list(self._found), list(self._groups.values())
        self._found = {item: None for item in found if item.start < edit.start}
        self._found |= {
            replace(item, start=item.start + edit.delta): None for item in found if item.start > edit.old_end
        }
        self._groups = {group.span: group for group in groups if group.span.end < edit.start}
        for group in groups:
            if group.span.start > edit.old_end:
                span = Span(group.span.start + edit.delta, group.span.end + edit.delta)
                self._groups[span] = replace(group, span=span)

    def imports(self) -> tuple[Import, ...]:
        """In order of their place, each once."""
        groups = [self._groups[span] for span in sorted(self._groups, reverse=True)]
        found = sorted(self._found, key=lambda item: (item.start, item.module, item.name, item.alias))
        return tuple(dict.fromkeys(self._import(item, groups) for item in found))

    def _import(self, item: _Found, groups: Sequence[_Group]) -> Import:
        module, name = item.module, item.name
        for group in groups:
            if group.span.start <= item.start < group.span.end:
                module = f"{group.prefix}{group.separator}{module}" if module else group.prefix
        if not module:
            module, name = name, ""
        return Import(module, name, item.alias, self._source.line_of(item.start))

    def _word(self, captures: Captures, part: str) -> str:
        nodes = captures.get(f"import.{part}")
        return self._source.read(nodes[0]).strip(_QUOTES) if nodes else ""
