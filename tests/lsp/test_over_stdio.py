"""The road of a real editor: two proxies on their standard streams, one daemon process behind them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Home

URI = "file:///w/a.py"
SCRIPT = {
    "rules": [{"after": "left = ", "answer": "'é😀'"}, {"after": "right = ", "answer": "2"}],
    "default": "",
}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.mark.slow
async def test_two_editors_share_a_daemon_and_nothing_else(home: Home) -> None:
    """Each has its own text, its own settings and its own end; letters beyond ASCII arrive whole."""
    home.start_daemon(SCRIPT)
    home.until_ready()
    async with home.proxy() as left, home.proxy() as right:
        for editor, text in ((left, "# 日本\nleft = "), (right, "# 日本\nright = ")):
            await editor.client.initialize()
            editor.client.open(URI, text)
            await editor.status("ready")
        [item] = await left.client.complete(URI, 1, 7)
        assert "'é😀'" == item["insertText"]
        [item] = await right.client.complete(URI, 1, 8)
        assert "2" == item["insertText"]
        off = {"codeassistd": {"completion": {"enabled": False}}}
        left.client.notify("workspace/didChangeConfiguration", {"settings": off})
        assert [] == await left.client.complete(URI, 1, 7)
        await left.client.leave()
        assert 0 == await left.code()
        assert 1 == len(await right.client.complete(URI, 1, 8))
