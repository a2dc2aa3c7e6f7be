"""The proxy as a real process, as an editor starts it."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.testing.lsp_client import LspError
from tests.support.processes import Home
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow

URI = "file:///w/a.py"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


async def test_a_key_becomes_a_suggestion(home: Home) -> None:
    """Through the proxy an editor gets what the daemon says, whoever started the daemon."""
    home.start_daemon()
    home.until_ready()
    async with home.proxy() as proxy:
        await proxy.client.initialize()
        proxy.client.open(URI, "total = ")
        (item,) = await proxy.client.complete(URI, 0, 8)
        assert "a + b" == item["insertText"]
        await proxy.client.leave()
        assert 0 == await proxy.code()


async def test_it_starts_the_daemon(home: Home) -> None:
    """Without a daemon the proxy starts one, which outlives it."""
    async with home.proxy(home.serve_command()) as proxy:
        await proxy.client.initialize()
        await proxy.status("ready")
        proxy.client.open(URI, "total = ")
        assert 1 == len(await proxy.client.complete(URI, 0, 8))
        await proxy.client.leave()
    assert "ready" == home.status()["state"]
    wait_for(lambda: home.status()["sessions"] == [], "the end of the session")


async def test_a_killed_daemon_is_replaced_and_knows_the_text(home: Home) -> None:
    """After kill -9 a new daemon has the unsaved text, and the editor only notices a moment without suggestions."""
    async with home.proxy(home.serve_command()) as proxy:
        await proxy.client.initialize()
        await proxy.status("ready")
        proxy.client.open(URI, "t = ")
        proxy.client.insert(URI, 0, 1, "otal")
        assert 1 == len(await proxy.client.complete(URI, 0, 8))
        said, first = len(proxy.client.received), home.daemon_pid()
        os.kill(first, signal.SIGKILL)
        await proxy.status("ready", after=said)
        assert 1 == len(await proxy.client.complete(URI, 0, 8))
        assert first != home.daemon_pid()
        await proxy.client.leave()


async def test_a_stopped_daemon_stays_stopped(home: Home) -> None:
    """`stop` is respected: suggestions are empty until somebody starts a daemon, and come back by themselves then."""
    daemon = home.start_daemon()
    async with home.proxy() as proxy:
        await proxy.client.initialize()
        await proxy.status("ready")
        said = len(proxy.client.received)
        home.call("stop")
        assert {"state": "error", "detail": "the daemon was stopped; `codeassistd start` starts it again"} == (
            await proxy.status("error", after=said)
        )
        assert 0 == daemon.wait()
        proxy.client.open(URI, "total = ")
        assert [] == await proxy.client.complete(URI, 0, 8)
        assert not home.paths.socket_file.exists()
        said = len(proxy.client.received)
        home.start_daemon()
        await proxy.status("ready", after=said)
        assert 1 == len(await proxy.client.complete(URI, 0, 8))
        await proxy.client.leave()


async def test_a_daemon_that_cannot_start_is_told_with_its_cause(home: Home) -> None:
    """One message with the last line of the failed daemon; requests are answered, and `shutdown` works."""
    command = [sys.executable, "-c", "import sys; sys.exit('codeassistd: the disk is on fire')"]
    async with home.proxy(command) as proxy:
        await proxy.client.initialize()
        proxy.client.open(URI, "total = ")
        for _ in range(10):
            assert [] == await proxy.client.complete(URI, 0, 8)
        await proxy.status("error")
        with pytest.raises(LspError, match="the disk is on fire"):
            await proxy.client.request("codeassistd/status")
        (message,) = await proxy.client.wait_for_errors()
        assert message.endswith("the daemon ended at once (exit code 1): the disk is on fire")
        await proxy.client.leave()
        assert 0 == await proxy.code()


async def test_nonsense_ends_it_with_a_line(home: Home) -> None:
    """A stream that is no language client cannot be followed; the reason stands on standard error."""
    proxy = home.spawn(
        [sys.executable, "-P", "-m", "codeassistd", "lsp", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = await asyncio.to_thread(proxy.communicate, b"hello\r\n\r\n")
    assert (b"", 1) == (out, proxy.returncode)
    assert b"codeassistd: cannot understand the editor: a message without a Content-Length header\n" == err


def test_it_loads_only_the_standard_library_and_ours(home: Home) -> None:
    """An editor holds one proxy per window, so nothing heavy may be in it, not even behind a lazy import."""
    look = """
import sys
from codeassistd.daemon import launcher, link, proxy
from codeassistd.daemon.editor_state import EditorState
EditorState().note("textDocument/didOpen",
    {"textDocument": {"uri": "file:///a", "languageId": "c", "version": 1, "text": ""}}, b"")
allowed = sys.stdlib_module_names | {"codeassistd", "__main__", "__mp_main__", "sitecustomize", "usercustomize"}
strangers = {name.partition(".")[0] for name in sys.modules} - allowed
print(sorted(name for name in strangers if not name.startswith(("_", "distutils"))))
print(sorted({"asyncio", "codeassistd.config", "codeassistd.clock"} & sys.modules.keys()))
"""
    run = subprocess.run(
        [sys.executable, "-P", "-c", look], env=home.environ, capture_output=True, check=True, text=True
    )
    assert "[]\n[]\n" == run.stdout
