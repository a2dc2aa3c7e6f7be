"""Case 66: logs that keep the source."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.testing.lsp_client import LspClient, LspError
from tests.support.processes import Home

pytestmark = pytest.mark.slow

CANARY = "CANARY_7F3A"
URI = f"file:///w/{CANARY}.py"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    # The widest umask: what is private is so because we say it.
    before = os.umask(0)
    made = Home(tmp_path / "home")
    made.root.mkdir()
    yield made
    made.close()
    os.umask(before)


async def type_canary(client: LspClient) -> None:
    """100 requests in a document full of the canary, and some that go wrong with it."""
    client.open(URI, f"{CANARY} = '{CANARY}'\ntotal = ")
    for number in range(100):
        client.insert(URI, 1, 0, f"{CANARY}{number}\n")
        await client.complete(URI, number + 2, 8)
    client.notify("textDocument/didChange", {"textDocument": {"uri": URI, "version": "x"}, "contentChanges": CANARY})
    client.insert(URI, 0, 0, CANARY)
    for method, params in (("textDocument/inlineCompletion", {"position": CANARY}), (CANARY, {"text": CANARY})):
        with contextlib.suppress(LspError):
            await client.request(method, params)
    client.take_errors()


def modes(home: Home) -> dict[str, int]:
    """What others may do with anything of ours, by path; only what is open to them."""
    found = {}
    for path in home.root.rglob("*"):
        mode = stat.S_IMODE(path.lstat().st_mode)
        if mode & 0o077 and path.name != "script.json":
            found[str(path.relative_to(home.root))] = mode
    return found


async def test_nothing_typed_is_kept(home: Home) -> None:
    """No file of ours holds a letter of what was typed, even at the lowest log level, nor may others read any."""
    home.environ |= {"CODEASSISTD_LOG__LEVEL": "debug", "CODEASSISTD_INDEX__ENABLED": "true"}
    home.start_daemon()
    home.until_ready()
    async with home.proxy() as proxy:
        await proxy.client.initialize()
        await type_canary(proxy.client)
        assert {} == modes(home)
        await proxy.client.leave()
    home.call("stop")
    assert home.paths.log_file.stat().st_size > 0
    holders = [path for path in home.root.rglob("*") if path.is_file() and CANARY.encode() in path.read_bytes()]
    assert [] == holders


async def test_prompts_in_the_log_are_private_and_bounded(home: Home) -> None:
    """With prompts switched on the log holds them, in private files of bounded size, also after rotation."""
    home.environ |= {
        "CODEASSISTD_LOG__LEVEL": "debug",
        "CODEASSISTD_LOG__PROMPTS": "true",
        "CODEASSISTD_LOG__MAX_BYTES": "10000",
        "CODEASSISTD_LOG__BACKUPS": "2",
    }
    home.start_daemon()
    home.until_ready()
    async with home.proxy() as proxy:
        await proxy.client.initialize()
        await type_canary(proxy.client)
        await proxy.client.leave()
    logs = sorted(home.paths.log_file.parent.iterdir())
    assert ["daemon.log", "daemon.log.1", "daemon.log.2"] == [path.name for path in logs]
    assert any(CANARY in path.read_text("utf-8") for path in logs)
    assert max(path.stat().st_size for path in logs) <= 10_000
    assert {} == modes(home)
