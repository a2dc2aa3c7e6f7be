"""Symbols and references, from the matches of `tags.scm`.

The queries speak tree-sitter's tag dialect, `@definition.<kind>` and `@reference.<kind>` with an inner `@name`, and
these words besides:

    @body       in a definition: what its head ends before; default: the node's field `body`
    @owner      in a definition: names that come before its own (a receiver, a qualified C++ name)
    @scope      with a @name: not a definition, but its name comes before the names inside (a Rust impl block)
    @comment    a comment; right above a definition it is its documentation
    @docstring  a string that is the documentation of the definition whose body it opens
    @attached   stands before or in a definition and belongs neither to its head nor to its documentation

`(#set! outer-only)` drops a definition inside a function. Where several patterns match one name, the one written
first is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import tree_sitter

from codeassistd.syntax.docs import Docs
from codeassistd.syntax.facts import Reference, Symbol
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.source import Source, span_of
from codeassistd.text import Span

__all__ = ["collect"]

_FUNCTIONS = frozenset({"function", "method"})
_CONTAINERS = frozenset({"class", "interface", "enum", "type", "scope"})
# What a definition becomes when it stands directly in a class or its like.
_IN_CONTAINER = {"function": "method", "variable": "field"}
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition or scope as the query found it, before it is known what it stands in."""

    pattern: Pattern
    kind: str
    node: tree_sitter.Node
    name: tree_sitter.Node
    body: tree_sitter.Node | None
    owner: str

    @property
    def order(self) -> tuple[int, int, int]:
        """Sorts outer before inner."""
        return self.node.start_byte, -self.node.end_byte, self.name.start_byte


@dataclass(frozen=True, slots=True)
class _Frame:
    """What is open while the definitions behind its start are read."""

    span: Span
    qualified_name: str
    kind: str


_FILE = _Frame(Span(0, 0), "", "file")


def collect(
    matches: Iterable[tuple[Pattern, Captures]], source: Source
) -> tuple[tuple[Symbol, ...], tuple[Reference, ...]]:
    """The symbols in order of their start, outer before inner, and the references in order of their lines."""
    found: dict[int, _Found] = {}
    references: dict[int, str] = {}
    docstrings: list[tree_sitter.Node] = []
    attached: list[Span] = []
    line_of, read = source.text.line_of, source.read
    for pattern, captures in matches:
        match pattern.role:
            case "reference":
                name = captures["name"][0]
                references[name.start_byte] = read(name)
            case "docstring":
                docstrings.append(captures["docstring"][0])
            case "attached":
                attached.append(span_of(captures["attached"][0]))
            case _:
                item = _found(pattern, captures, source)
                known = found.get(item.name.start_byte)
                if known is None or pattern.index < known.pattern.index:
                    found[item.name.start_byte] = item
    docs = Docs(source, docstrings, attached)
    symbols = tuple(_symbols(sorted(found.values(), key=lambda item: item.order), source, docs))
    # A pattern for uses may match the name of a definition too; that is not a use.
    used = {(line_of(start), name) for start, name in references.items() if start not in found}
    return symbols, tuple(Reference(name, line) for line, name in sorted(used))


def _found(pattern: Pattern, captures: Captures, source: Source) -> _Found:
    node, name = captures[pattern.main][0], captures["name"][0]
    body = captures["body"][0] if "body" in captures else node.child_by_field_name("body")
    owner = ""
    if "owner" in captures:
        # A qualified name holds its last part too: what counts ends where the name begins.
        start, end = captures["owner"][0].byte_range
        written = source.between(start, min(end, name.start_byte) if start < name.start_byte else end)
        owner = ".".join(_WORD.findall(_TYPE_ARGUMENTS.sub("", written)))
    return _Found(pattern, pattern.kind or pattern.role, node, name, body, owner)


def _symbols(found: Iterable[_Found], source: Source, docs: Docs) -> Iterator[Symbol]:
    """Turn definitions, outer before inner, into symbols that know what they stand in."""
    frames = [_FILE]
    for item in found:
        span = span_of(item.node)
        while frames[-1] is not _FILE and (frames[-1].span.end < span.end or frames[-1].span == span):
            frames.pop()
        if "outer-only" in item.pattern.settings and any(frame.kind in _FUNCTIONS for frame in frames):
            continue
        outer = frames[-1]
        name = source.read(item.name)
        parent = ".".join(filter(None, (outer.qualified_name, item.owner)))
        qualified_name = f"{parent}.{name}" if parent else name
        kind = item.kind
        if item.owner or outer.kind in _CONTAINERS:
            kind = _IN_CONTAINER.get(kind, kind)
        frames.append(_Frame(span, qualified_name, kind))
        if kind != "scope":
            yield Symbol(
                name=name,
                kind=kind,
                qualified_name=qualified_name,
                signature=_signature(item, source, docs),
                doc=docs.of(item.node, item.body),
                span=span,
                name_span=span_of(item.name),
                line=source.text.line_of(item.name.start_byte),
                parent=parent,
            )


def _signature(item: _Found, source: Source, docs: Docs) -> str:
    end = item.node.end_byte if item.body is None else item.body.start_byte
    return source.head(docs.head_start(item.node), end)
