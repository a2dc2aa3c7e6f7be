"""Questions through a real proxy, whose daemon may die under them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.testing.lsp_client import LspError
from tests.support.processes import Home

pytestmark = pytest.mark.slow

SCRIPT = {"default": " ".join(f"chapter {number}" for number in range(100)), "step_s": 0.02}
FAILED = -32803


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


async def test_a_daemon_that_dies_ends_the_question_in_one_line(home: Home) -> None:
    """The question is not asked again by itself, and the next one is answered by the next daemon."""
    command = home.serve_command(SCRIPT)
    async with home.proxy(command) as proxy:
        client = proxy.client
        await client.initialize()
        pending = client.start("codeassistd/chat", {"text": "Tell me a story.", "partialResultToken": "t"})
        await client.wait_for("$/progress", lambda params: params["token"] == "t")
        home.serve_command({"default": "Short."})
        os.kill(home.daemon_pid(), signal.SIGKILL)
        with pytest.raises(LspError) as error:
            await pending.result()
        assert (FAILED, "the daemon ended before it could answer") == (error.value.code, error.value.message)
        reply = await client.request("codeassistd/chat", {"text": "And now?"})
        assert (1, "Short.") == (reply["turn"], reply["text"])
