"""Case 58: damaged prompts on disk are a miss with one line in the log, and the answer is right."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.engines import answer_of, request, settled
from tests.support.states import files_of, run_once

PROMPT = "value = 1\n" * 300


def overwrite_middle(path: Path) -> None:
    """4 KB in the middle."""
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\xde\xad\xbe\xef" * 1024)


def overwrite_tokens(path: Path) -> None:
    """Some of the token ids: what the file says that it holds."""
    with path.open("r+b") as file:
        file.seek(400)
        file.write(b"\x01\x02\x03\x04")


def overwrite_head(path: Path) -> None:
    """The very start."""
    with path.open("r+b") as file:
        file.write(b"\0" * 64)


def flip_last_bit(path: Path) -> None:
    """One bit of the last checksum."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def cut_off(path: Path) -> None:
    """The last bytes are missing."""
    os.truncate(path, path.stat().st_size - 10)


def empty(path: Path) -> None:
    """Nothing is left."""
    os.truncate(path, 0)


def garbage(path: Path) -> None:
    """Something else altogether."""
    path.write_bytes(os.urandom(5000))


def huge_head(path: Path) -> None:
    """A head that claims to be gigabytes long."""
    content = bytearray(path.read_bytes())
    content[16:20] = b"\xff\xff\xff\x7f"
    path.write_bytes(content)


DAMAGES = [overwrite_middle, overwrite_tokens, overwrite_head, flip_last_bit, cut_off, empty, garbage, huge_head]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
async def test_a_damaged_file_is_a_miss(
    tmp_path: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """The prompt is read again, the file is made anew at the end, and the start after that is warm again."""
    backend = FakeBackend(FakeScript((Rule.after("1\n", "right"),)))
    await run_once(backend.load, tmp_path, PROMPT)
    (path,) = files_of(tmp_path)
    damage(path)
    with caplog.at_level(logging.WARNING):
        (answer,) = await run_once(backend.load, tmp_path, PROMPT)
    assert ("right", 0) == (answer.text, answer.ending.n_cached)
    assert [True] == ["left out and removed" in record.getMessage() for record in caplog.records]
    (again,) = await run_once(backend.load, tmp_path, PROMPT)
    assert ("right", len(PROMPT) - 1) == (again.text, again.ending.n_cached)


async def test_a_state_that_the_model_refuses_is_a_miss(tmp_path: Path) -> None:
    """Whatever its checksums say: it is read again, and the file is made anew."""
    backend = FakeBackend(FakeScript((Rule.after("1\n", "right"),)))
    await run_once(backend.load, tmp_path, PROMPT)
    backend.fail_restore = True
    (answer,) = await run_once(backend.load, tmp_path, PROMPT)
    assert ("right", 0) == (answer.text, answer.ending.n_cached)
    assert 1 == len(files_of(tmp_path))


async def test_a_file_that_is_gone_by_the_first_prompt_is_a_miss(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Somebody cleans the cache while the engine runs."""
    backend = FakeBackend(FakeScript((Rule.after("1\n", "right"),)))
    await run_once(backend.load, tmp_path, PROMPT)
    engine = Engine(backend.load, options=EngineOptions(limits=CacheLimits(disk_bytes=10**6, folder=tmp_path)))
    engine.start()
    settled(engine)
    (path,) = files_of(tmp_path)
    path.unlink()
    with caplog.at_level(logging.WARNING):
        answer = await answer_of(engine.submit(request(PROMPT)))
    engine.stop()
    assert ("right", 0) == (answer.text, answer.ending.n_cached)
    assert 1 == len(caplog.records)
