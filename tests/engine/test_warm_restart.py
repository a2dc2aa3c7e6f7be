"""Prompts that outlive the engine: saved at its end, found at its start, brought back when they are asked for."""

from __future__ import annotations

import logging
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.engine.carrier import CacheLimits
from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import GenerateRequest, Priority, SamplingParams
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, settled
from tests.support.model import model_file
from tests.support.states import files_of, run_once

PROMPT = "value = 1\n" * 30


def fake(**size: object) -> FakeBackend:
    return FakeBackend(FakeScript(default="ok"), **size)  # type: ignore[arg-type]  # a table of any


async def test_the_first_request_after_a_restart_reads_only_what_is_new(tmp_path: Path) -> None:
    """Its last token, and what was typed since."""
    kv = tmp_path / "kv"
    assert [0] == [answer.ending.n_cached for answer in await run_once(fake().load, kv, PROMPT)]
    (again,) = await run_once(fake().load, kv, PROMPT)
    assert ("ok", len(PROMPT) - 1) == (again.text, again.ending.n_cached)
    (more,) = await run_once(fake().load, kv, PROMPT + "more")
    assert ("ok", len(PROMPT)) == (more.text, more.ending.n_cached)


async def test_a_model_that_cannot_be_cut_goes_on_from_the_end_of_a_prompt(tmp_path: Path) -> None:
    """Its checkpoint is what is saved."""
    kv = tmp_path / "kv"
    await run_once(fake(can_cut=False).load, kv, PROMPT)
    (more,) = await run_once(fake(can_cut=False).load, kv, PROMPT + "more")
    assert ("ok", len(PROMPT)) == (more.text, more.ending.n_cached)


async def test_only_the_prompt_that_is_asked_for_is_read_from_disk(tmp_path: Path) -> None:
    """At the start the files' heads are enough: data that are damaged and never asked for go unnoticed."""
    kv = tmp_path / "kv"
    await run_once(fake().load, kv, "a" * 100, "b" * 200)
    path = files_of(kv)[0]
    content = bytearray(path.read_bytes())
    content[-20] ^= 1
    path.write_bytes(content)
    (answer,) = await run_once(fake().load, kv, "a" * 100)
    assert 99 == answer.ending.n_cached


@pytest.mark.skipif(sys.platform == "win32", reason="modes are POSIX")
async def test_nobody_else_can_read_them(tmp_path: Path) -> None:
    """A prompt is source text, in other words."""
    kv = tmp_path / "cache" / "kv"
    await run_once(fake().load, kv, PROMPT)
    assert [0o700] == [stat.S_IMODE(path.stat().st_mode) for path in [kv]]
    assert [0o600] == [stat.S_IMODE(path.stat().st_mode) for path in files_of(kv)]


async def test_another_model_never_gets_them(tmp_path: Path) -> None:
    """Nor does it remove them while there is room."""
    kv = tmp_path / "kv"
    await run_once(fake(state_id="one").load, kv, PROMPT)
    (other,) = await run_once(fake(state_id="two").load, kv, PROMPT)
    assert 0 == other.ending.n_cached
    (again,) = await run_once(fake(state_id="one").load, kv, PROMPT)
    assert len(PROMPT) - 1 == again.ending.n_cached


async def test_a_model_that_cannot_say_what_it_is_saves_nothing(tmp_path: Path) -> None:
    """Its states could be taken for another one's."""
    await run_once(fake(state_id="").load, tmp_path / "kv", PROMPT)
    assert [] == files_of(tmp_path / "kv")


async def test_disk_space_is_bounded_and_the_newest_stay(tmp_path: Path) -> None:
    """Also where another model's files are in the way."""
    kv = tmp_path / "kv"
    await run_once(fake(state_id="old").load, kv, "o" * 300, disk_bytes=10_000)
    prompts = [letter * 300 for letter in "abcdef"]
    await run_once(fake().load, kv, *prompts, disk_bytes=6000)
    assert sum(path.stat().st_size for path in files_of(kv)) <= 6000
    answers = await run_once(fake(n_slots=8).load, kv, *prompts, disk_bytes=6000)
    assert [0, 0, 0, 0, 299, 299] == [answer.ending.n_cached for answer in answers]


async def test_what_stays_is_not_written_again(tmp_path: Path) -> None:
    """The same file, untouched."""
    kv = tmp_path / "kv"
    await run_once(fake().load, kv, PROMPT)
    (path,) = files_of(kv)
    before = path.stat()
    await run_once(fake().load, kv)
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


async def test_background_work_is_not_kept(tmp_path: Path) -> None:
    """A summary is made once."""
    engine = Engine(fake().load, options=EngineOptions(limits=CacheLimits(disk_bytes=10**6, folder=tmp_path / "kv")))
    engine.start()
    settled(engine)
    await answer_of(engine.submit(replace(request(PROMPT), priority=Priority.BACKGROUND)))
    engine.stop()
    assert [] == files_of(tmp_path / "kv")


async def test_a_folder_that_cannot_be_written_is_one_line_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """And the engine ends as ever."""
    (tmp_path / "file").write_text("in the way")
    with caplog.at_level(logging.WARNING):
        await run_once(fake().load, tmp_path / "file" / "kv", PROMPT)
    assert 1 == len(caplog.records)
    assert "the prefix cache cannot be saved" in caplog.text


@pytest.mark.model
async def test_the_starter_reads_at_most_a_tenth_after_a_restart(tmp_path: Path) -> None:
    """The same answer as before the restart, from a prompt that was not read again."""
    factory = llama_factory(LlamaOptions(model_file(), n_ctx=1024, n_slots=2, n_batch=256, threads=1))
    limits = CacheLimits(disk_bytes=10**8, folder=tmp_path / "kv")
    answers = []
    for _ in range(2):
        engine = Engine(factory, options=EngineOptions(limits=limits))
        engine.start()
        settled(engine)
        vocabulary = engine.vocabulary
        assert vocabulary is not None
        prompt = vocabulary.tokenize("def add(a, b):\n    return a + b\n\n\n" * 20 + "def sub(a, b):\n    return")
        answers.append(await answer_of(engine.submit(GenerateRequest(tuple(prompt), SamplingParams(8)))))
        engine.stop()
    first, again = answers
    assert again.ids[:1] == first.ids[:1]
    assert 0 == first.ending.n_cached
    assert again.ending.n_cached >= 0.9 * again.ending.n_prompt
