"""The owner of everything: sessions, workspaces, state and its own end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import pytest

from codeassistd.config import DaemonSettings, IndexSettings, Settings
from codeassistd.daemon.assembly import build_daemon
from codeassistd.daemon.hello import Answer, Hello, Kind
from codeassistd.daemon.reception import Reception
from codeassistd.engine.request import EngineState
from codeassistd.index.indexer import Indexer
from codeassistd.index.types import IndexPhase, IndexStatus, WorkspaceStatus
from codeassistd.metrics.spans import Outcome, Span
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from tests.support.waiting import SAFETY_S


@dataclass
class NotedIndexer:
    """Stands in for the indexer: notes what is asked of it."""

    calls: list[str] = field(default_factory=list)
    workspaces: tuple[WorkspaceStatus, ...] = ()

    def start(self) -> None:
        self.calls.append("start")

    def stop(self) -> None:
        self.calls.append("stop")

    def add_workspace(self, root: Path) -> None:
        self.calls.append(f"add {root}")

    def remove_workspace(self, root: Path) -> None:
        self.calls.append(f"remove {root}")

    def status(self) -> IndexStatus:
        return IndexStatus(1, 1, self.workspaces)


class Scene:
    """A daemon that has not been started, and its parts."""

    def __init__(self, home: Path, **settings: float) -> None:
        self.clock, self.backend, self.indexer = FakeClock(), FakeBackend(), NotedIndexer()
        chosen = Settings(daemon=DaemonSettings.model_validate(settings), index=IndexSettings(enabled=False))
        paths = Paths.resolve({"CODEASSISTD_HOME": str(home)})
        self.daemon = build_daemon(paths, chosen, self.clock, self.backend.load)
        self.daemon.indexer = cast("Indexer", self.indexer)

    async def until(self, state: str) -> str:
        """Wait for a state; returns its detail."""
        changed = asyncio.Event()
        unsubscribe = self.daemon.subscribe(changed.set)
        try:
            async with asyncio.timeout(SAFETY_S):
                while self.daemon.state()[0] != state:
                    await changed.wait()
                    changed.clear()
        finally:
            unsubscribe()
        return self.daemon.state()[1]

    def note(self, outcome: Outcome, reason: str = "") -> None:
        """A request has ended."""
        self.daemon.spans.add(Span("1", "automatic", "python", outcome, reason))


@pytest.fixture
async def scene(tmp_path: Path) -> AsyncIterator[Scene]:
    made = Scene(tmp_path)
    yield made
    made.backend.load_gate.set()
    await made.daemon.stop()


async def test_a_workspace_is_indexed_while_any_editor_has_it_open(scene: Scene) -> None:
    """The first editor adds it, the last one's end removes it, and opening twice counts once."""
    a, b, root = scene.daemon.open_session(), scene.daemon.open_session(), Path("/w")
    scene.daemon.open_workspace(a, root)
    scene.daemon.open_workspace(a, root)
    scene.daemon.open_workspace(b, root)
    assert ["add /w"] == scene.indexer.calls
    scene.daemon.close_workspace(a, root)
    scene.daemon.close_workspace(a, root)
    assert ["add /w"] == scene.indexer.calls
    scene.daemon.close_session(b)
    scene.daemon.close_session(b)
    assert ["add /w", "remove /w"] == scene.indexer.calls
    assert [a] == list(scene.daemon.sessions)


async def test_sessions_have_ids_of_their_own(scene: Scene) -> None:
    """The engine keeps each editor's prompts apart by these."""
    first = scene.daemon.open_session()
    scene.daemon.close_session(first)
    assert first.id != scene.daemon.open_session().id


async def test_states_in_the_order_of_a_start(scene: Scene) -> None:
    """Loading until the model is there, indexing while a workspace is first read, then ready."""
    scene.backend.load_gate.clear()
    assert "loading" == scene.daemon.state()[0]
    scene.daemon.start()
    assert "loading" == scene.daemon.state()[0]
    crawling = WorkspaceStatus(Path("/w"), IndexPhase.CRAWLING, 3, 10, 0, 0, "off")
    scene.indexer.workspaces = (crawling, crawling)
    scene.backend.load_gate.set()
    assert "6 of 20 files" == await scene.until("indexing")
    scene.indexer.workspaces = ()
    assert ("ready", "") == scene.daemon.state()


async def test_a_model_that_does_not_load_is_a_state(scene: Scene) -> None:
    """The daemon lives on with the cause; a reload that works ends the error."""
    scene.backend.load_error = "the file is cut off"
    scene.daemon.start()
    assert "the file is cut off" == await scene.until("error")
    assert "the file is cut off" == scene.daemon.status()["last_error"]
    scene.backend.load_error = ""
    scene.daemon.reload_model()
    await scene.until("ready")


async def test_only_telling_requests_change_the_state(scene: Scene) -> None:
    """A failed request is an error until one succeeds; silence and cancels in between say nothing about the engine."""
    scene.daemon.start()
    await scene.until("ready")
    scene.note(Outcome.ERROR, "the step failed")
    scene.note(Outcome.SILENT)
    scene.note(Outcome.CANCELLED)
    scene.note(Outcome.REFUSED, "the question is empty")
    assert ("error", "the step failed") == scene.daemon.state()
    scene.note(Outcome.EMPTY)
    assert ("ready", "") == scene.daemon.state()


async def test_subscribers_hear_of_requests_until_they_leave(scene: Scene) -> None:
    """Many changes in one turn of the loop are one call; nobody is called after leaving."""
    calls: list[str] = []
    unsubscribe = scene.daemon.subscribe(lambda: calls.append("changed"))
    scene.note(Outcome.SHOWN)
    scene.note(Outcome.SHOWN)
    await asyncio.sleep(0)
    assert ["changed"] == calls
    unsubscribe()
    unsubscribe()
    scene.note(Outcome.SHOWN)
    await asyncio.sleep(0)
    assert ["changed"] == calls


async def test_status_is_plain_and_complete(scene: Scene) -> None:
    """What `status --json` and the editors get; the names are promised."""
    scene.daemon.start()
    await scene.until("ready")
    session = scene.daemon.open_session()
    session.client_name = "editor"
    scene.daemon.open_workspace(session, Path("/w"))
    session.documents.open("file:///w/a.py", "python", 1, "x")
    scene.daemon.spans.add(Span("1", "automatic", "python", Outcome.SHOWN, n_prompt=100, n_cached=75, n_drafted=8))
    await scene.clock.advance(5)
    status = scene.daemon.status()
    expected = {
        "schema", "version", "pid", "uptime_s", "state", "detail", "last_error", "last_error_at", "model", "engine",
        "index", "sessions", "completions", "socket", "log_file", "idle_exit_s", "memory_bytes",
        "gate", "snoozed_s", "metrics", "exporter", "chat", "tuned", "context",
    }  # fmt: skip
    assert expected == set(status)
    assert (1, "ready", 5.0, 1800.0) == tuple(status[key] for key in ("schema", "state", "uptime_s", "idle_exit_s"))
    assert [{"id": session.id, "client": "editor", "roots": ["/w"], "n_documents": 1}] == status["sessions"]
    completions = cast("dict[str, object]", status["completions"])
    assert (1, 0, 100, 75, 0.75, 8, 0) == tuple(
        completions[key] for key in ("shown", "error", "n_prompt", "n_cached", "reuse", "n_drafted", "n_accepted")
    )
    model = cast("dict[str, object]", status["model"])
    assert {"name", "path", "state", "profile", "asked", "effective", "warnings"} == set(model)
    context = cast("dict[str, dict[str, int]]", status["context"])
    assert {"max_tokens": 2048, "cold_ms": 0, "key_ms": 0} == context["asked"]
    effective = {"max_tokens": 512, "cold_ms": 1200, "key_ms": 60, "key_tokens": 16, "tokens_per_s": 0}
    assert effective == context["effective"]
    gate = cast("dict[str, object]", status["gate"])
    assert {"asked", "effective", "why", "n_rows", "problem"} == set(gate)
    assert 0.0 == status["snoozed_s"]
    engine = cast("dict[str, object]", status["engine"])
    pace = ("step_goal_ms", "step_ms", "n_chunk", "n_threads", "n_preempted", "prefill_tokens_per_s")
    assert (60.0, {}, 32, 1, 0, 0.0) == tuple(engine[key] for key in pace)
    assert (0.0, 0.0) == (engine["cancel_to_idle_ms_p50"], engine["cancel_to_idle_ms_p99"])


async def test_without_an_idle_time_it_stays(tmp_path: Path) -> None:
    """0 never ends."""
    scene = Scene(tmp_path, idle_exit_s=0)
    scene.daemon.start()
    await scene.clock.advance(1e9)
    assert not scene.daemon.stop_requested.is_set()
    await scene.daemon.stop()


async def test_stopping_gives_everything_back(tmp_path: Path) -> None:
    """Model and indexer are ended, also if the model is still being loaded."""
    scene = Scene(tmp_path)
    scene.backend.load_gate.clear()
    scene.daemon.start()
    await scene.daemon.stop()
    assert EngineState.STOPPED is scene.daemon.engine.status().state
    assert ["start", "stop"] == scene.indexer.calls


async def _no_lsp(*_: object) -> None:
    raise AssertionError("nobody is served here")


@pytest.mark.parametrize(
    ("hello", "is_let_in", "retires"),
    [
        (Hello(Kind.LSP), True, False),
        (Hello(Kind.LSP, version="0.2.0"), False, True),
        (Hello(Kind.LSP, version="0.10.0"), False, True),
        (Hello(Kind.LSP, version="0.0.9"), False, False),
        (Hello(Kind.LSP, protocol=2), False, False),
    ],
)
async def test_only_our_own_version_is_let_in(
    scene: Scene,
    hello: Hello,
    *,
    is_let_in: bool,
    retires: bool,
) -> None:
    """Others are told both versions; a newer one means that this daemon's time is over."""
    scene.daemon.start()
    answer = Reception(scene.daemon, _no_lsp).judge(hello)
    assert is_let_in == answer.ok
    assert retires == scene.daemon.stop_requested.is_set()
    if not is_let_in:
        assert hello.version in answer.error


async def test_a_retired_daemon_serves_its_editors_to_the_end(scene: Scene) -> None:
    """It ends with the last of them, without an idle time."""
    scene.daemon.start()
    session = scene.daemon.open_session()
    assert Answer() != Reception(scene.daemon, _no_lsp).judge(Hello(Kind.LSP, version="9.0"))
    assert not scene.daemon.stop_requested.is_set()
    scene.daemon.close_session(session)
    assert scene.daemon.stop_requested.is_set()


@pytest.mark.slow
async def test_a_missing_model_is_told_in_one_line(tmp_path: Path) -> None:
    """Without a pulled model the daemon runs, and its state says which command gets one."""
    clock = FakeClock()
    settings = Settings(index=IndexSettings(enabled=False))
    daemon = build_daemon(Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)}), settings, clock)
    changed = asyncio.Event()
    daemon.subscribe(changed.set)
    daemon.start()
    async with asyncio.timeout(SAFETY_S):
        while daemon.state()[0] != "error":
            await changed.wait()
            changed.clear()
    assert "codeassistd model pull starter" in daemon.state()[1]
    await daemon.stop()
