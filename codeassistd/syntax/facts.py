"""What the parser says about one file, as plain rows that can cross process borders."""

from __future__ import annotations

from dataclasses import dataclass

from codeassistd.text import Span

__all__ = ["FileFacts", "Import", "OutlineEntry", "Reference", "Symbol"]


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
class FileFacts:
    """Everything read from one file; broken code gives what could be read, and the problems."""

    language: str
    symbols: tuple[Symbol, ...] = ()
    references: tuple[Reference, ...] = ()
    imports: tuple[Import, ...] = ()
    outline: tuple[OutlineEntry, ...] = ()
    problems: tuple[str, ...] = ()
