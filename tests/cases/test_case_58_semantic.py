"""Case 58: a damaged store (the semantic cache's half)."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import diskcache
import pytest

from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.completion.semantic.test_proposals import scene, writes
from tests.support.completing import cursor
from tests.support.proposing import proposing

N_OTHERS = 150


def overwrite_middle(folder: Path) -> None:
    """4 KB in the middle of the file."""
    path = folder / "cache.db"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2 // 4096 * 4096)
        file.write(b"\xde\xad\xbe\xef" * 1024)


def overwrite_head(folder: Path) -> None:
    """The first page."""
    with (folder / "cache.db").open("r+b") as file:
        file.write(b"\xde\xad\xbe\xef" * 1024)


def cut(folder: Path) -> None:
    """Half of the file is missing."""
    path = folder / "cache.db"
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def truncate_log(folder: Path) -> None:
    """The log is cut in the middle, while it holds what is not in the database yet."""
    path = folder / "cache.db-wal"
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def garbage_values(folder: Path) -> None:
    """All values of the database are something else of the same length."""
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute("update Cache set value = randomblob(length(value))")


def text_values(folder: Path) -> None:
    """All values are of another type."""
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute("update Cache set value = 'text'")


def swapped_values(folder: Path) -> None:
    """Each key has a whole and good value, which is another key's."""
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute("update Cache set value = (select value from Cache order by rowid desc limit 1)")


def lost_value_files(folder: Path) -> None:
    """The rows name value files, as diskcache writes them, and the files are not there."""
    with closing(diskcache.Cache(str(folder))) as other:
        for key in [key for key in other if isinstance(key, bytes)]:
            other.set(key, b"x" * 100_000)
    for path in folder.rglob("*.val"):
        path.unlink()


def no_table(folder: Path) -> None:
    """A database, but not ours."""
    with closing(sqlite3.connect(folder / "cache.db")) as connection, connection:
        connection.execute("drop table Cache")


DAMAGES = [
    overwrite_middle,
    overwrite_head,
    cut,
    garbage_values,
    text_values,
    swapped_values,
    lost_value_files,
    no_table,
]


async def fill(folder: Path) -> None:
    """The scene's answer among many others."""
    async with proposing(writes(), folder) as bench:
        for number in range(N_OTHERS):
            await bench.complete(cursor(f"def f{number}():\n    x{number} = |\n"))
            if number == N_OTHERS // 2:
                await bench.complete(scene())


@pytest.mark.slow
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_damage_between_two_runs(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Every question is answered as the model answers it, there is at most one line, and new answers are kept."""
    folder = tmp_path / "semantic"
    await fill(folder)
    damage(folder)
    caplog.set_level(logging.WARNING)
    backend = FakeBackend(FakeScript((Rule.after("= ", "sum(items)\n"),)))
    async with proposing(backend, folder) as bench:
        assert "sum(items)" == (await bench.complete(scene(extra="import os\n")))[0]
        assert len(caplog.records) <= 1
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import re\n"))
        assert "memory and disk" == bench.semantic.status()["effective"]
    async with proposing(writes(), folder) as bench:
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import sys\n"))
    assert len(caplog.records) <= 1
    assert all("\n" not in record.getMessage() for record in caplog.records)


@pytest.mark.slow
@pytest.mark.parametrize("damage", [*DAMAGES, truncate_log], ids=lambda damage: damage.__name__)
async def test_damage_under_a_running_daemon(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Every question is answered, in memory what was there goes on, and the disk's level is there again at last."""
    folder = tmp_path / "semantic"
    caplog.set_level(logging.WARNING)
    async with proposing(writes(), folder) as bench:
        await bench.complete(scene())
        for number in range(N_OTHERS):
            await bench.complete(cursor(f"def f{number}():\n    x{number} = |\n"))
        damage(folder)
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import os\n"))
        for number in range(N_OTHERS):
            text, _ = await bench.complete(cursor(f"def f{number}():\n    pass\n    x{number} = |\n"))
            assert "sum(items)" == text
        assert len(caplog.records) <= 1
    async with proposing(writes(), folder) as bench:
        await bench.complete(scene())
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import sys\n"))
    assert len(caplog.records) <= 2
