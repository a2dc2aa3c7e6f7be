"""What the index answers and how it stands: plain frozen values for the floors above."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from codeassistd.syntax.facts import Import

__all__ = ["Definition", "FoundChunk", "IndexLookup", "IndexPhase", "IndexStatus", "NoIndex", "WorkspaceStatus"]


@dataclass(frozen=True, slots=True)
class Definition:
    """A definition in another file, as its file was when it was last read and still is on disk.

    Attributes:
        path: absolute.
        relative: path from the workspace's root, with `/`.
        line: from zero.
    """

    name: str
    qualified_name: str
    kind: str
    signature: str
    doc: str
    path: Path
    relative: str
    line: int


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A piece of another file about the size of a function, with its text as it is on disk or in an open document.

    Attributes:
        path: absolute.
        relative: path from the workspace's root, with `/`.
        name: qualified name of what it defines, or empty.
        line: first line, from zero.
        end_line: the line behind the last one.
        score: how well it answers the search, by bm25; two finds of one piece are the same piece whatever it is.
    """

    path: Path
    relative: str
    language: str
    name: str
    line: int
    end_line: int
    text: str
    score: float = field(default=0.0, compare=False)


class IndexPhase(StrEnum):
    """What the indexer does for a workspace."""

    WAITING = "waiting"
    CRAWLING = "crawling"
    READY = "ready"
    DEGRADED = "degraded"
    """Ready, but changes on disk are seen late: `watching` says why."""


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """One workspace's numbers.

    Attributes:
        n_done: files whose rows are as the disk is; the rest up to `n_total` is still to be read.
        n_parsed: files read since the workspace was opened; 0 where nothing had changed since the last time.
        verdicts: number of files by what became of them: `indexed` (`indexed: as ENCODING` where that is not UTF-8),
            or `skipped: why`, or `failed: why`.
        watching: `events`, or `polling: why`, or `off`.
    """

    root: Path
    phase: IndexPhase
    n_done: int
    n_total: int
    n_symbols: int
    n_parsed: int
    watching: str
    verdicts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The whole index.

    Attributes:
        schema_version: of the store on disk; 0 where there is none.
        grammars_off: grammars that do not load, one line each.
        problem: what is wrong and what to do, or nothing.
    """

    schema_version: int
    known_schema_version: int
    workspaces: tuple[WorkspaceStatus, ...] = ()
    grammars_off: tuple[str, ...] = ()
    problem: str = ""


class IndexLookup(Protocol):
    """What the context builder may ask; every method may be called from any thread and never waits for the indexer.

    Only rows of files that still have the size and time they were read at are used, and an open document's own text
    stands in place of its file.
    """

    def seen_by(self, client: str) -> IndexLookup:
        """The same index as one editor sees it: where several have a file open, its own unsaved text counts."""

    def definitions(
        self, root: Path, names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """Definitions of `names` inside `root`, outside the file `asking`.

        At most a few per name, best first: from a file that `asking` imports, then by closeness of the paths.
        """

    def members(
        self, root: Path, type_names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """What the likeliest class of each name defines inside itself, then what its bases do, outside `asking`.

        In order of `type_names`, each class in the order of its text; a name that a class overrides comes once.
        """

    def exports(self, root: Path, imports: Sequence[Import], asking: Path | None, limit: int) -> list[Definition]:
        """At most `limit` definitions that stand outside of everything in the files that `imports` reach.

        What a name that stands for a whole file (a module, a package) can be followed by.
        """

    def search(self, root: Path, words: Sequence[str], asking: Path | None, limit: int) -> list[FoundChunk]:
        """Pieces of the files inside `root`, outside `asking`, that hold some of `words`, the best first.

        Words are identifiers or plain text; parts of identifiers are found, too. The rarer a word, the more it counts.
        """

    def frequencies(self, root: Path, names: Sequence[str]) -> dict[str, int]:
        """In how many files inside `root` each name is defined or used; 0 where it is unknown."""

    def source(self, root: Path, definition: Definition) -> str:
        """The text of all of a definition as it is now; empty where it is no longer what it was."""

    def counterparts(self, root: Path, asking: Path) -> list[Path]:
        """The tests of a file, or the files that a test is about, judged by their names; the closest first."""


class NoIndex:
    """The lookup where there is no index."""

    def seen_by(self, client: str) -> IndexLookup:
        """Itself."""
        del client
        return self

    def definitions(
        self, root: Path, names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """Nothing."""
        del root, names, asking, imports
        return []

    def members(
        self, root: Path, type_names: Sequence[str], asking: Path | None, imports: Sequence[Import] = ()
    ) -> list[Definition]:
        """Nothing."""
        del root, type_names, asking, imports
        return []

    def exports(self, root: Path, imports: Sequence[Import], asking: Path | None, limit: int) -> list[Definition]:
        """Nothing."""
        del root, imports, asking, limit
        return []

    def search(self, root: Path, words: Sequence[str], asking: Path | None, limit: int) -> list[FoundChunk]:
        """Nothing."""
        del root, words, asking, limit
        return []

    def frequencies(self, root: Path, names: Sequence[str]) -> dict[str, int]:
        """Every name is unknown."""
        del root
        return dict.fromkeys(names, 0)

    def source(self, root: Path, definition: Definition) -> str:
        """Nothing."""
        del root, definition
        return ""

    def counterparts(self, root: Path, asking: Path) -> list[Path]:
        """Nothing."""
        del root, asking
        return []
