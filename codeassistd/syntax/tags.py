"""Symbols and references, from the matches of `tags.scm`.

The queries speak tree-sitter's tag dialect, `@definition.<kind>` and `@reference.<kind>` with an inner `@name`, and
these words besides:

    @body       in a definition: what its head ends before; default: the field `body` of `@value`, or of the node itself
    @declarator in place of @name: the name is somewhere in it (`declarator.py`); `(#set! callable "method")` names
                the kind where it declares a function
    @owner      in a definition: names that come before its own (a receiver, a qualified C++ name)
    @keyword    in a definition: a word before it that belongs to its head (the `const` of several names)
    @scope      with a @name: not a definition, but its name comes before the names inside (a Rust impl block)
    @comment    a comment; right above a definition it is its documentation
    @docstring  a string that is the documentation of the definition whose body it opens
    @attached   stands before or in a definition and belongs neither to its head nor to its documentation

`(#set! outer-only)` drops a definition inside a function; `(#set! no-owner)` keeps its name out of the names of those
inside it. Where several patterns match one name, the one written first is right.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import tree_sitter

from codeassistd.syntax.declarator import unwrap
from codeassistd.syntax.docs import Docs
from codeassistd.syntax.facts import Reference, Symbol
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.heads import Heads
from codeassistd.syntax.source import Marks, Source, body_of, span_of
from codeassistd.text import Span

__all__ = ["TagCollector"]

_FUNCTIONS = frozenset({"function", "method"})
_CONTAINERS = frozenset({"class", "interface", "enum", "type", "scope"})
# What a definition becomes when it stands directly in a class or its like.
_IN_CONTAINER = {"function": "method", "variable": "field"}
# Definitions nested deeper than anyone writes by hand are left out: their whole names would grow with the square.
_MAX_DEPTH = 32
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"[^\W\d]\w*")


@dataclass(frozen=True, slots=True)
class _Found:
    """A definition or scope as the query found it, before it is known what it stands in."""

    pattern: Pattern
    kind: str
    span: Span
    name: str
    name_span: Span
    body: Span | None
    owner: str
    keyword: str

    @property
    def order(self) -> tuple[int, int, int]:
        """Sorts outer before inner."""
        return self.span.start, -self.span.end, self.name_span.start


@dataclass(frozen=True, slots=True)
class _Frame:
    """What is open while the definitions behind its start are read."""

    span: Span
    qualified_name: str
    kind: str


_FILE = _Frame(Span(0, 0), "", "file")


class TagCollector:
    """Takes the matches of one file as they come, and tells its symbols and references when all are there."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._found: dict[int, _Found] = {}
        self._references: dict[int, str] = {}
        self._docstrings: dict[int, Span] = {}

    def add(self, pattern: Pattern, captures: Captures) -> None:
        """Take one match; nothing of it is kept but plain values."""
        match pattern.role:
            case "reference":
                name = captures["name"][0]
                self._references[name.start_byte] = self._source.read(name)
            case "docstring":
                span = span_of(captures["docstring"][0])
                self._docstrings[span.start] = span
            case _:
                item = _found(pattern, captures, self._source)
                if item is not None:
                    known = self._found.setdefault(item.name_span.start, item)
                    if pattern.index < known.pattern.index:
                        self._found[item.name_span.start] = item

    def symbols(self, heads: Heads, marks: Marks) -> tuple[Symbol, ...]:
        """In order of their start, outer before inner."""
        docs = Docs(self._source, marks, self._docstrings)
        found = sorted(self._found.values(), key=lambda item: item.order)
        return tuple(_symbols(found, self._source, heads, docs))

    def references(self) -> tuple[Reference, ...]:
        """In order of their lines; each name once a line."""
        line_of = self._source.line_of
        # A pattern for uses may match the name of a definition too; that is not a use.
        used = {(line_of(start), name) for start, name in self._references.items() if start not in self._found}
        return tuple(Reference(name, line) for line, name in sorted(used))


def _found(pattern: Pattern, captures: Captures, source: Source) -> _Found | None:
    node, kind = captures[pattern.main][0], pattern.kind or pattern.role
    owner = captures["owner"][0] if "owner" in captures else None
    if "declarator" in captures:
        declared = unwrap(captures["declarator"][0])
        if declared is None:
            return None
        name, owner = declared.name, declared.qualified
        if declared.is_function:
            kind = pattern.settings.get("callable") or kind
    else:
        name = captures["name"][0]
    if name.start_byte == name.end_byte:
        # The parser put in a name that is missing in broken code.
        return None
    return _Found(
        pattern=pattern,
        kind=kind,
        span=span_of(node),
        name=source.read(name),
        name_span=span_of(name),
        body=body_of(node, captures),
        owner="" if owner is None else _owner(owner, name, source),
        keyword=source.read(captures["keyword"][0]) if "keyword" in captures else "",
    )


def _owner(owner: tree_sitter.Node, name: tree_sitter.Node, source: Source) -> str:
    """The words of `owner`, joined by dots; where it holds the name as its last part, those before it."""
    end = min(owner.end_byte, name.start_byte) if owner.start_byte <= name.start_byte else owner.end_byte
    return ".".join(_WORD.findall(_TYPE_ARGUMENTS.sub("", source.between(owner.start_byte, end))))


def _symbols(found: Iterable[_Found], source: Source, heads: Heads, docs: Docs) -> Iterator[Symbol]:
    """Turn definitions, outer before inner, into symbols that know what they stand in."""
    frames = [_FILE]
    for item in found:
        while frames[-1] is not _FILE and (frames[-1].span.end < item.span.end or frames[-1].span == item.span):
            frames.pop()
        if "outer-only" in item.pattern.settings and any(frame.kind in _FUNCTIONS for frame in frames):
            continue
        if len(frames) > _MAX_DEPTH:
            continue
        outer = frames[-1]
        parent = ".".join(filter(None, (outer.qualified_name, item.owner)))
        qualified_name = f"{parent}.{item.name}" if parent else item.name
        kind = item.kind
        if item.owner or outer.kind in _CONTAINERS:
            kind = _IN_CONTAINER.get(kind, kind)
        if "no-owner" not in item.pattern.settings:
            frames.append(_Frame(item.span, qualified_name.replace("::", "."), kind))
        if kind != "scope":
            yield Symbol(
                name=item.name,
                kind=kind,
                qualified_name=qualified_name,
                signature=_signature(item, heads),
                doc=docs.of(item.span, item.body),
                span=item.span,
                name_span=item.name_span,
                line=source.line_of(item.name_span.start),
                parent=parent,
            )


def _signature(item: _Found, heads: Heads) -> str:
    """The head of a definition; where its name stands behind its body (a C typedef), what is behind it too."""
    span, body = item.span, item.body
    head = heads.read(span.start, span.end if body is None else body.start)
    if item.keyword:
        head = f"{item.keyword} {head}"
    if body is None or item.name_span.start < body.end:
        return head
    return f"{head} {{ ... }} {heads.read(body.end, span.end)}"
