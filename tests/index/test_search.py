"""Full-text search over pieces of files."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.index import schema
from codeassistd.index.store import Store
from tests.support.indexed import Indexed, indexed
from tests.support.indexing import running, write


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Indexed]:
    """A workspace with nothing in it."""
    with indexed(tmp_path) as made:
        yield made


def test_parts_of_identifiers_are_found(shelf: Indexed) -> None:
    """By the whole, by a part, in any case."""
    shelf.put({"a.py": "def getUserName():\n    return user_table[0]\n", "b.py": "def other():\n    pass\n"})
    for word in ("getUserName", "getusername", "username user", "Name", "table", "user_table"):
        assert ["a.py: def getUserName():"] == shelf.search(word), word
    assert [] == shelf.search("missing")


def test_the_rarer_word_counts_more(shelf: Indexed) -> None:
    """What stands everywhere tells nothing about one place."""
    common = {f"c{number}.py": f"def f{number}():\n    return shared\n" for number in range(20)}
    shelf.put({**common, "rare.py": "def r():\n    return shared, special\n"})
    assert "rare.py: def r():" == shelf.search("shared", "special")[0]
    best, *rest = shelf.lookup.search(shelf.root, ["shared", "special"], None, 8)
    assert all(0 < each.score < best.score for each in rest)
    assert 5 == len(shelf.search("shared", limit=5))


def test_a_piece_is_shown_whole_with_its_place(shelf: Indexed) -> None:
    """Lines from zero, the last one behind the piece; the text as it stands in the file."""
    body = "".join(f"    line_{number} = {number}\n" for number in range(20))
    shelf.put({"pkg/a.py": f"def other():\n{body}\n\ndef find(needle):\n{body}\n\ndef last():\n{body}"})
    [found] = shelf.lookup.search(shelf.root, ["needle"], None, 8)
    assert ("pkg/a.py", "python", "find", 23, 44) == (
        found.relative,
        found.language,
        found.name,
        found.line,
        found.end_line,
    )
    assert f"def find(needle):\n{body}".rstrip() == found.text
    assert shelf.root / "pkg" / "a.py" == found.path


def test_the_asking_file_and_foreign_languages_are_left_out(shelf: Indexed) -> None:
    """Nobody needs to be told what he looks at; without an asking file all languages count."""
    shelf.put({"a.py": "def needle(): ...\n", "b.py": "def needle(): ...\n", "c.go": "func needle() {}\n"})
    assert ["b.py: def needle(): ..."] == shelf.search("needle", asking="a.py")
    assert 3 == len(shelf.search("needle"))


def test_a_file_that_changed_is_passed_over_and_reported(shelf: Indexed) -> None:
    """Its text is not what the words are of."""
    shelf.put({"a.py": "def needle(): ...\n", "b.py": "def needle(): ...\n"})
    (shelf.root / "a.py").write_text("def else_now(): ...\n", encoding="utf-8")
    assert ["b.py: def needle(): ..."] == shelf.search("needle")
    assert [shelf.root / "a.py"] == shelf.stale


def test_files_in_other_encodings_give_their_text(shelf: Indexed) -> None:
    """Places are counted in the text, not in the bytes on disk."""
    text = "# größe\ndef añadir():\n    return 'é'\n"
    shelf.put({"a.py": text})
    (shelf.root / "a.py").write_bytes(text.encode("cp1252"))
    shelf.put_as_is("a.py")
    assert [text.rstrip()] == [found.text for found in shelf.lookup.search(shelf.root, ["añadir"], None, 8)]


def test_open_documents_count_instead_of_their_files(shelf: Indexed) -> None:
    """What was typed is found, what was deleted is not, and both again as on disk once it is closed."""
    shelf.put({"a.py": "def before():\n    return apple\n", "b.py": "def third():\n    return apple\n"})
    shelf.show("s1", "a.py", "def after():\n    return cherry\n")
    assert ["a.py: def after():"] == shelf.search("cherry", client="s1")
    assert ["b.py: def third():"] == shelf.search("apple", client="s1")
    assert [] == shelf.search("before", client="s1")
    assert ["a.py: def after():"] == shelf.search("after", "third", client="s1")[:1]
    shelf.overlay.drop("s1", shelf.root / "a.py")
    assert [] == shelf.search("cherry", client="s1")
    assert ["a.py: def before():"] == shelf.search("before", client="s1")


def test_a_workspace_does_not_find_pieces_of_another(tmp_path: Path) -> None:
    """One table holds them all, and each question is about one."""
    with indexed(tmp_path, {"a.py": "def mine(): ...\n"}) as shelf:
        other = Indexed(tmp_path / "other", shelf.store)
        other.put({"b.py": "def canary(): ...\n"})
        assert ["b.py: def canary(): ..."] == other.search("canary")
        assert [] == shelf.search("canary")
        other.readers.reset()


def test_no_store_gives_nothing(shelf: Indexed) -> None:
    """Trouble is reported, never raised."""
    assert [] == shelf.search("needle")
    assert 1 == len(shelf.failures)


def test_without_full_text_search_all_else_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A SQLite that was built without it: the status says so; with another SQLite the store is made anew."""
    root = tmp_path / "root"
    write(root, {"a.py": "def one(): ...\n", "b.py": "def two(): ...\n"})
    words = ["two"]
    with monkeypatch.context() as patch:
        patch.setattr(schema, "_SEARCH", "fts_lost")
        with running(tmp_path / "home", root) as run:
            assert "no full-text search (fts5)" in run.indexer.status().problem
            assert ("ready", {"indexed": 2}) == (run.workspace().phase.value, run.workspace().verdicts)
            write(root, {"a.py": "def uno(): ...\n"})
            run.indexer.rebuild(root)
            run.settle()
            assert {"a.py": ["uno"], "b.py": ["two"]} == run.rows()
            assert ["uno"] == [found.name for found in run.indexer.lookup.definitions(root, ["uno"], None)]
            assert [] == run.indexer.lookup.search(root, words, None, 5)
            with closing(Store.open(run.store)) as store:
                assert [] == store.check_integrity()
    assert [] == caplog.messages
    with running(tmp_path / "home", root) as run:
        assert "" == run.indexer.status().problem
        assert ["b.py"] == [found.relative for found in run.indexer.lookup.search(root, words, None, 5)]
    assert [True] == ["made anew" in message for message in caplog.messages]
