"""Imported names, from the matches of `imports.scm`.

Captures of a pattern: `@import.module`, `@import.name`, `@import.alias`, each where the language writes it. An import
without a module imports a module by its name. `(#set! name "default")` names what no word of the file names.

Where a language nests (`use a::{b, c::{d}}`), `@import.group` is the nest and `@import.prefix` what stands before it;
prefixes of all nests round an import, and its own module, are joined by the grammar's `(#set! separator "::")`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from codeassistd.syntax.facts import Import
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.source import Source, span_of
from codeassistd.text import Span

__all__ = ["collect"]

_QUOTES = "\"'`<>"


@dataclass(frozen=True, slots=True)
class _Group:
    """A nest of imports and what it puts before them."""

    span: Span
    prefix: str
    separator: str


def collect(matches: Iterable[tuple[Pattern, Captures]], source: Source) -> tuple[Import, ...]:
    """The imports of a file in order of their place."""
    groups: list[_Group] = []
    found: list[tuple[int, Pattern, Captures]] = []
    for pattern, captures in matches:
        if "import.group" in captures:
            span = span_of(captures["import.group"][0])
            prefix = _word(captures, "prefix", source)
            groups.append(_Group(span, prefix, pattern.settings.get("separator") or "."))
        else:
            nodes = captures.get("import.name") or captures[pattern.main]
            found.append((nodes[0].start_byte, pattern, captures))
    groups.sort(key=lambda group: group.span)
    found.sort(key=lambda item: item[0])
    return tuple(dict.fromkeys(_import(start, pattern, captures, groups, source) for start, pattern, captures in found))


def _import(start: int, pattern: Pattern, captures: Captures, groups: Iterable[_Group], source: Source) -> Import:
    module = _word(captures, "module", source)
    name = _word(captures, "name", source) or pattern.settings.get("name") or ""
    for group in reversed([group for group in groups if group.span.start <= start < group.span.end]):
        module = f"{group.prefix}{group.separator}{module}" if module else group.prefix
    if not module:
        module, name = name, ""
    return Import(module, name, _word(captures, "alias", source), source.text.line_of(start))


def _word(captures: Captures, part: str, source: Source) -> str:
    nodes = captures.get(f"import.{part}")
    return source.read(nodes[0]).strip(_QUOTES) if nodes else ""
