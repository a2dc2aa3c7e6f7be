"""Case 61: full-text search."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.index.store import Store
from tests.support.indexed import Indexed, indexed

#: What people search for, with all that means something to a query language.
ODD_QUESTIONS = [
    "a.b",
    "operator==",
    "don't",
    "AND",
    "OR",
    "NOT",
    "NEAR(a b)",
    '"',
    '""',
    "*",
    "a*",
    "-a",
    "^a",
    "a:b",
    "{a}",
    "(",
    "",
    " ",
    "\x00",
    "\ud800",
    "'; drop table chunks; --",
    "தமிழ்மொழி",
    "中文",
    "größe",
    "x" * 10_000,
]


def rows_by_table(store: Path) -> dict[str, int]:
    """How many rows each table has, those that the search keeps for itself among them."""
    with closing(sqlite3.connect(store)) as connection:
        tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
        tables.remove("chunk_vocabulary")  # a view of the words, without rows of its own
        return {table: connection.execute(f"select count(*) from {table}").fetchone()[0] for table in tables}


@pytest.mark.parametrize("beside", [{}, {f"o{number}.py": f"def other_{number}(): ...\n" for number in range(20)}])
def test_a_file_that_is_indexed_a_hundred_times_leaves_no_rows_behind(tmp_path: Path, beside: dict[str, str]) -> None:
    """Every table of the store has as many rows as after once."""
    with indexed(tmp_path, beside) as made:
        made.put({"a.py": "def v0(): ...\n"})
        # The second time all that was written before is merged into one segment, as every time after that.
        made.put({"a.py": "def v1(): ...\n"})
        once = rows_by_table(made.store)
        for number in range(2, 101):
            made.put({"a.py": f"def v{number}(): ...\n"})
        assert once == rows_by_table(made.store)
        assert ["a.py: def v100(): ..."] == made.search("v100")
        assert [] == made.search("v99")
        with closing(Store.open(made.store)) as store:
            assert [] == store.check_integrity()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Indexed]:
    """A file for each kind of text that was not found."""
    texts = {
        "tamil.py": "# தமிழ்மொழி எழுத்து\nTAMIL = 1\n",
        "chinese.py": "# 读取中文文件\nCHINESE = 1\n",
        "dotted.py": "a.b.attribute\n",
        "words.py": "# don't AND or NOT\nWORDS = 1\n",
        "operator.cpp": "struct P { bool operator==(const P& other) const; };\n",
        "german.py": "# die Größe\nGERMAN = 1\n",
    }
    with indexed(tmp_path, texts) as made:
        yield made


@pytest.mark.parametrize("question", ODD_QUESTIONS)
def test_odd_questions_are_answered(shelf: Indexed, question: str) -> None:
    """Matches or nothing, and no error of the database."""
    shelf.search(question)
    shelf.search("ordinary", question)
    assert [] == shelf.failures


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("தமிழ்மொழி", "tamil.py"),
        ("எழுத்து", "tamil.py"),
        ("中文", "chinese.py"),
        ("文", "chinese.py"),
        ("读取中文文件", "chinese.py"),
        ("a.b", "dotted.py"),
        ("don't", "words.py"),
        ("AND", "words.py"),
        ("NOT", "words.py"),
        ("operator==", "operator.cpp"),
        ("GRÖSSE", "german.py"),
        ("gro\u0308ße", "german.py"),
    ],
)
def test_text_that_is_there_is_found(shelf: Indexed, question: str, file: str) -> None:
    """In any script, and with any signs in it."""
    assert [file] == [found.partition(":")[0] for found in shelf.search(question, limit=1)]


def test_words_of_one_script_do_not_find_all_texts_in_it(shelf: Indexed) -> None:
    """Letters that do not stand side by side in the text are not the word that was asked for."""
    assert [] == shelf.search("文中")
    assert [] == shelf.search("மொழி")
