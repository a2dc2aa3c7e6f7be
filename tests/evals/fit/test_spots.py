"""Cursors in real files."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from codeassistd.evals.fit.spots import Kind, choose_spots, source_files
from codeassistd.syntax.languages import Languages

LANGUAGES = Languages.default()
PYTHON = (
    "import os\n\n\ndef total(rows):\n    if rows:\n        first = rows[0]\n        return sum(rows, first)\n"
    "    return 0\n\n\n"
)
GO = (
    "package p\n\nfunc total(rows []int) int {\n\tsum := 0\n\tfor _, row := range rows {\n\t\tsum += add(row, 1)\n"
    "\t}\n\treturn sum\n}\n\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Two languages, and what is no source of its own."""
    (tmp_path / "a.py").write_text(PYTHON * 8)
    (tmp_path / "b.go").write_text(GO * 8)
    for name in ("notes.txt", ".hidden/c.py", "node_modules/d.js", "e.py.orig", ".env"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(PYTHON * 8)
    return tmp_path


def test_only_source_of_the_repository_is_taken(repository: Path) -> None:
    """No hidden or foreign folders, no unknown languages."""
    assert ["a.py", "b.go"] == [path.name for path in source_files([repository], LANGUAGES)]


def test_kinds_and_languages_take_turns(repository: Path) -> None:
    """Each as often as another, and the same seed gives the same."""
    files = source_files([repository], LANGUAGES)
    spots = choose_spots(files, 40, 1, LANGUAGES)
    assert dict.fromkeys(Kind, 8) == Counter(spot.kind for spot in spots)
    assert {"python": 20, "go": 20} == Counter(spot.language for spot in spots)
    assert spots == choose_spots(files, 40, 1, LANGUAGES)
    assert spots != choose_spots(files, 40, 2, LANGUAGES)


def test_each_hole_is_what_its_kind_says(repository: Path) -> None:
    """With the hole filled it is the file again, and the cursor stands in the line that is told."""
    spots = choose_spots(source_files([repository], LANGUAGES), 60, 3, LANGUAGES)
    assert set(Kind) == {spot.kind for spot in spots}
    for spot in spots:
        content = spot.path.read_text()
        assert content == spot.before + spot.removed + spot.after
        assert spot.line == spot.before.count("\n") + 1
        head, tail = spot.before.rpartition("\n")[2], spot.after.partition("\n")[0]
        match spot.kind:
            case Kind.LINE_START:
                assert not head.strip()
                assert not tail
            case Kind.AFTER_OPENER:
                assert head.endswith((":", "{"))
                assert not tail
                assert spot.removed.startswith("\n")
            case Kind.MIDDLE:
                assert head.strip()
                assert spot.removed.strip()
                assert not tail
            case Kind.IN_BRACKETS:
                assert head[-1] + tail[0] in {"()", "[]", "{}"}
            case Kind.LINE_END:
                assert ("", "") == (spot.removed, tail)


def test_where_there_are_too_few_places_there_are_fewer(tmp_path: Path) -> None:
    """A file without brackets and blocks has places of three kinds only; one that is too small has none."""
    (tmp_path / "a.py").write_text("value = other\n" * 40)
    (tmp_path / "b.py").write_text("x = 1\n")
    spots = choose_spots(source_files([tmp_path], LANGUAGES), 1000, 1, LANGUAGES)
    assert {Kind.LINE_START, Kind.MIDDLE, Kind.LINE_END} == {spot.kind for spot in spots}
    assert {"a.py"} == {spot.path.name for spot in spots}
