"""What is measured: the files of one workspace, and indexers in this process with homes of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.config import IndexSettings
from codeassistd.errors import StoreError, UsageError
from codeassistd.index.ignore import FoundFile, survey
from codeassistd.index.indexer import Indexer
from codeassistd.index.types import WorkspaceStatus
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import parse_whole

__all__ = ["Corpus", "Home", "fresh_home"]

#: The largest repositories take minutes.
_PATIENCE_S = 3600.0


@dataclass(frozen=True, slots=True)
class Corpus:
    """The files of a workspace as the index takes them."""

    root: Path
    files: Sequence[FoundFile]

    @classmethod
    def of(cls, root: Path) -> Corpus:
        """What may be indexed at `root`.

        Raises:
            UsageError: nothing.
        """
        languages = Languages.default()

        def language_of(path: str) -> str | None:
            language = languages.by_path(path)
            return language.name if language else None

        files = sorted(survey(root, language_of).files.values(), key=lambda file: file.path)
        if not files:
            raise UsageError(f"{root} has no files to index; give the root of a workspace")
        return cls(root, files)

    @property
    def n_bytes(self) -> int:
        """Of all files."""
        return sum(file.size for file in self.files)

    def count_lines(self) -> int:
        """Line ends in all files."""
        return sum(self.read(file).count(b"\n") for file in self.files)

    def parse(self) -> None:
        """Read and parse each file once in this process, the way that costs least, and keep nothing."""
        languages = Languages.default()
        for file in self.files:
            language = languages.by_id(file.language)
            grammar = None if language is None else languages.grammar(language)
            if grammar is not None:
                parse_whole(grammar, self.read(file))

    def read(self, file: FoundFile) -> bytes:
        """The bytes of a file, nothing where it has gone."""
        try:
            return (self.root / file.path).read_bytes()
        except OSError:
            return b""


@dataclass(frozen=True, slots=True)
class Home:
    """Where an indexer keeps its store, from one start to the next."""

    paths: Paths
    settings: IndexSettings
    clock: Clock
    root: Path

    @contextmanager
    def indexer(self) -> Iterator[Indexer]:
        """A started indexer that has not been told of the workspace yet; it hears of no changes on disk."""
        quiet = self.settings.model_copy(update={"watch": "off"})
        indexer = Indexer(self.paths, quiet, self.clock, lambda: None)
        indexer.start()
        try:
            yield indexer
        finally:
            indexer.stop()

    def read(self, indexer: Indexer) -> float:
        """Seconds from opening the workspace until nothing is left to do."""
        return self._seconds(indexer, indexer.add_workspace)

    def read_again(self, indexer: Indexer) -> float:
        """Seconds of reading it again with no row kept."""
        return self._seconds(indexer, indexer.rebuild)

    def status(self, indexer: Indexer) -> WorkspaceStatus:
        """How the workspace stands.

        Raises:
            StoreError: it could not be read.
        """
        status = indexer.status()
        if not status.workspaces or status.problem:
            raise StoreError(status.problem or f"{self.root} was not taken into the index")
        return status.workspaces[0]

    def _seconds(self, indexer: Indexer, ask: Callable[[Path], None]) -> float:
        begun_s = self.clock.monotonic_s()
        ask(self.root)
        if not indexer.wait_idle(_PATIENCE_S):
            raise StoreError(f"{self.root} was not read within {_PATIENCE_S:.0f} s; give a smaller folder")
        return self.clock.monotonic_s() - begun_s


@contextmanager
def fresh_home(settings: IndexSettings, clock: Clock, root: Path) -> Iterator[Home]:
    """An empty home that is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="codeassistd-") as folder:
        yield Home(Paths.resolve({"CODEASSISTD_HOME": folder}), settings, clock, root)
