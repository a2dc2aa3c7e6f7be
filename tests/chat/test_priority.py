"""A running conversation never delays a suggestion: told by the order of the engine's steps, not by time."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from codeassistd.testing.lsp_client import LspClient
from tests.support.lsp_daemon import LspDaemon, lsp_daemon

URI = "file:///w/a.py"
STORY = " ".join(f"chapter {number} of the story." for number in range(20))


@contextlib.asynccontextmanager
async def scene(tmp_path: Path) -> AsyncIterator[tuple[LspDaemon, LspClient]]:
    """An editor whose open document gets `a + b`, and whose questions get a long story."""
    backend = FakeBackend(FakeScript((Rule.after("total = ", "a + b"),), STORY), n_ctx=8192)
    async with lsp_daemon(tmp_path, backend=backend) as running, running.editor() as client:
        client.open(URI, "total = ")
        await running.until(lambda: not running.daemon.engine.status().n_running)
        yield running, client


async def test_each_step_of_a_suggestion_comes_at_once_while_an_answer_is_written(tmp_path: Path) -> None:
    """From the step after the one that is under way to its last, none is without it; the answer goes on beside it."""
    async with scene(tmp_path) as (running, client):
        backend = running.backend
        chat = client.start("codeassistd/chat", {"text": "Tell me a story."})
        await running.until(lambda: running.daemon.engine.status().n_running == 1)
        backend.hold(after=20)
        await running.until(lambda: not backend.step_gate.is_set())
        chat_slots = set(backend.batches[-1].sequences)
        n_before = len(backend.batches)
        pending = client.start_completion(URI, 0, 8)
        await running.until(lambda: bool(running.daemon.completion.has_asked("s1", URI)))
        await running.until(lambda: bool(running.daemon.engine._inbox.submitted))
        backend.step_gate.set()
        [item] = (await pending.result())["items"]
        own = [set(batch.sequences) - chat_slots for batch in backend.batches[n_before:]]
        last = max(place for place, slots in enumerate(own) if slots)
        assert "a + b" == item["insertText"]
        assert all(own[: last + 1])
        assert STORY.strip() == (await chat.result())["text"]


async def test_the_reading_of_a_long_question_gives_way(tmp_path: Path) -> None:
    """The step that reads it is stopped, and the next one is the suggestion's."""
    async with scene(tmp_path) as (running, client):
        backend = running.backend
        backend.step_gate.clear()
        chat = client.start("codeassistd/chat", {"text": "Why? " + "x" * 2000})
        await running.until(backend.stepping.is_set)
        chat_slots = set(backend.batches[-1].sequences)
        pending = client.start_completion(URI, 0, 8)
        await running.until(lambda: backend.n_interrupted == 1)
        n_before = len(backend.batches)
        backend.step_gate.set()
        [item] = (await pending.result())["items"]
        assert "a + b" == item["insertText"]
        assert set(backend.batches[n_before - 1].sequences) - chat_slots
        assert STORY.strip() == (await chat.result())["text"]
