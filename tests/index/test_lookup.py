"""Definitions of names, the likeliest meant first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from codeassistd.errors import StoreError
from codeassistd.index.lookup import StoreLookup
from codeassistd.index.open_store import DamagedStoreError
from codeassistd.index.parsed import Parsed
from codeassistd.index.read_store import DefinitionRow, ReadStore
from codeassistd.index.store import Store
from codeassistd.syntax.facts import Import
from tests.support.indexed import indexed
from tests.support.indexing import write

LANGUAGES = {".py": "python", ".ts": "typescript", ".js": "javascript", ".c": "c"}


def language_of(path: str) -> str | None:
    """By suffix."""
    return LANGUAGES.get(Path(path).suffix)


class Shelf:
    """A workspace whose files all define the name `it`, and what the lookup reports about it."""

    def __init__(self, root: Path, path: Path) -> None:
        self.root = root
        self.path = path
        self.readers = ReadStore(path)
        self.stale: list[Path] = []
        self.failures: list[StoreError] = []
        self.open_roots = {root}
        self.lookup = StoreLookup(
            self.readers, language_of, self.open_roots.__contains__, self.stale.append, self.failures.append
        )

    def put(self, *files: str, kind: str = "function") -> None:
        """Index files that define `it`."""
        with closing(Store.open(self.path)) as store:
            for name in files:
                write(self.root, {name: "it\n"})
                info = (self.root / name).stat()
                symbol = ("it", kind, "it", f"def it() of {name}", "Doc.", 0, 2, 0, 2, 0, "", "", "")
                row = Parsed(info.st_size, info.st_mtime_ns, b"", "indexed", (symbol,))
                store.put(store.workspace(self.root), name, language_of(name) or "", row)

    def find(self, asking: str, *imports: Import) -> list[str]:
        """Paths of the definitions of `it` for the file `asking`."""
        found = self.lookup.definitions(self.root, ["it"], self.root / asking, imports)
        return [definition.relative for definition in found]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    """An empty workspace."""
    root = tmp_path / "w"
    root.mkdir()
    made = Shelf(root, tmp_path / "state" / "index.db")
    yield made
    made.readers.reset()


def test_a_definition_is_given_whole(shelf: Shelf) -> None:
    """Everything that a prompt may show of it."""
    shelf.put("pkg/a.py")
    (found,) = shelf.lookup.definitions(shelf.root, ["it", "nothing", "it"], shelf.root / "b.py")
    assert ("it", "function", "def it() of pkg/a.py", "Doc.", "pkg/a.py", 0) == (
        found.name,
        found.kind,
        found.signature,
        found.doc,
        found.relative,
        found.line,
    )
    assert shelf.root / "pkg" / "a.py" == found.path


def test_what_is_imported_comes_first(shelf: Shelf) -> None:
    """An import that names it, then one that reaches its file, then the closest; two per name."""
    shelf.put("app/near.py", "lib/named.py", "other/reached.py")
    assert ["lib/named.py", "other/reached.py"] == shelf.find(
        "app/main.py", Import("other.reached", "", "", 0), Import("lib.named", "it", "", 1)
    )
    assert ["app/near.py", "lib/named.py"] == shelf.find("app/main.py")
    assert ["other/reached.py", "app/near.py"] == shelf.find("app/main.py", Import("other.reached", "else", "", 0))


def test_the_closest_path_beats_the_better_kind(shelf: Shelf) -> None:
    """Distance is counted in folders up and down; the kind decides between equals."""
    shelf.put("a/b/c.py", "a/x/c.py", kind="variable")
    shelf.put("d/e.py", kind="class")
    shelf.put("a/b/other.py", kind="class")
    assert ["a/b/other.py", "a/b/c.py"] == shelf.find("a/b/main.py")


def test_the_asking_file_and_foreign_languages_are_left_out(shelf: Shelf) -> None:
    """A name means nothing across languages, but TypeScript and JavaScript are one family."""
    shelf.put("main.ts", "a.js", "a.py", "a.c")
    assert ["a.js"] == shelf.find("main.ts")
    assert ["a.py"] == shelf.find("b.py")
    assert 2 == len(shelf.lookup.definitions(shelf.root, ["it"], None))


def test_a_row_counts_only_while_its_file_is_the_same(shelf: Shelf) -> None:
    """A changed or vanished file is passed over and reported; the next best takes its place."""
    shelf.put("a.py", "b.py", "c.py")
    (shelf.root / "a.py").write_text("changed\n")
    (shelf.root / "b.py").unlink()
    assert ["c.py"] == shelf.find("main.py")
    assert [shelf.root / "a.py", shelf.root / "b.py"] == shelf.stale


def test_a_closed_workspace_gives_nothing(shelf: Shelf) -> None:
    """Its rows are still on disk, out of reach."""
    shelf.put("a.py")
    shelf.open_roots.clear()
    assert [] == shelf.find("main.py")


def test_trouble_with_the_store_is_an_empty_answer(shelf: Shelf) -> None:
    """No store, or a broken one, is reported and never raised."""
    assert [] == shelf.find("main.py")
    shelf.put("a.py")
    shelf.readers.reset()
    shelf.path.write_bytes(b"garbage, long enough to be read as a header" * 100)
    assert [] == shelf.find("main.py")
    assert [StoreError, DamagedStoreError] == [type(failure) for failure in shelf.failures]


@contextmanager
def _counted_stats(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    calls: list[str] = []
    real = os.lstat

    def counting(path: Path) -> os.stat_result:
        calls.append(str(path))
        return real(path)

    with monkeypatch.context() as patch:
        patch.setattr("codeassistd.index.view.os.lstat", counting)
        yield calls


def test_the_disk_is_asked_once_per_file_and_call(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only files that could be in the answer are looked at, each once."""
    shelf.put("a.py", "b.py", "c.py", "d.py")
    with _counted_stats(monkeypatch) as calls:
        shelf.find("main.py")
    assert 2 == len(calls)


def test_many_names_are_one_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is asked once about all names; the answer keeps their order, and a name twice is one."""
    asked: list[list[str]] = []
    with indexed(tmp_path) as made:
        made.put({f"m{n}.py": f"def f{n}(): pass\nclass C{n}:\n    x = 1\n" for n in range(3)})
        whole = made.readers.definitions

        def counting(root: Path, names: list[str]) -> dict[str, list[DefinitionRow]]:
            asked.append(list(names))
            return whole(root, names)

        monkeypatch.setattr(made.readers, "definitions", counting)
        found = made.lookup.definitions(made.root, ["f2", "nowhere", "f0", "f2", "'\ud800"], None)
        assert ["f2", "f0"] == [definition.name for definition in found]
        held = made.lookup.members(made.root, ["C2", "C0"], None)
        assert ["C2.x", "C0.x"] == [definition.qualified_name for definition in held]
    assert [["f2", "nowhere", "f0", "'\ud800"], ["C2", "C0"]] == asked


def test_what_whole_files_offer_that_are_imported(tmp_path: Path) -> None:
    """In order of the imports and of the texts; nothing from inside classes, nothing from other files."""
    files = {
        "app/tools.py": "LIMIT = 3\n\nclass Tool:\n    def inside(self): ...\n",
        "app/sessions.py": "def begin(): ...\n",
        "app/other.py": "def other(): ...\n",
    }
    with indexed(tmp_path, files) as made:
        imports = [Import(".", "sessions", "", 0), Import("app.tools", "", "", 1)]
        asking = made.root / "app" / "main.py"
        names = [found.name for found in made.lookup.exports(made.root, imports, asking, 9)]
        assert ["begin", "LIMIT", "Tool"] == names
        assert ["begin"] == [found.name for found in made.lookup.exports(made.root, imports, asking, 1)]
        made.show("s1", "app/sessions.py", "def fresh(): ...\n")
        assert "fresh" == made.lookup.seen_by("s1").exports(made.root, imports, asking, 1)[0].name


def test_what_a_package_hands_on(tmp_path: Path) -> None:
    """A package's front offers what it imports by name or as a whole, over two files; no other file does by chance."""
    files = {
        "shop/__init__.py": "from .cart import Cart\nfrom .prices import *\n\nVERSION = 1\n",
        "shop/cart.py": (
            "from .deep import Line as Line\nfrom .deep import Hidden\n\nclass Cart: ...\nclass Other: ...\n"
        ),
        "shop/prices.py": "from .deep import Hidden as Hidden\n\ndef price(): ...\n",
        "shop/deep.py": "class Line: ...\nclass Hidden: ...\n",
    }
    with indexed(tmp_path, files) as made:
        asking = made.root / "main.py"
        names = [found.name for found in made.lookup.exports(made.root, [Import("shop", "", "", 0)], asking, 9)]
        assert ["VERSION", "Cart", "price", "Hidden"] == names
        inside = [found.name for found in made.lookup.exports(made.root, [Import("shop.cart", "", "", 0)], asking, 9)]
        assert ["Cart", "Other", "Line"] == inside


def test_in_how_many_files_a_name_stands(tmp_path: Path) -> None:
    """Defined or used, each file once; open documents as they are shown."""
    files = {"a.py": "def it(): ...\nit()\n", "b.py": "it()\n", "c.py": "other()\n"}
    with indexed(tmp_path, files) as made:
        assert {"it": 2, "other": 1, "none": 0} == made.lookup.frequencies(made.root, ["it", "other", "none"])
        made.show("s1", "b.py", "other()\n")
        assert {"it": 1, "other": 2} == made.lookup.seen_by("s1").frequencies(made.root, ["it", "other"])


def test_tests_and_what_they_test(tmp_path: Path) -> None:
    """By their names, the closest first, in languages that belong together."""
    files = dict.fromkeys(
        ("src/cart.ts", "src/cart.js", "test/src/cart.test.ts", "cart.spec.js", "cart_test.py"), "x\n"
    )
    with indexed(tmp_path, files) as made:
        found = made.lookup.counterparts(made.root, made.root / "src" / "cart.ts")
        assert ["test/src/cart.test.ts", "cart.spec.js"] == [path.relative_to(made.root).as_posix() for path in found]
        assert [made.root / "src/cart.js", made.root / "src/cart.ts"] == made.lookup.counterparts(
            made.root, made.root / "cart.spec.js"
        )
        assert [] == made.lookup.counterparts(made.root, Path("/elsewhere/cart.ts"))


def test_the_text_of_a_definition(tmp_path: Path) -> None:
    """All of a definition is read as it stands; nothing once its file has changed."""
    files = {"shop.py": "x = 1\n\n\ndef cart(n):\n    return Cart(n)\n\n\ny = 2\n", "app.py": ""}
    with indexed(tmp_path, files) as made:
        (cart,) = made.lookup.definitions(made.root, ["cart"], made.root / "app.py")
        assert made.lookup.source(made.root, cart) == "def cart(n):\n    return Cart(n)"
        (made.root / "shop.py").write_text("def cart(n):\n    return 1\n")
        assert not made.lookup.source(made.root, cart)


def test_a_package_hands_on_what_stands_in_its_folder(shelf: Shelf) -> None:
    """A name imported from a package means a definition inside its folder before a closer one elsewhere."""
    shelf.put("tests/near.py", "src/shop/models/it.py")
    assert ["src/shop/models/it.py", "tests/near.py"] == shelf.find("tests/test_it.py", Import("shop", "it", "", 0))
    assert ["tests/near.py", "src/shop/models/it.py"] == shelf.find("tests/test_it.py", Import("shop", "other", "", 0))
