"""Case 77: slow model blocks the editor (the proxy's half: the editor is served before there is a daemon)."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Home

pytestmark = pytest.mark.slow

URI = "file:///w/a.py"

#: A daemon that does nothing until a file appears, and then becomes the real one.
_LATE = """
import os, sys, time
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
os.execv(sys.argv[2], sys.argv[2:])
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


async def test_the_editor_is_served_before_the_daemon(home: Home) -> None:
    """The daemon comes up only when the test says so: until then everything is answered, afterwards items come."""
    gate = home.root / "gate"
    async with home.proxy([sys.executable, "-c", _LATE, str(gate), *home.serve_command()]) as proxy:
        result = await proxy.client.initialize()
        assert result["capabilities"]["inlineCompletionProvider"]
        proxy.client.open(URI, "total = ")
        await proxy.status("starting")
        for _ in range(5):
            assert [] == await proxy.client.complete(URI, 0, 8)
        assert not home.paths.socket_file.exists()
        gate.touch()
        await proxy.status("ready")
        assert 1 == len(await proxy.client.complete(URI, 0, 8))
        await proxy.client.leave()


async def test_shutdown_before_the_daemon(home: Home) -> None:
    """The editor can leave while the daemon is still on its way up."""
    gate = home.root / "gate"
    async with home.proxy([sys.executable, "-c", _LATE, str(gate), sys.executable, "-c", ""]) as proxy:
        await proxy.client.initialize()
        await proxy.client.leave()
        assert 0 == await proxy.code()
    # What was on its way up is let go, so that nothing is left waiting behind the test.
    gate.touch()
