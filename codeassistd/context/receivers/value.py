"""What an expression stands for, and the piece of source that its names are looked up in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.context.receivers.tells import Tell
from codeassistd.index.types import Definition

__all__ = ["NOBODY", "Scope", "Value"]


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression stands for.

    Attributes:
        types: names of classes that it is an object of, or one of.
        items: classes of what it holds.
        functions: what it may be, where it can be called.
        owner: the class that a function was found in.
        is_class: it is the class itself.
    """

    types: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    functions: tuple[Definition, ...] = ()
    owner: str = ""
    is_class: bool = False


NOBODY = Value()


@dataclass(frozen=True, slots=True)
class Scope:
    """A piece of source in which names are looked up.

    Attributes:
        tells: in order of the text.
        owner: the class that the piece stands in; empty outside of any.
        origin: the file it is of; None for the open one, whose imports and definitions hold there.
        parameters: of the innermost function, those without a type.
    """

    tells: Sequence[Tell]
    owner: str = ""
    origin: Path | None = None
    parameters: frozenset[str] = frozenset()
