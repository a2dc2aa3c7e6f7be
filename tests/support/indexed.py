"""A workspace in a store, read by the same code as in the parsing workers, without processes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from codeassistd.errors import StoreError
from codeassistd.index.ignored import will_be_indexed
from codeassistd.index.lookup import StoreLookup
from codeassistd.index.overlay import Overlay
from codeassistd.index.parsed import Limits, Parsed
from codeassistd.index.read_store import ReadStore
from codeassistd.index.store import Store
from codeassistd.index.worker import Reader
from codeassistd.syntax.extract import extract
from codeassistd.syntax.languages import Languages
from tests.support.indexing import write

__all__ = ["Indexed", "indexed", "language_of"]

_LIMITS = Limits(1_000_000, 10_000, 60.0)


def language_of(path: str) -> str | None:
    """By the name of the file."""
    language = Languages.default().by_path(path)
    return language.name if language else None


class Indexed:
    """A workspace, its store, and its lookup; `stale` and `failures` are what the lookup reported."""

    def __init__(self, root: Path, store: Path) -> None:
        self.root = root
        self.store = store
        self.readers = ReadStore(store)
        self.overlay = Overlay()
        self.stale: list[Path] = []
        self.failures: list[StoreError] = []
        self.open_roots = {root}
        self.lookup = StoreLookup(
            self.readers,
            language_of,
            self.open_roots.__contains__,
            self.stale.append,
            self.failures.append,
            self.overlay,
        )

    def put(self, files: dict[str, str]) -> None:
        """Write files and index them."""
        write(self.root, dict(files))
        self.put_as_is(*files)

    def put_as_is(self, *names: str) -> None:
        """Index files as they are on disk."""
        reader = Reader(extract, _LIMITS)
        with closing(Store.open(self.store)) as store:
            for name in names:
                language = language_of(name) or ""
                outcome = reader.read(self.root / name, language, b"")
                assert isinstance(outcome, Parsed)
                store.put(store.workspace(self.root), name, language, outcome)

    def show(self, client: str, name: str, text: str) -> None:
        """Open a document in an editor, or type in it."""
        content, path = text.encode(), self.root / name
        facts = extract(language_of(name) or "", content)
        self.overlay.put(client, path, content, facts, is_new=will_be_indexed(path, self.root))

    def definitions(self, name: str, asking: str = "asking.py", client: str = "") -> list[str]:
        """Paths and lines of what `name` means."""
        found = self.lookup.seen_by(client).definitions(self.root, [name], self.root / asking)
        return [f"{definition.relative}:{definition.line}" for definition in found]

    def members(self, name: str, asking: str = "asking.py", client: str = "") -> list[str]:
        """Qualified names of the members of a class."""
        found = self.lookup.seen_by(client).members(self.root, [name], self.root / asking)
        return [definition.qualified_name for definition in found]

    def search(self, *words: str, asking: str = "", client: str = "", limit: int = 8) -> list[str]:
        """Paths and first lines of pieces that hold the words."""
        path = self.root / asking if asking else None
        found = self.lookup.seen_by(client).search(self.root, words, path, limit)
        return [f"{chunk.relative}: {chunk.text.splitlines()[0]}" for chunk in found]


@contextmanager
def indexed(folder: Path, files: dict[str, str] | None = None) -> Iterator[Indexed]:
    """A workspace below `folder` with `files` in it."""
    root = folder / "w"
    root.mkdir()
    made = Indexed(root, folder / "state" / "index.db")
    if files:
        made.put(files)
    try:
        yield made
    finally:
        made.readers.reset()
