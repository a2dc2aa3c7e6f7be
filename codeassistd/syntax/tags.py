"""Symbols, from the matches of `tags.scm`.

The queries speak tree-sitter's tag dialect, `@definition.<kind>` and `@reference.<kind>` with an inner `@name`, and
these words besides:

    @body       in a definition: what its head ends before; default: the field `body` of `@value`, or of the node itself
    @declarator in place of @name: the name is somewhere in it (`declarator.py`); `(#set! callable "method")` names
                the kind where it declares a function
    @owner      in a definition: names that come before its own (a receiver, a qualified C++ name)
    @keyword    in a definition: a word before it that belongs to its head (the `const` of several names)
    @scope      with a @name: not a definition, but its name comes before the names inside (a Rust impl block)
    @reference.base  a reference, too: the name of a class that the innermost one round it is derived from
    @comment    a comment; right above a definition it is its documentation
    @docstring  a string that is the documentation of the definition whose body it opens
    @attached   stands before or in a definition and belongs neither to its head nor to its documentation

`(#set! skip "1")` leaves out so many bytes at the start of a name (a Ruby symbol's colon);
`(#set! capitals "constant")` names the kind where the name is in capitals;
`(#set! outer-only)` drops a definition inside a function; `(#set! no-owner)` keeps its name out of the names of those
inside it. Where several patterns match one name, the one written first is right.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

import tree_sitter

from codeassistd.syntax.declarator import unwrap
from codeassistd.syntax.docs import Docs, docstring_of
from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.facts import FUNCTION_KINDS, Symbol
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.heads import Heads
from codeassistd.syntax.source import Marks, Source, body_of

__all__ = ["TagCollector"]

# What can be derived from something.
_DERIVED = frozenset({"class", "interface", "enum"})
_CONTAINERS = frozenset({"class", "interface", "enum", "type", "scope"})
# What a definition becomes when it stands directly in a class or its like.
_IN_CONTAINER = {"function": "method", "variable": "field"}
# Definitions nested deeper than anyone writes by hand are left out: their whole names would grow with the square.
_MAX_DEPTH = 32
_TYPE_ARGUMENTS = re.compile(r"<[^<>]*>")
_WORD = re.compile(r"[^\W\d]\w*")
_CAPITALS = re.compile(r"_*[A-Z][A-Z0-9_]*")


@dataclass(slots=True)
class _Found:
    """A definition or scope as the query found it, before it is known what it stands in.

    Attributes:
        body, body_end: where its body lies; None and 0 where it has none.
        symbol: what was made of it last; an edit that does not touch it changes its place at most.
    """

    pattern: Pattern
    kind: str
    start: int
    end: int
    name: str
    name_start: int
    name_end: int
    body: int | None
    body_end: int
    owner: str
    keyword: str
    symbol: Symbol | None = None

    def move(self, delta: int) -> None:
        """Follow an edit in front of it."""
        self.start += delta
        self.end += delta
        self.name_start += delta
        self.name_end += delta
        if self.body is not None:
            self.body += delta
            self.body_end += delta


@dataclass(slots=True)
class _Frame:
    """What is open while the definitions behind its start are read.

    Attributes:
        start, end: the bytes of the definition.
        name: where its name starts.
        is_inner: whether what stands in it is inside a function.
    """

    start: int
    end: int
    name: int
    qualified_name: str
    kind: str
    is_inner: bool


_FILE = _Frame(0, 0, 0, "", "file", is_inner=False)


class TagCollector:
    """Takes the matches of one file as they come, and tells its symbols when all are there."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._found: dict[int, _Found] = {}
        # Ends and first lines of the strings that open a body, by their starts.
        self._docstrings: dict[int, tuple[int, str]] = {}

    @property
    def places(self) -> Container[int]:
        """Where the names of definitions start."""
        return self._found.keys()

    def add(self, pattern: Pattern, node: tree_sitter.Node, captures: Captures) -> None:
        """Take one match; nothing of it is kept but plain values."""
        if pattern.role == "docstring":
            self._docstrings[node.start_byte] = node.end_byte, docstring_of(self._source.read(node))
            return
        item = _found(pattern, node, captures, self._source)
        if item is not None:
            known = self._found.get(item.name_start)
            if known is None or pattern.index <= known.pattern.index:
                self._found[item.name_start] = item

    def edit(self, edit: TextEdit) -> None:
        """Follow an edit: what it touches is to be added anew."""
        found, self._found = self._found, {}
        for item in found.values():
            if item.start > edit.old_end:
                item.move(edit.delta)
            elif item.end >= edit.start:
                continue
            self._found[item.name_start] = item
        docstrings, self._docstrings = self._docstrings, {}
        for start, (end, line) in docstrings.items():
            if start > edit.old_end:
                self._docstrings[start + edit.delta] = end + edit.delta, line
            elif end < edit.start:
                self._docstrings[start] = end, line

    def symbols(self, heads: Heads, docs: Docs, bases: Mapping[int, str]) -> tuple[Symbol, ...]:
        """In order of their start, outer before inner; `bases` are names of base classes by their places."""
        # Outer before inner.
        found = sorted(self._found.values(), key=lambda item: (item.start, -item.end, item.name_start))
        return tuple(_symbols(found, self._source, heads, docs, _by_class(found, bases)))

    def docs(self, marks: Marks) -> Docs:
        """The documentation of these definitions."""
        return Docs(self._source, marks, {start: line for start, (_, line) in self._docstrings.items()})


def _found(pattern: Pattern, node: tree_sitter.Node, captures: Captures, source: Source) -> _Found | None:
    kind, settings = pattern.kind or pattern.role, pattern.settings
    owner = captures["owner"][0] if "owner" in captures else None
    if "declarator" in captures:
        declared = unwrap(captures["declarator"][0])
        if declared is None:
            return None
        name, owner = declared.name, declared.qualified
        if declared.is_function:
            kind = settings.get("callable") or kind
    else:
        name = captures["name"][0]
    name_start, name_end = name.start_byte + pattern.skip, name.end_byte
    if name_start >= name_end:
        # The parser put in a name that is missing in broken code.
        return None
    letters = source.between(name_start, name_end)
    if "capitals" in settings and _CAPITALS.fullmatch(letters):
        kind = settings["capitals"] or kind
    body = body_of(node, captures)
    return _Found(
        pattern,
        kind,
        node.start_byte,
        node.end_byte,
        letters,
        name_start,
        name_end,
        None if body is None else body.start_byte,
        0 if body is None else body.end_byte,
        "" if owner is None else _owner(owner, name, source),
        source.read(captures["keyword"][0]) if "keyword" in captures else "",
    )


def _owner(owner: tree_sitter.Node, name: tree_sitter.Node, source: Source) -> str:
    """The words of `owner`, joined by dots; where it holds the name as its last part, those before it."""
    end = min(owner.end_byte, name.start_byte) if owner.start_byte <= name.start_byte else owner.end_byte
    return ".".join(_WORD.findall(_TYPE_ARGUMENTS.sub("", source.between(owner.start_byte, end))))


def _symbols(
    found: Sequence[_Found], source: Source, heads: Heads, docs: Docs, bases: Mapping[int, Sequence[str]]
) -> Iterator[Symbol]:
    """Turn definitions, outer before inner, into symbols that know what they stand in."""
    frames, starts = [_FILE], source.starts
    for item in found:
        start, end = item.start, item.end
        outer = frames[-1]
        while outer is not _FILE and (outer.end < end or (outer.start == start and outer.end == end)):
            frames.pop()
            outer = frames[-1]
        settings = item.pattern.settings
        if (outer.is_inner and "outer-only" in settings) or len(frames) > _MAX_DEPTH:
            continue
        parent = _joined(outer.qualified_name, item.owner)
        kind = item.kind
        if item.owner or outer.kind in _CONTAINERS:
            kind = _IN_CONTAINER.get(kind, kind)
        qualified_name = _joined(parent, item.name)
        if "no-owner" not in settings:
            inside = outer.is_inner or kind in FUNCTION_KINDS
            frames.append(_Frame(start, end, item.name_start, qualified_name.replace("::", "."), kind, inside))
        if kind == "scope":
            continue
        known, line = item.symbol, bisect_right(starts, item.name_start) - 1
        if known is None or known.parent != parent or known.kind != kind:
            known = Symbol(
                item.name,
                kind,
                qualified_name,
                _signature(item, heads),
                "" if _shares_line(source, outer, start) else docs.of(start, item.body),
                start,
                end,
                item.name_start,
                item.name_end,
                line,
                parent,
                tuple(dict.fromkeys(bases[item.name_start])) if item.name_start in bases else (),
            )
        elif known.start != start or known.line != line:
            known = _moved(known, item, line)
        item.symbol = known
        yield known


def _joined(outer: str, inner: str) -> str:
    """Two names with a dot between them, if there are two."""
    return f"{outer}.{inner}" if outer and inner else outer or inner


def _moved(symbol: Symbol, item: _Found, line: int) -> Symbol:
    """The symbol where it stands now: written out, as `_replace` takes four times as long and a key moves hundreds."""
    return Symbol(
        symbol.name,
        symbol.kind,
        symbol.qualified_name,
        symbol.signature,
        symbol.doc,
        item.start,
        item.end,
        item.name_start,
        item.name_end,
        line,
        symbol.parent,
        symbol.bases,
    )


def _shares_line(source: Source, outer: _Frame, start: int) -> bool:
    """Whether `start` is on the line that names what it stands in: a comment above belongs to that."""
    return outer.name < start and outer is not _FILE and source.text.content.find(b"\n", outer.name, start) < 0


def _by_class(found: Sequence[_Found], bases: Mapping[int, str]) -> dict[int, list[str]]:
    """The base classes, each by the place of the name of the innermost class that holds it."""
    owned: dict[int, list[str]] = {}
    classes = [item for item in found if item.kind in _DERIVED] if bases else []
    starts = [item.start for item in classes]
    for place in sorted(bases):
        index = bisect_right(starts, place) - 1
        while index >= 0 and classes[index].end <= place:
            index -= 1
        if index >= 0:
            owned.setdefault(classes[index].name_start, []).append(bases[place])
    return owned


def _signature(item: _Found, heads: Heads) -> str:
    """The head of a definition; where its name stands behind its body (a C typedef), what is behind it too."""
    head = heads.read(item.start, item.end if item.body is None else item.body)
    if item.keyword:
        head = f"{item.keyword} {head}"
    if item.body is None or item.name_start < item.body_end:
        return head
    return f"{head} {{ ... }} {heads.read(item.body_end, item.end)}"
