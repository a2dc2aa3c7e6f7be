"""Case 77: slow model blocks the editor (the server's half: everything but the start of the process)."""

from __future__ import annotations

import threading
from pathlib import Path

from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"


async def test_an_editor_is_served_while_the_model_loads(tmp_path: Path) -> None:
    """The load is held: `initialize` is answered, requests are empty at once, `status` says loading; then items come.

    Nothing here waits for the load, which ends only when the test says so: that is what "at once" means.
    """
    gate = threading.Event()
    backend = FakeBackend(FakeScript(default="pass"), load_gate=gate)
    async with lsp_daemon(tmp_path, backend=backend) as running, running.connect() as client:
        result = await client.initialize()
        assert result["capabilities"]["inlineCompletionProvider"]
        client.open(URI, "x = ")
        for _ in range(5):
            assert [] == await client.complete(URI, 0, 4)
        assert "loading" == (await client.request("codeassistd/status"))["state"]
        assert "loading" == (await client.request("codeassistd/explain"))["outcome"]
        assert not gate.is_set()
        gate.set()
        await client.wait_for("codeassistd/status", lambda params: params["state"] == "ready")
        assert 1 == len(await client.complete(URI, 0, 4))
        assert 1 == len(running.daemon.sessions)


async def test_shutdown_during_the_load(tmp_path: Path) -> None:
    """The editor can leave at any time."""
    gate = threading.Event()
    async with lsp_daemon(tmp_path, backend=FakeBackend(load_gate=gate)) as running, running.editor() as client:
        client.open(URI, "x")
        await client.leave()
        assert ("loading", False) == (running.daemon.state()[0], gate.is_set())
