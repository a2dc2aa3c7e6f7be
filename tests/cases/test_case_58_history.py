"""Case 58: a damaged store (the history's half)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.completion.history.store import HistoryStore
from codeassistd.testing.fake_script import Rule
from tests.completion.history.test_learn import history
from tests.support.lsp_daemon import lsp_daemon

pytestmark = pytest.mark.slow

URI = "file:///w/a.py"
GARBAGE = b"\xde\xad\xbe\xef" * 1024


def overwrite_middle(store: Path) -> None:
    """4 KB in the middle of the file."""
    with store.open("r+b") as file:
        file.seek(store.stat().st_size // 2 // 4096 * 4096)
        file.write(GARBAGE)


def overwrite_head(store: Path) -> None:
    """The first page, so that it is no database any more."""
    with store.open("r+b") as file:
        file.write(GARBAGE)


def cut(store: Path) -> None:
    """Half of the file is missing."""
    with store.open("r+b") as file:
        file.truncate(store.stat().st_size // 2)


def replace_by_text(store: Path) -> None:
    """Somebody's notes under our name."""
    store.write_text("not a database\n" * 1000)


@pytest.mark.parametrize("damage", [overwrite_middle, overwrite_head, cut, replace_by_text])
async def test_a_damaged_history_costs_the_history_alone(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """It is set aside and made anew with one log line, suggestions come, and new ones are kept."""
    async with lsp_daemon(tmp_path) as running:
        path = running.daemon.paths.history_file
    with closing(HistoryStore.open(path)) as store:
        for row in history(2000):
            store.add(row)
    damage(path)
    caplog.set_level(logging.WARNING, "codeassistd.completion")
    async with lsp_daemon(tmp_path, Rule.after("x = ", "41 + 1")) as running, running.editor() as client:
        client.open(URI, "x = ")
        assert 1 == len(await client.complete(URI, 0, 4))
        client.open("file:///w/b.py", "x = ")
        assert 1 == len(await client.complete("file:///w/b.py", 0, 4))
    assert 1 == sum("set aside and made anew" in entry.message for entry in caplog.records)
    assert path.with_name("history.damaged.db").exists()
    with closing(HistoryStore.open(path)) as store:
        assert {"python"} == {row.language for row in store.newest()}
        assert 1 <= len(store.newest()) <= 2
