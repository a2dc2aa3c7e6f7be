"""The clients of a load against a server that is played: whatever it does, each request has one fate."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from codeassistd.bench.keystrokes import make_script
from codeassistd.bench.load.actors import Actor, Background, Chatter, Recorder, Typing
from codeassistd.bench.load.asked import Asked, Fate, Kind, Phase
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.lsp_client import LspClient

ITEM = {"items": [{"insertText": "x"}]}
NOTHING: dict[str, Any] = {"items": []}
CONTENT = "".join(f"line {number}\n" for number in range(20))
SCRIPTS = [make_script(Path(f"/w/{name}.py"), "python", CONTENT, 3, 1) for name in "ab"]
PATIENCE_S = 60.0


class Played:
    """A server at the other end of a client's streams, which answers by a function."""

    def __init__(self, answer: Callable[[Played, dict[str, Any]], None]) -> None:
        self.reader = asyncio.StreamReader()
        self.heard: list[dict[str, Any]] = []
        self._answer = answer

    def write(self, data: bytes) -> None:
        message = json.loads(data.partition(b"\r\n\r\n")[2])
        self.heard.append(message)
        self._answer(self, message)

    def close(self) -> None:
        self.reader.feed_eof()

    def send(self, **message: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.reader.feed_data(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def piece(self, token: str, text: str) -> None:
        self.send(method="$/progress", params={"token": token, "value": {"kind": "delta", "text": text}})

    def methods(self) -> list[str]:
        return [message["method"] for message in self.heard]


class Scene:
    """An actor, its client, and the server that it talks to."""

    def __init__(self, client: LspClient, server: Played) -> None:
        self.client = client
        self.server = server
        self.clock = FakeClock()
        self.asked: list[Asked] = []
        self.recorder = Recorder(self.clock, self.asked.append, PATIENCE_S)
        self.stop = asyncio.Event()

    async def act(self, actor: Actor, seconds: float) -> list[Fate]:
        """Have it work for so long; answers the fates of its requests."""
        acting = asyncio.ensure_future(actor.act(Phase.LOAD, self.stop))
        await self.clock.advance(seconds)
        self.stop.set()
        await self.clock.advance(0)
        await asyncio.wait_for(acting, 30)
        return [one.fate for one in self.asked]


@contextlib.asynccontextmanager
async def playing(answer: Callable[[Played, dict[str, Any]], None]) -> AsyncIterator[Scene]:
    server = Played(answer)
    async with LspClient(server.reader, cast("asyncio.StreamWriter", server)) as client:
        yield Scene(client, server)
        client.take_errors()


def items(*results: dict[str, Any]) -> Callable[[Played, dict[str, Any]], None]:
    """Answers completions by these results, one after the other, and nothing behind the last."""
    left = list(results)

    def answer(server: Played, message: dict[str, Any]) -> None:
        if message["method"] == "textDocument/inlineCompletion" and left:
            server.send(id=message["id"], result=left.pop(0))

    return answer


async def test_a_typist_types_a_key_and_waits_for_its_answer() -> None:
    """A key at most every interval, one request under way at a time, and the next script behind the last key."""
    async with playing(items(*[ITEM, NOTHING] * 9)) as scene:
        fates = await scene.act(Typing(scene.client, scene.recorder, SCRIPTS, 0.2), 0.65)

        assert [Fate.ANSWERED, Fate.EMPTY, Fate.ANSWERED, Fate.EMPTY] == fates
        change = ["textDocument/didChange", "textDocument/inlineCompletion"]
        turn = ["textDocument/didClose", "textDocument/didOpen"]
        assert ["textDocument/didOpen", *change * 3, *turn, *change] == scene.server.methods()
        assert {Kind.TYPING} == {one.kind for one in scene.asked}
        assert [1, 2, 3, 1] == [one.nth for one in scene.asked]


async def test_a_reply_that_never_comes_is_lost_and_ends_its_client() -> None:
    """After the patience of the plan, and the others go on."""
    async with playing(items(ITEM)) as scene:
        fates = await scene.act(Typing(scene.client, scene.recorder, SCRIPTS, 0.2), 2 * PATIENCE_S)

        assert [Fate.ANSWERED, Fate.LOST] == fates
        assert 1000 * PATIENCE_S == pytest.approx(scene.asked[-1].total_ms)


async def test_a_reply_that_comes_twice_is_counted() -> None:
    """The client keeps what nobody has asked for."""

    def twice(server: Played, message: dict[str, Any]) -> None:
        if message["method"] == "textDocument/inlineCompletion":
            server.send(id=message["id"], result=ITEM)
            server.send(id=message["id"], result=ITEM)

    async with playing(twice) as scene:
        await scene.act(Typing(scene.client, scene.recorder, SCRIPTS, 0.2), 0.1)

        assert 1 == scene.client.n_surplus


async def test_an_end_of_the_connection_is_no_reply() -> None:
    """What was under way then is lost."""

    def hang_up(server: Played, message: dict[str, Any]) -> None:
        if message["method"] == "textDocument/inlineCompletion":
            server.close()

    async with playing(hang_up) as scene:
        assert [Fate.LOST] == await scene.act(Typing(scene.client, scene.recorder, SCRIPTS, 0.2), 1.0)


async def test_a_background_client_opens_asks_and_closes() -> None:
    """One long document after the other, asked by hand."""
    async with playing(items(ITEM, ITEM)) as scene:
        actor = Background(scene.client, scene.recorder, SCRIPTS)
        fates = await scene.act(actor, PATIENCE_S)

        assert [Fate.ANSWERED, Fate.ANSWERED, Fate.LOST] == fates
        turn = ["textDocument/didOpen", "textDocument/inlineCompletion", "textDocument/didClose"]
        assert turn * 3 == scene.server.methods()
        assert 1 == scene.server.heard[1]["params"]["context"]["triggerKind"]


async def test_a_chat_is_timed_by_its_pieces_and_taken_back_at_the_end() -> None:
    """Its first answer is read to the end, the second one is what stands at the end."""

    def chat(server: Played, message: dict[str, Any]) -> None:
        if message["method"] == "codeassistd/chat":
            token = message["params"]["partialResultToken"]
            for text in ("a", "b", "c"):
                server.piece(token, text)
            if token == "question-1":
                server.piece("somebody-else", "x")
                server.send(id=message["id"], result={"text": "abc"})
        elif message["method"] == "$/cancelRequest":
            server.send(id=message["params"]["id"], error={"code": -32800, "message": "taken back"})

    async with playing(chat) as scene:
        actor = Chatter(scene.client, scene.recorder, iter("xy"), [Path("/w/a.py"), Path("/w/b.py")], 3)
        fates = await scene.act(actor, 1.0)

        assert [Fate.ANSWERED, Fate.TAKEN_BACK] == fates
        assert [3, 3] == [one.n_pieces for one in scene.asked]
        asked = [message["params"] for message in scene.server.heard if message["method"] == "codeassistd/chat"]
        assert ["file:///w/a.py", "file:///w/b.py", "file:///w/a.py"] == asked[0]["files"]
        assert ["x", "y"] == [params["session"] for params in asked]


async def test_a_refused_chat_is_no_lost_one() -> None:
    """The server said that it will not."""

    def refuse(server: Played, message: dict[str, Any]) -> None:
        if message["method"] == "codeassistd/chat":
            server.send(id=message["id"], error={"code": -32803, "message": "no model"})
            scene.stop.set()

    async with playing(refuse) as scene:
        assert [Fate.REFUSED] == await scene.act(
            Chatter(scene.client, scene.recorder, iter("x"), [Path("/w/a.py")], 1), 0
        )
