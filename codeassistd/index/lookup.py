"""Answers from the index: definitions of names, the likeliest meant first.

Called for each completion from any thread, so nothing here waits for the indexer or fails: a store in trouble gives an
empty answer and is reported. A row counts only while its file still has the size and time it was read at.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.errors import StoreError
from codeassistd.index.ignore import LanguageOf
from codeassistd.index.imports import reaches
from codeassistd.index.read_store import DefinitionRow, ReadStore
from codeassistd.index.types import Definition, FoundChunk, IndexLookup
from codeassistd.syntax.facts import Import

__all__ = ["StoreLookup", "rank"]

_MAX_PER_NAME = 2
#: Languages whose files use each other's names; a name means nothing across other borders.
_FAMILIES = (frozenset({"c", "cpp"}), frozenset({"javascript", "typescript", "tsx"}))
#: What a use of a name most often means, best first; kinds that are not named come last.
_KINDS = (
    "class",
    "interface",
    "type",
    "enum",
    "function",
    "method",
    "macro",
    "module",
    "constant",
    "field",
    "variable",
)


@dataclass(frozen=True, slots=True)
class _Asking:
    """Who asks: the file's path in the workspace, its language, and what it imports."""

    path: str
    language: str
    imports: Sequence[Import]


def rank(row: DefinitionRow, asking: str, language: str, imports: Sequence[Import]) -> tuple[int, int, int, str, int]:
    """The place of a definition among others of its name; smaller is better.

    An import that names it beats one that only reaches its file, which beats none. Then the closeness of the paths
    counts, then the kind. The path and line at the end make the order the same each time.
    """
    reaching = [found for found in imports if reaches(found, language, asking, row.path)]
    named = any(row.name in {found.name, found.alias} for found in reaching)
    import_rank = 0 if named else 1 if reaching else 2
    kind_rank = _KINDS.index(row.kind) if row.kind in _KINDS else len(_KINDS)
    return import_rank, _steps_between(asking, row.path), kind_rank, row.path, row.line


def _steps_between(left: str, right: str) -> int:
    """Folders to go up and down on the way from one file to the other."""
    one, other = left.split("/")[:-1], right.split("/")[:-1]
    n_common = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    if n_common is None:
        n_common = min(len(one), len(other))
    return len(one) + len(other) - 2 * n_common


@dataclass(slots=True)
class _DiskView:
    """Which rows are still true, asked of the disk once per file and call."""

    root: Path
    on_stale: Callable[[Path], None]
    _stamps: dict[str, tuple[int, int]] = field(default_factory=dict)

    def is_current(self, row: DefinitionRow) -> bool:
        """Whether the row's file is as it was when it was read; if not, the indexer is told."""
        stamp = self._stamps.get(row.path)
        if stamp is None:
            stamp = self._stamps[row.path] = _stamp(self.root / row.path)
        if stamp == (row.size, row.mtime_ns):
            return True
        self.on_stale(self.root / row.path)
        return False


class StoreLookup:
    """The index as the context builder sees it."""

    def __init__(
        self,
        store: ReadStore,
        language_of: LanguageOf,
        is_open: Callable[[Path], bool],
        on_stale: Callable[[Path], None],
        on_failure: Callable[[StoreError], None],
    ) -> None:
        """Answer from `store`.

        Args:
            store: may be damaged, or not there yet.
            language_of: the language of a file by its name.
            is_open: whether a workspace is open now; rows of others stay on disk, out of reach.
            on_stale: told each file whose rows are older than the file.
            on_failure: told why the store cannot be read.
        """
        self._store = store
        self._language_of = language_of
        self._is_open = is_open
        self._on_stale = on_stale
        self._on_failure = on_failure

    def seen_by(self, client: str) -> IndexLookup:
        """See `IndexLookup.seen_by`."""
        del client
        return self

    def members(
        self, root: Path, type_names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """See `IndexLookup.members`."""
        del root, type_names, asking, imports
        return []

    def search(self, root: Path, words: Sequence[str], asking: Path | None, limit: int) -> list[FoundChunk]:
        """See `IndexLookup.search`."""
        del root, words, asking, limit
        return []

    def frequencies(self, root: Path, names: Sequence[str]) -> dict[str, int]:
        """See `IndexLookup.frequencies`."""
        del root
        return dict.fromkeys(names, 0)

    def counterparts(self, root: Path, asking: Path) -> list[Path]:
        """See `IndexLookup.counterparts`."""
        del root, asking
        return []

    def definitions(
        self, root: Path, names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """See `IndexLookup.definitions`; the answer keeps the order of `names`."""
        if not self._is_open(root):
            return []
        path = asking.relative_to(root).as_posix() if asking and asking.is_relative_to(root) else ""
        by = _Asking(path, (self._language_of(path) if path else None) or "", imports)
        disk = _DiskView(root, self._on_stale)
        try:
            return [found for name in dict.fromkeys(names) for found in self._best(root, name, by, disk)]
        except StoreError as error:
            self._on_failure(error)
            return []

    def _best(self, root: Path, name: str, asking: _Asking, disk: _DiskView) -> list[Definition]:
        rows = [
            row
            for row in self._store.definitions(root, name)
            if row.path != asking.path and _is_kin(row.language, asking.language)
        ]
        rows.sort(key=lambda row: rank(row, asking.path, asking.language, asking.imports))
        best: list[Definition] = []
        for row in rows:
            if len(best) == _MAX_PER_NAME:
                break
            if disk.is_current(row):
                best.append(_definition(root, row))
        return best


def _is_kin(language: str, asking: str) -> bool:
    return not asking or language == asking or any({language, asking} <= family for family in _FAMILIES)


def _definition(root: Path, row: DefinitionRow) -> Definition:
    return Definition(
        name=row.name,
        qualified_name=row.qualified_name,
        kind=row.kind,
        signature=row.signature,
        doc=row.doc,
        path=root / row.path,
        relative=row.path,
        line=row.line,
    )


def _stamp(path: Path) -> tuple[int, int]:
    try:
        info = os.lstat(path)
    except OSError:
        return -1, -1
    return info.st_size, info.st_mtime_ns
