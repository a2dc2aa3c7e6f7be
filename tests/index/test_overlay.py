"""Unsaved text counts, and only where it may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.index.overlay import OpenFile, Overlay
from codeassistd.syntax.extract import extract
from codeassistd.syntax.facts import FileFacts
from tests.support.indexed import Indexed, indexed
from tests.support.indexing import write


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Indexed]:
    """A workspace with one file that defines `old`."""
    with indexed(tmp_path, {"a.py": "def old(): ...\n"}) as made:
        yield made


def test_what_is_typed_is_found_and_what_is_deleted_is_not(shelf: Indexed) -> None:
    """Until the document is closed; then the file counts again."""
    shelf.show("s1", "a.py", "\ndef new(): ...\n")
    assert (["a.py:1"], []) == (shelf.definitions("new", client="s1"), shelf.definitions("old", client="s1"))
    shelf.overlay.drop("s1", shelf.root / "a.py")
    assert ([], ["a.py:0"]) == (shelf.definitions("new", client="s1"), shelf.definitions("old", client="s1"))


def test_text_counts_also_while_the_file_on_disk_changes(shelf: Indexed) -> None:
    """The editor's text is newer than whatever lies on disk."""
    shelf.show("s1", "a.py", "def new(): ...\n")
    (shelf.root / "a.py").write_text("def third(): ...\n", encoding="utf-8")
    assert ["a.py:0"] == shelf.definitions("new", client="s1")
    assert [] == shelf.stale


def test_each_editor_sees_its_own_text(shelf: Indexed) -> None:
    """Whoever has not opened the file sees the version that came last."""
    shelf.show("s1", "a.py", "def one(): ...\n")
    shelf.show("s2", "a.py", "def two(): ...\n")
    assert (["a.py:0"], []) == (shelf.definitions("one", client="s1"), shelf.definitions("two", client="s1"))
    assert ([], ["a.py:0"]) == (shelf.definitions("one", client="s2"), shelf.definitions("two", client="s2"))
    assert ([], ["a.py:0"]) == (shelf.definitions("one", client="s3"), shelf.definitions("two", client="s3"))
    shelf.overlay.drop_client("s2")
    assert ["a.py:0"] == shelf.definitions("one", client="s2")


@pytest.mark.parametrize("is_saved", [True, False])
def test_ignored_files_are_not_found_when_they_are_open(shelf: Indexed, *, is_saved: bool) -> None:
    """A file that the survey left out, or would leave out, has no row, and its text does not count either."""
    write(shelf.root, {".gitignore": "ignored.py\n/built/\n"})
    names = ["ignored.py", "built/a.py", "node_modules/b.py"]
    write(shelf.root, dict.fromkeys(names, "") if is_saved else {})
    for name in names:
        shelf.show("s1", name, "def canary(): ...\n")
    assert [] == shelf.definitions("canary", client="s1")
    assert [] == shelf.search("canary", client="s1")
    assert {"canary": 0} == shelf.lookup.seen_by("s1").frequencies(shelf.root, ["canary"])


def test_a_new_file_is_found_before_it_is_saved(shelf: Indexed) -> None:
    """From its first line on, until it is closed; but not where a link leads out of the workspace."""
    (shelf.root / "away").symlink_to(shelf.root.parent)
    shelf.show("s1", "pkg/new.py", "def fresh(): ...\n")
    shelf.show("s1", "away/other.py", "def foreign(): ...\n")
    assert ["pkg/new.py:0"] == shelf.definitions("fresh", client="s1")
    assert ["pkg/new.py: def fresh(): ..."] == shelf.search("fresh", client="s1")
    assert [] == shelf.definitions("foreign", client="s1")
    shelf.overlay.drop("s1", shelf.root / "pkg/new.py")
    assert [] == shelf.definitions("fresh", client="s1")


def test_secret_files_are_not_taken() -> None:
    """Whatever an editor shows."""
    overlay = Overlay()
    overlay.put("s1", Path("/w/.env"), b"KEY = 1\n", FileFacts("python"))
    assert {} == overlay.seen_by("s1", Path("/w"))


def test_a_document_that_was_not_parsed_leaves_its_file_in_place(shelf: Indexed) -> None:
    """Too large a text says nothing about what is in it."""
    shelf.show("s1", "a.py", "def new(): ...\n")
    shelf.overlay.put("s1", shelf.root / "a.py", b"", FileFacts("python", problems=("skipped: too large",)))
    assert ["a.py:0"] == shelf.definitions("old", client="s1")


def test_documents_outside_the_workspace_do_not_count(shelf: Indexed) -> None:
    """A folder whose name only begins alike is another one."""
    sibling = shelf.root.with_name(f"{shelf.root.name}2") / "a.py"
    shelf.overlay.put("s1", sibling, b"def canary(): ...\n", extract("python", b"def canary(): ...\n"))
    assert [] == shelf.definitions("canary", client="s1")
    assert ["a.py:0"] == shelf.definitions("old", client="s1")


def test_the_next_version_keeps_the_words_of_pieces_that_stay() -> None:
    """A key costs the words of one piece, not of the whole document."""
    body = "".join(f"    line_{number} = {number}\n" for number in range(30))
    texts = [f"def one():\n{body}\n\ndef {name}():\n{body}".encode() for name in ("two", "three")]
    before = OpenFile(texts[0], extract("python", texts[0]))
    kept = {chunk.name: words for chunk, words in before.chunks()}
    after = OpenFile(texts[1], extract("python", texts[1]), before)
    words = {chunk.name: words for chunk, words in after.chunks()}
    assert words["one"] is kept["one"]
    assert ("three" in words["three"], "two" in words["three"]) == (True, False)
