"""Case 1: a non-ASCII letter before the cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
LINE = 'unit = "km²"'


async def test_every_column_of_the_line_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The prefix is the first c characters, for each column c from 0 to 12."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        prefixes = running.record_prefixes(monkeypatch)
        client.open(URI, f"{LINE}\n")
        for column in range(13):
            await client.complete(URI, 0, column)
        assert [LINE[:column] for column in range(13)] == prefixes
        # The same connection and daemon as before.
        assert 1 == len(running.daemon.sessions)


@pytest.mark.parametrize(
    ("encoding", "columns"),
    [
        ("utf-8", [("", 0), ("a", 1), ("a", 2), ("aé", 3), ("aé", 5), ("aé😀", 7), ("aé😀b", 8), ("aé😀b", 99)]),
        ("utf-16", [("", 0), ("a", 1), ("aé", 2), ("aé", 3), ("aé😀", 4), ("aé😀b", 5), ("aé😀b", 99)]),
        ("utf-32", [("", 0), ("a", 1), ("aé", 2), ("aé😀", 3), ("aé😀b", 4), ("aé😀b", 99)]),
    ],
)
async def test_columns_inside_a_letter_count_as_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str, columns: list[tuple[str, int]]
) -> None:
    """In every encoding, with letters of two, three and four bytes."""
    capabilities = {"general": {"positionEncodings": [encoding]}}
    async with lsp_daemon(tmp_path) as running, running.editor(capabilities=capabilities) as client:
        prefixes = running.record_prefixes(monkeypatch)
        client.open(URI, "aé😀b\r\nnext")
        for _, column in columns:
            await client.complete(URI, 0, column)
        assert [expected for expected, _ in columns] == prefixes
