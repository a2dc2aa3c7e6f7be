"""One workspace as one question sees it: open documents in place of their files' rows, and rows only while they hold.

Made for one question and dropped with it, so that the disk is asked once per file.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.index.decode import decode
from codeassistd.index.overlay import OpenFile
from codeassistd.index.read_store import DefinitionRow, MatchRow, ReadStore
from codeassistd.syntax.facts import Import, Symbol

__all__ = ["View"]

Stamp = tuple[int, int]


@dataclass(slots=True)
class View:
    """See the module.

    Attributes:
        open_files: by relative path; only files that a survey has found or would find once they are saved, so no
            ignored one.
        on_stale: told each file whose rows are older than the file.
    """

    store: ReadStore
    root: Path
    open_files: Mapping[str, OpenFile]
    on_stale: Callable[[Path], None]
    _stamps: dict[str, Stamp] = field(default_factory=dict)
    _contents: dict[str, bytes] = field(default_factory=dict)
    _defined: dict[str, list[DefinitionRow]] = field(default_factory=dict)
    _owned: dict[str, list[DefinitionRow]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, store: ReadStore, root: Path, open_files: Mapping[str, OpenFile], on_stale: Callable[[Path], None]
    ) -> View:
        """A view with those of `open_files` that the workspace's survey has found, and the new ones."""
        known = store.known(root, open_files) if open_files else frozenset()
        shown = {path: file for path, file in open_files.items() if file.is_new or path in known}
        return cls(store, root, shown, on_stale)

    def expect(self, names: Iterable[str] = (), owners: Iterable[str] = ()) -> None:
        """Read at once what will be asked about `names` by `definitions`, and about `owners` by `members`."""
        if names:
            self._defined |= self.store.definitions(self.root, names)
        if owners:
            self._owned |= self.store.members(self.root, owners)

    def definitions(self, name: str) -> list[DefinitionRow]:
        """Definitions of `name`, in no order; rows may be out of date."""
        if name not in self._defined:
            self.expect(names=[name])
        shown = ((path, file, file.named(name)) for path, file in self.open_files.items())
        return self._merged(self._defined[name], shown)

    def members(self, owner: str) -> list[DefinitionRow]:
        """What is defined directly in anything called `owner`, file by file in order of the text."""
        if owner not in self._owned:
            self.expect(owners=[owner])
        shown = ((path, file, file.owned(owner)) for path, file in self.open_files.items())
        return self._merged(self._owned[owner], shown)

    def top_level(self, path: str) -> list[DefinitionRow]:
        """What a file defines outside of everything, in order of its text."""
        file = self.open_files.get(path)
        if file is None:
            return self.store.top_level(self.root, path)
        return [_row(path, file, symbol) for symbol in file.facts.symbols if not symbol.parent]

    def imports(self, path: str) -> Sequence[Import]:
        """What a file imports."""
        file = self.open_files.get(path)
        return self.store.imports(self.root, path) if file is None else file.facts.imports

    def n_files_with(self, names: Sequence[str]) -> dict[str, int]:
        """How many files define or use each of `names`."""
        stored = self.store.n_files_with(self.root, names, self.open_files)
        shown = {name: sum(name in file.names for file in self.open_files.values()) for name in names}
        return {name: n + stored.get(name, 0) for name, n in shown.items()}

    def is_current(self, row: DefinitionRow | MatchRow) -> bool:
        """Whether what the row says still holds; if not, the indexer is told."""
        path = row.path
        if path in self.open_files:
            return True
        stamp = self._stamps.get(path)
        if stamp is None:
            stamp = self._stamps[path] = _stamp(self.root / path)
        if stamp == (row.size, row.mtime_ns):
            return True
        self.on_stale(self.root / path)
        return False

    def text(self, row: MatchRow | DefinitionRow) -> str:
        """The text of a piece or definition; empty where its file cannot be read, or is not as it was."""
        content = self._contents.get(row.path)
        if content is None:
            content = self._contents[row.path] = self._content(row)
        return content[row.start : row.end].decode("utf-8", "replace")

    def _content(self, row: MatchRow | DefinitionRow) -> bytes:
        if row.path in self.open_files:
            return self.open_files[row.path].content
        if not self.is_current(row):
            return b""
        path = self.root / row.path
        try:
            data = path.read_bytes()
        except OSError:
            return b""
        # Somebody may have written while it was read.
        if _stamp(path) != (row.size, row.mtime_ns):
            self.on_stale(path)
            return b""
        return decode(data).content or b""

    def _merged(
        self, stored: Iterable[DefinitionRow], shown: Iterable[tuple[str, OpenFile, Sequence[Symbol]]]
    ) -> list[DefinitionRow]:
        rows = [row for row in stored if row.path not in self.open_files]
        return rows + [_row(path, file, symbol) for path, file, symbols in shown for symbol in symbols]


def _row(path: str, file: OpenFile, symbol: Symbol) -> DefinitionRow:
    """A symbol of an open document as a row; size and time of the file are of no matter then."""
    return DefinitionRow(
        name=symbol.name,
        qualified_name=symbol.qualified_name,
        kind=symbol.kind,
        signature=symbol.signature,
        doc=symbol.doc,
        line=symbol.line,
        parent=symbol.parent,
        bases=symbol.bases,
        start=symbol.start,
        end=symbol.end,
        path=path,
        language=file.facts.language,
        size=-1,
        mtime_ns=-1,
    )


def _stamp(path: Path) -> Stamp:
    try:
        info = os.lstat(path)
    except OSError:
        return -1, -1
    return info.st_size, info.st_mtime_ns
