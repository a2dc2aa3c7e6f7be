"""Questions through a real proxy, whose daemon may die under them."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.chat.conversation import ConversationKey
from codeassistd.chat.store import ChatStore
from codeassistd.chat.turn import Turn
from codeassistd.testing.lsp_client import LspError
from tests.support.processes import Home
from tests.support.waiting import wait_for

pytestmark = pytest.mark.slow

#: Told to its end in minutes, so it is cut short whenever the daemon is killed.
SCRIPT = {"default": " ".join(f"chapter {number}" for number in range(100)), "step_s": 0.5}
FAILED = -32803


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


def kept(home: Home) -> tuple[Turn, ...]:
    """What stands on the disk, as another process reads it."""
    path = home.paths.chat_file
    if not path.exists():
        return ()
    with closing(ChatStore.open(path)) as store:
        return store.conversation(ConversationKey("", "default")).turns


async def test_a_daemon_that_dies_ends_the_question_in_one_line(home: Home) -> None:
    """It is not asked again by itself, but stands in the conversation, and the next daemon answers the next one."""
    command = home.serve_command(SCRIPT)
    async with home.proxy(command) as proxy:
        client = proxy.client
        await client.initialize()
        pending = client.start("codeassistd/chat", {"text": "Tell me a story.", "partialResultToken": "t"})
        await client.wait_for("$/progress", lambda params: params["token"] == "t")
        wait_for(lambda: kept(home) or None, "the question on the disk")
        home.serve_command({"default": "Short."})
        os.kill(home.daemon_pid(), signal.SIGKILL)
        with pytest.raises(LspError) as error:
            await pending.result()
        assert (FAILED, "the daemon ended before it could answer") == (error.value.code, error.value.message)
        question, answer = (await client.request("codeassistd/chat/open", {}))["turns"]
        assert ("Tell me a story.", True) == (question["text"], answer["is_cut"])
        assert str(SCRIPT["default"]).startswith(answer["text"])
        reply = await client.request("codeassistd/chat", {"text": "And now?"})
        assert (2, "Short.") == (reply["turn"], reply["text"])
    assert [("Tell me a story.", True), ("And now?", False)] == [(turn.asked, turn.is_cut) for turn in kept(home)]
