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
inside it. Where several patterns match one name, the one written
first is right.
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
from codeassistd.syntax.source import Source, body_of, span_of
from codeassistd.text import Span

__all__ = ["collect"]

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
    node: tree_sitter.Node
    name: tree_sitter.Node
    body: tree_sitter.Node | None
    owner: str
    keyword: tree_sitter.Node | None

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
    line_of, read = source.text.line_of, source.read
    for pattern, captures in matches:
        match pattern.role:
            case "reference":
                name = captures["name"][0]
                references[name.start_byte] = read(name)
            case "docstring":
                docstrings.append(captures["docstring"][0])
            case _:
                item = _found(pattern, captures, source)
                if item is None:
                    continue
                known = found.get(item.name.start_byte)
                if known is None or pattern.index < known.pattern.index:
                    found[item.name.start_byte] = item
    docs = Docs(source, docstrings)
    symbols = tuple(_symbols(sorted(found.values(), key=lambda item: item.order), source, docs))
    # A pattern for uses may match the name of a definition too; that is not a use.
    used = {(line_of(start), name) for start, name in references.items() if start not in found}
    return symbols, tuple(Reference(name, line) for line, name in sorted(used))


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
    body = body_of(node, captures)
    words = "" if owner is None else _owner(owner, name, source)
    return _Found(pattern, kind, node, name, body, words, captures.get("keyword", [None])[0])


def _owner(owner: tree_sitter.Node, name: tree_sitter.Node, source: Source) -> str:
    """The words of `owner`, joined by dots; where it holds the name as its last part, those before it."""
    end = min(owner.end_byte, name.start_byte) if owner.start_byte <= name.start_byte else owner.end_byte
    return ".".join(_WORD.findall(_TYPE_ARGUMENTS.sub("", source.between(owner.start_byte, end))))


def _symbols(found: Iterable[_Found], source: Source, docs: Docs) -> Iterator[Symbol]:
    """Turn definitions, outer before inner, into symbols that know what they stand in."""
    frames = [_FILE]
    for item in found:
        span = span_of(item.node)
        while frames[-1] is not _FILE and (frames[-1].span.end < span.end or frames[-1].span == span):
            frames.pop()
        if "outer-only" in item.pattern.settings and any(frame.kind in _FUNCTIONS for frame in frames):
            continue
        if len(frames) > _MAX_DEPTH:
            continue
        outer = frames[-1]
        name = source.read(item.name)
        parent = ".".join(filter(None, (outer.qualified_name, item.owner)))
        qualified_name = f"{parent}.{name}" if parent else name
        kind = item.kind
        if item.owner or outer.kind in _CONTAINERS:
            kind = _IN_CONTAINER.get(kind, kind)
        if "no-owner" not in item.pattern.settings:
            frames.append(_Frame(span, qualified_name.replace("::", "."), kind))
        if kind != "scope":
            yield Symbol(
                name=name,
                kind=kind,
                qualified_name=qualified_name,
                signature=_signature(item, source),
                doc=docs.of(item.node, item.body),
                span=span,
                name_span=span_of(item.name),
                line=source.text.line_of(item.name.start_byte),
                parent=parent,
            )


def _signature(item: _Found, source: Source) -> str:
    """The head of a definition; where its name stands behind its body (a C typedef), what is behind it too."""
    node, body = item.node, item.body
    head = source.head(node.start_byte, node.end_byte if body is None else body.start_byte)
    if item.keyword is not None:
        head = f"{source.read(item.keyword)} {head}"
    if body is None or item.name.start_byte < body.end_byte:
        return head
    return f"{head} {{ ... }} {source.head(body.end_byte, node.end_byte)}"
