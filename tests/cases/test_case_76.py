"""Case 76: silent, stuck or noisy errors (the daemon's half: what it says about itself)."""

from __future__ import annotations

from pathlib import Path

from codeassistd.errors import DecodeError
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"


async def test_a_failing_engine_shows_and_passes(tmp_path: Path) -> None:
    """The engine fails ten times, then works: empty answers, the state error then ready, never busy; nobody is nagged.

    The status holds the last error and its time, also when it is over.
    """
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x = ")
        assert 1 == len(await client.complete(URI, 0, 4))
        said = len(client.received)
        for n_typed in range(10):
            # Each in another place, since an answer that is known needs no engine.
            client.insert(URI, 0, 0, "z")
            running.backend.fail_step(DecodeError("the processor is on holiday"))
            assert [] == await client.complete(URI, 0, 5 + n_typed)
        told = await client.wait_for("codeassistd/status", lambda params: params["state"] == "error", said)
        assert "the processor is on holiday" in told["detail"]
        assert "error" == running.daemon.state()[0]
        said = len(client.received)
        client.insert(URI, 0, 0, "y")
        assert 1 == len(await client.complete(URI, 0, 15))
        await client.wait_for("codeassistd/status", lambda params: params["state"] == "ready", said)
        status = running.daemon.status()
        assert ("ready", "") == (status["state"], status["detail"])
        assert "the processor is on holiday" in str(status["last_error"])
        assert running.clock.wall_s() == status["last_error_at"]
        assert [] == [message for message in client.received if message.method == "window/showMessage"]
        assert [] == client.take_errors()
