"""The editor is told how the daemon stands, and can ask why a suggestion did not come."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from codeassistd.index.types import IndexPhase, IndexStatus, WorkspaceStatus
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from codeassistd.testing.lsp_client import LspClient
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
SHOWS_PROGRESS = {"window": {"workDoneProgress": True}}


def states(client: LspClient) -> list[str]:
    return [message.params["state"] for message in client.received if message.method == "codeassistd/status"]


def held_load() -> tuple[FakeBackend, threading.Event]:
    gate = threading.Event()
    return FakeBackend(FakeScript(default="pass"), load_gate=gate), gate


async def test_the_state_is_told_at_the_start_and_when_it_changes(tmp_path: Path) -> None:
    """Loading, then ready; never the same twice running."""
    backend, gate = held_load()
    async with lsp_daemon(tmp_path, backend=backend) as running, running.editor() as client:
        await client.wait_for("codeassistd/status", lambda params: params["state"] == "loading")
        gate.set()
        await client.wait_for("codeassistd/status", lambda params: params["state"] == "ready")
        told = [message.params for message in client.received if message.method == "codeassistd/status"]
        assert [] == [state for state, next_one in itertools.pairwise(told) if state == next_one]
        assert {"loading", "ready"} >= set(states(client))
        assert running.daemon.state()[0] == "ready"


async def test_a_load_that_fails_is_told_with_its_cause(tmp_path: Path) -> None:
    """As a state, not as a popup; requests are answered with empty lists."""
    backend = FakeBackend(load_error="the file is cut off at 90 %; pull it again")
    gate = backend.load_gate = threading.Event()
    async with lsp_daemon(tmp_path, backend=backend) as running, running.editor() as client:
        gate.set()
        told = await client.wait_for("codeassistd/status", lambda params: params["state"] == "error")
        assert "the file is cut off at 90 %; pull it again" in told["detail"]
        client.open(URI, "x")
        assert [] == await client.complete(URI, 0, 1)
        assert running.daemon.engine.status().detail


async def test_status_can_be_asked_for(tmp_path: Path) -> None:
    """The request gives all that is known."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        status = await client.request("codeassistd/status")
        assert "ready" == status["state"]
        assert running.daemon.status()["state"] == status["state"]


async def test_explain_tells_how_a_request_went(tmp_path: Path) -> None:
    """By a suggestion's id, or the newest; null for one that is not kept."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        assert await client.request("codeassistd/explain") is None
        client.open(URI, "x = ")
        [item] = await client.complete(URI, 0, 4)
        [span_id] = item["command"]["arguments"]
        client.change(URI, {"text": "y"}, version=0)
        assert [] == await client.complete(URI, 0, 1)
        by_id: dict[str, Any] = await client.request("codeassistd/explain", {"id": span_id})
        newest: dict[str, Any] = await client.request("codeassistd/explain", {})
        assert ["shown", "out-of-sync"] == [by_id["outcome"], newest["outcome"]]
        assert (span_id, "python") == (by_id["id"], by_id["language"])
        assert await client.request("codeassistd/explain", {"id": "gone"}) is None
        assert running.daemon.spans.find(span_id) is not None


async def test_the_load_has_a_progress_bar_where_the_editor_shows_one(tmp_path: Path) -> None:
    """Created, begun, and ended when the model is there."""
    backend, gate = held_load()
    async with lsp_daemon(tmp_path, backend=backend) as running, running.connect() as client:
        client.replies["window/workDoneProgress/create"] = lambda _params: None
        await client.initialize(capabilities=SHOWS_PROGRESS)
        begun = await client.wait_for("$/progress")
        assert ("begin", "Loading the model") == (begun["value"]["kind"], begun["value"]["title"])
        created = await client.wait_for("window/workDoneProgress/create")
        assert created["token"] == begun["token"]
        gate.set()
        ended = await client.wait_for("$/progress", lambda params: params["value"]["kind"] == "end")
        assert begun["token"] == ended["token"]
        assert running.daemon.state()[0] == "ready"


async def test_editors_without_progress_bars_get_none(tmp_path: Path) -> None:
    """Neither those that do not offer them, nor those that refuse one."""
    backend, gate = held_load()
    async with (
        lsp_daemon(tmp_path, backend=backend) as running,
        running.editor() as plain,
        running.editor(capabilities=SHOWS_PROGRESS) as refusing,
    ):
        await refusing.wait_for("window/workDoneProgress/create")
        gate.set()
        for client in (plain, refusing):
            await client.wait_for("codeassistd/status", lambda params: params["state"] == "ready")
            assert [] == [message for message in client.received if message.method == "$/progress"]


async def test_an_unknown_command_is_refused_and_an_unknown_suggestion_is_not(tmp_path: Path) -> None:
    """An item may be accepted long after it was forgotten."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        assert running.daemon.spans.last() is None
        command = {"command": "codeassistd.accepted", "arguments": ["long gone"]}
        assert await client.request("workspace/executeCommand", command) is None


async def test_indexing_has_a_bar_of_its_own_with_a_percentage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files done of all files, over all workspaces; the bar ends when the daemon does something else."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        client.replies["window/workDoneProgress/create"] = lambda _params: None
        await client.initialize(capabilities=SHOWS_PROGRESS)
        await client.wait_for("codeassistd/status")
        with monkeypatch.context() as patch:
            for n_done in (3, 9):
                workspace = WorkspaceStatus(tmp_path, IndexPhase.CRAWLING, n_done, 10, 0, 0, "events")
                indexer = SimpleNamespace(status=lambda found=workspace: IndexStatus(1, 1, (found,)))
                patch.setattr(running.daemon, "indexer", indexer)
                patch.setattr(running.daemon, "state", lambda n=n_done: ("indexing", f"{n} of 10 files"))
                running.daemon._announcer.announce()
                detail = f"{n_done} of 10 files"
                await client.wait_for("$/progress", lambda params, now=detail: params["value"].get("message") == now)
        running.daemon._announcer.announce()
        await client.wait_for("$/progress", lambda params: params["value"]["kind"] == "end")
        told = [message.params["value"] for message in client.received if message.method == "$/progress"]
        assert [
            {"kind": "begin", "title": "Indexing the workspace", "percentage": 30},
            {"kind": "report", "message": "3 of 10 files", "percentage": 30},
            {"kind": "report", "message": "9 of 10 files", "percentage": 90},
            {"kind": "end"},
        ] == told
