"""What a class has: its own members, then those of its bases that it does not override."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from codeassistd.index.ranking import Asking
from codeassistd.index.read_store import DefinitionRow
from codeassistd.index.view import View
from codeassistd.syntax.facts import CLASS_KINDS

__all__ = ["members"]

#: Bases of bases are followed so far; what stands deeper is seldom what is typed.
_MAX_DEPTH = 4
#: In these languages the members of one type may stand in several files of its folder.
_FOLDER_WIDE = frozenset({"go", "rust", "c", "cpp", "csharp", "swift", "kotlin"})

_Home = tuple[str, str]
"""Where a class stands: its file or folder, and its qualified name."""


@dataclass(slots=True)
class _Class:
    """A class as far as it is known: where its name is defined, and what is defined inside it."""

    heads: list[DefinitionRow] = field(default_factory=list)
    members: list[DefinitionRow] = field(default_factory=list)

    @property
    def rows(self) -> list[DefinitionRow]:
        """All of it."""
        return [*self.heads, *self.members]


def members(view: View, type_name: str, asking: Asking) -> list[DefinitionRow]:
    """The members of the likeliest class of this name outside the asking file, each name once."""
    found: dict[str, DefinitionRow] = {}
    for row in _inherited(_Search(view, asking.path), type_name, asking, _MAX_DEPTH):
        found.setdefault(row.name, row)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Search:
    """What all steps of one question share: the file whose classes do not count, and the classes that were met."""

    view: View
    hidden: str
    seen: set[_Home] = field(default_factory=set)

    def allows(self, row: DefinitionRow, asking: Asking) -> bool:
        """Whether a row may be what is asked for."""
        return row.path != self.hidden and asking.understands(row.language)


def _inherited(search: _Search, type_name: str, asking: Asking, depth: int) -> Iterator[DefinitionRow]:
    """The members of a class, then those of its bases; broken code may have a class among its own bases."""
    home, found = _likeliest(search, type_name, asking)
    if home in search.seen:
        return
    search.seen.add(home)
    yield from sorted(found.members, key=lambda row: (row.path, row.line))
    if not depth:
        return
    for head in found.heads:
        # The names of bases mean what they mean in the file of the class.
        there = Asking(head.path, head.language, search.view.imports(head.path) if head.bases else ())
        for base in head.bases:
            yield from _inherited(search, base, there, depth - 1)


def _likeliest(search: _Search, type_name: str, asking: Asking) -> tuple[_Home, _Class]:
    """The class that is meant, of those that are still as they were read; an empty one where there is none."""
    view, classes = search.view, defaultdict[_Home, _Class](_Class)
    for head in view.definitions(type_name):
        if head.kind in CLASS_KINDS and search.allows(head, asking):
            classes[_home(head, head.qualified_name)].heads.append(head)
    for member in view.members(type_name):
        if search.allows(member, asking):
            classes[_home(member, member.parent)].members.append(member)
    by_rank = sorted(classes.items(), key=lambda item: min(_ranks(item[1], type_name, asking)))
    for home, found in by_rank:
        if all(map(view.is_current, found.rows)):
            return home, found
    return ("", ""), _Class()


def _ranks(found: _Class, type_name: str, asking: Asking) -> list[tuple[int, int, int, str, int]]:
    """The ranks of a class, one for each of its files: a class has many rows, and imports are slow to compare with."""
    firsts = {row.path: row for row in reversed(found.rows)}
    return [asking.rank(type_name, row.kind, row.path, row.line) for row in firsts.values()]


def _home(row: DefinitionRow, qualified_name: str) -> _Home:
    place = row.path.rpartition("/")[0] if row.language in _FOLDER_WIDE else row.path
    return place, qualified_name.replace("::", ".")
