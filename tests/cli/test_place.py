from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.cli.place import Place
from codeassistd.errors import UsageError


def parse(tmp_path: Path, place: str, content: bytes = b"one\r\ntwo\n") -> Place:
    (tmp_path / "a.py").write_bytes(content)
    return Place.parse(f"{tmp_path}/a.py{place}")


@pytest.mark.parametrize(
    ("place", "content", "offset"),
    [
        (":1:1", b"one\r\ntwo\n", 0),
        (":1:4", b"one\r\ntwo\n", 3),
        (":2:2", b"one\r\ntwo\n", 6),
        (":3:1", b"one\r\ntwo\n", 9),
        (":1:1", b"", 0),
        (":1:8", 'unit = "km²"'.encode(), 7),
        (":1:12", 'unit = "km²"'.encode(), 12),
        (":1:2", "😀x".encode(), 4),
        (":1:2", "\ufeffab".encode(), 1),
    ],
)
def test_line_and_column_count_letters_from_one(tmp_path: Path, place: str, content: bytes, offset: int) -> None:
    """Columns are what an editor's status line shows: letters, not bytes, and no byte-order mark."""
    assert offset == parse(tmp_path, place, content).offset


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("", "a.py: write FILE:LINE:COL, both numbers from 1, for example src/app.py:12:5"),
        (":3", "a.py:3: write FILE:LINE:COL, both numbers from 1, for example src/app.py:12:5"),
        (":x:1", "a.py:x:1: write FILE:LINE:COL, both numbers from 1, for example src/app.py:12:5"),
        (":0:1", "a.py:0:1: write FILE:LINE:COL, both numbers from 1, for example src/app.py:12:5"),
        (":1:-1", "a.py:1:-1: write FILE:LINE:COL, both numbers from 1, for example src/app.py:12:5"),
        (":4:1", "a.py has 3 lines, so there is no line 4"),
        (":2:5", "line 2 of {folder}/a.py ends at column 4, so there is no column 5"),
    ],
)
def test_a_place_that_is_none_says_what_is_wrong(tmp_path: Path, place: str, expected: str) -> None:
    """Wrong form, no such line, no such column: one line each."""
    with pytest.raises(UsageError) as caught:
        parse(tmp_path, place)

    assert str(caught.value).removeprefix(f"{tmp_path}/") == expected.format(folder=tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """The user sees which name was looked for."""
    with pytest.raises(UsageError) as caught:
        Place.parse(f"{tmp_path}/none.py:1:1")

    assert f"there is no file {tmp_path}/none.py" == str(caught.value)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    """The system's own reason is passed on."""
    with pytest.raises(UsageError) as caught:
        Place.parse(f"{tmp_path}:1:1")

    assert f"{tmp_path} cannot be read: Is a directory" == str(caught.value)


def test_a_file_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    """A guess at the encoding would show columns that are not the editor's."""
    with pytest.raises(UsageError) as caught:
        parse(tmp_path, ":1:1", b"a\xe9")

    assert f"{tmp_path}/a.py is not UTF-8 (byte 1); save it as UTF-8" == str(caught.value)
