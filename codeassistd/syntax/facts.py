"""What the parser says about one file, as plain rows that can cross process borders."""

from __future__ import annotations

from dataclasses import dataclass

from codeassistd.text import Span

__all__ = ["Chunk", "FileFacts", "Import", "OutlineEntry", "Reference", "Symbol"]


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition.

    Attributes:
        kind: function, method, class, interface, type, enum, constant, variable, field, module or macro.
        qualified_name: names of the enclosing definitions and its own, joined by dots.
        signature: the head of the definition as written, on one line without its body.
        doc: first line of its documentation, or empty.
        span: bytes of the whole definition.
        name_span: bytes of the name alone.
        line: line of the name, from zero.
        parent: qualified name of the enclosing definition, or empty.
        bases: names of the classes and interfaces that a class is derived from, last word only, as written.
    """

    name: str
    kind: str
    qualified_name: str
    signature: str
    doc: str
    span: Span
    name_span: Span
    line: int
    parent: str
    bases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
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


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a file at the size of a function: whole lines, in order, none twice.

    Attributes:
        name: qualified name of the definition that it is (the first part of), or empty.
        kind: kind of that definition; `part` behind the first part of a long one, `code` for statements outside any.
        span: its bytes, from the start of its first line to the end of its last.
        line: first line, from zero.
        end_line: line behind its last.
    """

    name: str
    kind: str
    span: Span
    line: int
    end_line: int


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
