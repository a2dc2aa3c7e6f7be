"""What the parser says about one file, as plain rows that can cross process borders.

There are thousands of rows to a file, and all of them are made for each key that is typed in it. So they are named
tuples: frozen dataclasses take six times as long to make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from codeassistd.text import Span

__all__ = [
    "CLASS_KINDS",
    "FUNCTION_KINDS",
    "Chunk",
    "FileFacts",
    "Import",
    "OutlineEntry",
    "Reference",
    "Symbol",
]

FUNCTION_KINDS = frozenset({"function", "method"})
"""Kinds of symbols whose body is run."""
CLASS_KINDS = frozenset({"class", "interface", "type", "enum", "module"})
"""Kinds of symbols that have members."""


class Symbol(NamedTuple):
    """One definition.

    Attributes:
        kind: function, method, class, interface, type, enum, constant, variable, field, module or macro.
        qualified_name: names of the enclosing definitions and its own, joined by dots.
        signature: the head of the definition as written, on one line without its body.
        doc: first line of its documentation, or empty.
        start: first byte of the whole definition.
        end: the byte behind its last.
        name_start: first byte of the name alone.
        name_end: the byte behind its last.
        line: line of the name, from zero.
        parent: qualified name of the enclosing definition, or empty.
        bases: names of the classes and interfaces that a class is derived from, last word only, as written.
    """

    name: str
    kind: str
    qualified_name: str
    signature: str
    doc: str
    start: int
    end: int
    name_start: int
    name_end: int
    line: int
    parent: str
    bases: tuple[str, ...] = ()

    @property
    def span(self) -> Span:
        """The bytes of the whole definition."""
        return Span(self.start, self.end)

    @property
    def name_span(self) -> Span:
        """The bytes of the name alone."""
        return Span(self.name_start, self.name_end)


class Reference(NamedTuple):
    """One use of a name."""

    name: str
    line: int


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name: `from module import name as alias`; `name` is empty where the module itself is imported."""

    module: str
    name: str
    alias: str
    line: int


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One line of an outline: the text as it should be shown, with its own indentation."""

    text: str
    line: int
    span: Span


class Chunk(NamedTuple):
    """A piece of a file at the size of a function: whole lines, in order, none twice.

    Attributes:
        name: qualified name of the definition that it is (the first part of), or empty.
        kind: kind of that definition; `part` behind the first part of a long one, `code` for statements outside any.
        start: its first byte, the start of its first line.
        end: the byte behind its last, the end of its last line.
        line: first line, from zero.
        end_line: line behind its last.
    """

    name: str
    kind: str
    start: int
    end: int
    line: int
    end_line: int

    @property
    def span(self) -> Span:
        """Its bytes."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """Everything read from one file; broken code gives what could be read, and the problems."""

    language: str
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    outline: tuple[OutlineEntry, ...] = ()
    chunks: tuple[Chunk, ...] = ()
    problems: tuple[str, ...] = ()
