"""Answers from the index, the likeliest meant first.

Called for each completion from any thread, so nothing here waits for the indexer or fails: a store in trouble gives an
empty answer and is reported. What is true now is for `View` to say: open documents, and rows whose files are unchanged.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from codeassistd.errors import StoreError
from codeassistd.index.counterparts import counterparts, stem_of
from codeassistd.index.exports import exports
from codeassistd.index.ignore import LanguageOf
from codeassistd.index.members import members
from codeassistd.index.overlay import Overlay
from codeassistd.index.ranking import Asking
from codeassistd.index.read_store import DefinitionRow, ReadStore
from codeassistd.index.search import search
from codeassistd.index.types import Definition, FoundChunk, IndexLookup
from codeassistd.index.view import View
from codeassistd.syntax.facts import Import

__all__ = ["StoreLookup"]

_Answer = TypeVar("_Answer")

_MAX_PER_NAME = 2
_MAX_PATHS = 4096


@dataclass(frozen=True, slots=True)
class StoreLookup:
    """The index as the context builder sees it.

    Attributes:
        store: may be damaged, or not there yet.
        language_of: the language of a file by its name.
        is_open: whether a workspace is open now; rows of others stay on disk, out of reach.
        on_stale: told each file whose rows are older than the file.
        on_failure: told why the store cannot be read.
        overlay: the open documents.
        client: the editor that asks; nobody where it is empty.
    """

    store: ReadStore
    language_of: LanguageOf
    is_open: Callable[[Path], bool]
    on_stale: Callable[[Path], None]
    on_failure: Callable[[StoreError], None]
    overlay: Overlay = field(default_factory=Overlay)
    client: str = ""

    def seen_by(self, client: str) -> IndexLookup:
        """See `IndexLookup.seen_by`."""
        return dataclasses.replace(self, client=client)

    def definitions(
        self, root: Path, names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """See `IndexLookup.definitions`; the answer keeps the order of `names`."""
        by, asked = self._asking(root, asking, imports), list(dict.fromkeys(names))

        def found(view: View) -> list[Definition]:
            view.expect(names=asked)
            return [_definition(root, row) for name in asked for row in _best(view, name, by)]

        return self._ask(root, found, [])

    def members(
        self, root: Path, type_names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """See `IndexLookup.members`."""
        by, asked = self._asking(root, asking, imports), list(dict.fromkeys(type_names))

        def found(view: View) -> list[Definition]:
            view.expect(names=asked, owners=asked)
            return [_definition(root, row) for name in asked for row in members(view, name, by)]

        return self._ask(root, found, [])

    def exports(self, root: Path, imports: Sequence[Import], asking: Path | None, limit: int) -> list[Definition]:
        """See `IndexLookup.exports`."""
        by = self._asking(root, asking, imports)
        return self._ask(root, lambda view: [_definition(root, row) for row in exports(view, by, limit)], [])

    def search(self, root: Path, words: Sequence[str], asking: Path | None, limit: int) -> list[FoundChunk]:
        """See `IndexLookup.search`."""
        by = self._asking(root, asking, ())
        return self._ask(root, lambda view: search(view, words, by, limit), [])

    def frequencies(self, root: Path, names: Sequence[str]) -> dict[str, int]:
        """See `IndexLookup.frequencies`."""
        return self._ask(root, lambda view: view.n_files_with(names), dict.fromkeys(names, 0))

    def source(self, root: Path, definition: Definition) -> str:
        """See `IndexLookup.source`."""

        def found(view: View) -> str:
            for row in view.definitions(definition.name):
                if _definition(root, row) == definition:
                    return view.text(row)
            return ""

        return self._ask(root, found, "")

    def counterparts(self, root: Path, asking: Path) -> list[Path]:
        """See `IndexLookup.counterparts`."""
        by = self._asking(root, asking, ())

        def found(view: View) -> list[Path]:
            named_alike = view.store.with_stem(root, stem_of(by.path))
            candidates = [path for path, language in named_alike if by.understands(language)]
            return [root / path for path in counterparts(by.path, candidates)]

        return self._ask(root, found, []) if by.path else []

    def _asking(self, root: Path, asking: Path | None, imports: Sequence[Import]) -> Asking:
        path = asking.relative_to(root).as_posix() if asking and asking.is_relative_to(root) else ""
        return Asking(path, (self.language_of(path) if path else None) or "", imports)

    def _ask(self, root: Path, answer: Callable[[View], _Answer], nothing: _Answer) -> _Answer:
        """The answer about a workspace that is open, or nothing where there is trouble with the store."""
        if not self.is_open(root):
            return nothing
        try:
            return answer(View.of(self.store, root, self.overlay.seen_by(self.client, root), self.on_stale))
        except StoreError as error:
            self.on_failure(error)
            return nothing


def _best(view: View, name: str, asking: Asking) -> list[DefinitionRow]:
    rows = [row for row in view.definitions(name) if row.path != asking.path and asking.understands(row.language)]
    rows.sort(key=lambda row: asking.rank(row.name, row.kind, row.path, row.line))
    best: list[DefinitionRow] = []
    for row in rows:
        if len(best) == _MAX_PER_NAME:
            break
        if view.is_current(row):
            best.append(row)
    return best


@lru_cache(maxsize=_MAX_PATHS)
def _absolute(root: Path, relative: str) -> Path:
    """Kept: one question gives hundreds of definitions of a few files, and paths are slow to make."""
    return root / relative


def _definition(root: Path, row: DefinitionRow) -> Definition:
    return Definition(
        name=row.name,
        qualified_name=row.qualified_name,
        kind=row.kind,
        signature=row.signature,
        doc=row.doc,
        path=_absolute(root, row.path),
        relative=row.path,
        line=row.line,
    )
