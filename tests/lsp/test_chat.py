"""Questions over the protocol: streamed, kept, taken back, and answered exactly once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from codeassistd.config import IndexSettings, ModelSettings, Settings
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from codeassistd.testing.lsp_client import LspClient, LspError
from tests.support.lsp_daemon import lsp_daemon

TOKEN = "answer-1"
CANCELLED, FAILED, INVALID = -32800, -32803, -32602


def told(client: LspClient) -> str:
    return "".join(
        message.params["value"]["text"]
        for message in client.received
        if message.method == "$/progress" and message.params["token"] == TOKEN
    )


def question(text: str, **more: object) -> Mapping[str, object]:
    return {"text": text, "partialResultToken": TOKEN, **more}


async def test_an_answer_is_streamed_and_then_given_as_a_whole(tmp_path: Path) -> None:
    """The pieces make up the text; the one warning says that the model has no chat template."""
    async with lsp_daemon(tmp_path, default="Use a set.") as running, running.editor(tmp_path) as client:
        reply: dict[str, Any] = await client.request("codeassistd/chat", question("How do I drop duplicates?"))
        assert "Use a set." == reply["text"]
        assert "Use a set." == told(client)
        assert ("default", 1, "stop", []) == (reply["session"], reply["turn"], reply["ended"], reply["parts"])
        assert 0 == reply["n_cached"] < reply["n_prompt"]
        [warning] = reply["warnings"]
        assert warning.startswith("the model has no chat template")
        again = await client.request("codeassistd/chat", question("And in order?"))
        assert (2, []) == (again["turn"], again["warnings"])
        assert again["n_cached"] >= reply["n_prompt"]
        assert running.backend.prompts[-1].endswith(
            "User:\nHow do I drop duplicates?\n\nAssistant:\nUse a set.\n\nUser:\nAnd in order?\n\nAssistant:\n"
        )


async def test_conversations_are_listed_opened_and_deleted(tmp_path: Path) -> None:
    """Each by its name, in the editor's workspace alone."""
    async with lsp_daemon(tmp_path, default="Yes.") as running, running.editor(tmp_path / "w") as client:
        await client.request("codeassistd/chat", {"text": "Is it so?", "session": "first"})
        await client.request("codeassistd/chat", {"text": "And this?", "session": "second"})
        await client.request("codeassistd/chat", {"text": "And that?", "session": "second"})
        listed = await client.request("codeassistd/chat/list", {})
        assert [("second", 2), ("first", 1)] == [(one["session"], one["n_turns"]) for one in listed["sessions"]]
        opened = await client.request("codeassistd/chat/open", {"session": "second"})
        assert [
            {"turn": 1, "role": "user", "text": "And this?", "is_cut": False},
            {"turn": 1, "role": "assistant", "text": "Yes.", "is_cut": False},
            {"turn": 2, "role": "user", "text": "And that?", "is_cut": False},
            {"turn": 2, "role": "assistant", "text": "Yes.", "is_cut": False},
        ] == opened["turns"]
        async with running.editor(tmp_path / "elsewhere") as other:
            assert {"sessions": []} == await other.request("codeassistd/chat/list", {})
        assert {} == await client.request("codeassistd/chat/delete", {"session": "second"})
        assert {"session": "second", "turns": []} == await client.request(
            "codeassistd/chat/open", {"session": "second"}
        )
        listed = await client.request("codeassistd/chat/list", {})
        assert ["first"] == [one["session"] for one in listed["sessions"]]


async def test_a_conversation_survives_a_restart(tmp_path: Path) -> None:
    """What was said stands in the next daemon's prompt, token by token, so that its saved prefix is brought back."""
    async with lsp_daemon(tmp_path, default="8443.") as running, running.editor(tmp_path) as client:
        first = await client.request("codeassistd/chat", {"text": "Which port?"})
    async with lsp_daemon(tmp_path, default="As said.") as running, running.editor(tmp_path) as client:
        reply = await client.request("codeassistd/chat", {"text": "Which was it?"})
        assert 2 == reply["turn"]
        assert reply["n_cached"] >= first["n_prompt"]
        assert "User:\nWhich port?\n\nAssistant:\n8443.\n\nUser:\nWhich was it?" in running.backend.prompts[-1]


async def test_a_conversation_that_is_deleted_leaves_nothing_in_the_cache(tmp_path: Path) -> None:
    """Neither in the engine, nor, after it has ended, on the disk: saved prompts are what was said in other words."""
    kv = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)}).kv_dir
    async with lsp_daemon(tmp_path, default="8443.") as running, running.editor(tmp_path) as client:
        for session in ("goes", "stays"):
            await client.request("codeassistd/chat", {"text": f"{session}: which port?" * 4, "session": session})
    assert 2 == len(list(kv.glob("*.kv")))
    async with lsp_daemon(tmp_path, default="8443.") as running, running.editor(tmp_path) as client:
        assert {} == await client.request("codeassistd/chat/delete", {"session": "goes"})
        assert 1 == len(list(kv.glob("*.kv")))
        await client.request("codeassistd/chat", {"text": "a secret of ours, to be forgotten" * 4, "session": "new"})
        assert {} == await client.request("codeassistd/chat/delete", {"session": "new"})
        # The engine tells how it is after its turn, and may be a moment behind its answer.
        await running.until(lambda: running.daemon.engine.status().cells_used == 0)
    assert 1 == len(list(kv.glob("*.kv")))


async def test_an_answer_that_is_taken_back_is_kept_as_far_as_it_was_said(tmp_path: Path) -> None:
    """The request ends with the protocol's code, and the next question goes on from what the user saw."""
    backend = FakeBackend(FakeScript((Rule("long", "one two three four " * 30),), "Fine."))
    # Without guesses a step writes one letter, so so many steps do not come to the end of it.
    settings = Settings(index=IndexSettings(enabled=False), model=ModelSettings(max_draft=0))
    async with (
        lsp_daemon(tmp_path, backend=backend, settings=settings) as running,
        running.editor(tmp_path) as client,
    ):
        backend.hold(after=60)
        pending = client.start("codeassistd/chat", question("a long story"))
        await client.wait_for("$/progress")
        await running.until(lambda: not backend.step_gate.is_set())
        client.cancel(pending)
        with pytest.raises(LspError) as error:
            await pending.result()
        assert CANCELLED == error.value.code
        backend.step_gate.set()
        said = told(client)
        opened = await client.request("codeassistd/chat/open", {})
        assert [("a long story", False), (said.strip(), True)] == [
            (turn["text"], turn["is_cut"]) for turn in opened["turns"]
        ]
        assert (await client.request("codeassistd/chat", question("and now?")))["turn"] == 2
        assert running.daemon.engine.status().n_running == 0


async def test_one_question_at_a_time_in_one_conversation(tmp_path: Path) -> None:
    """The second is refused in one line, and another conversation is free to go on."""
    backend = FakeBackend(FakeScript(default="Fine."))
    async with lsp_daemon(tmp_path, backend=backend) as running, running.editor(tmp_path) as client:
        backend.step_gate.clear()
        first = client.start("codeassistd/chat", {"text": "one"})
        await running.until(lambda: bool(running.daemon.engine.status().n_running or backend.stepping.is_set()))
        with pytest.raises(LspError) as error:
            await client.request("codeassistd/chat", {"text": "two"})
        assert FAILED == error.value.code
        assert "this conversation is answering another question; wait, or cancel that" == error.value.message
        other = client.start("codeassistd/chat", {"text": "two", "session": "other"})
        backend.step_gate.set()
        answers = await asyncio.gather(first.result(), other.result())
        assert ["Fine.", "Fine."] == [answer["text"] for answer in answers]


@pytest.mark.parametrize(
    ("params", "problem"),
    [
        ({}, "text must be a text"),
        ({"text": "x", "session": ""}, "session must be a name"),
        ({"text": "x", "session": "a\nb"}, "session must be a name"),
        ({"text": "x", "files": "a"}, "files must be a list"),
        ({"text": "x", "files": ["untitled:1"]}, "files must be uris of files on this machine"),
        ({"text": "x", "selection": {}}, "a selection needs its textDocument"),
        ({"text": "x", "textDocument": {"uri": "file:///a"}, "selection": {"start": 1}}, "selection must be"),
        ({"text": "x", "outputs": [{"command": "make"}]}, "text must be a text"),
        ({"text": "x", "partialResultToken": True}, "partialResultToken must be a number or a text"),
        ([], "params must be an object"),
    ],
)
async def test_malformed_questions_are_refused_with_what_is_wrong(tmp_path: Path, params: object, problem: str) -> None:
    """In one line, once, and without a word of the question in it."""
    async with lsp_daemon(tmp_path) as running, running.editor(tmp_path) as client:
        with pytest.raises(LspError) as error:
            await client.request("codeassistd/chat", params)
        assert INVALID == error.value.code
        assert error.value.message.startswith(problem)
        assert [] == running.backend.prompts


async def test_an_empty_question_is_refused(tmp_path: Path) -> None:
    """Blanks ask nothing."""
    async with lsp_daemon(tmp_path) as running, running.editor(tmp_path) as client:
        with pytest.raises(LspError, match="the question is empty") as error:
            await client.request("codeassistd/chat", {"text": " \n"})
        assert {"exitCode": 2} == error.value.data
        assert [] == running.backend.prompts
        assert ("ready", "") == running.daemon.state()


async def test_a_model_that_cannot_be_loaded_is_told(tmp_path: Path) -> None:
    """With the cause, and the request is over."""
    backend = FakeBackend(load_error="the file is cut off at 90 %; pull it again")
    backend.load_gate.clear()
    async with lsp_daemon(tmp_path, backend=backend) as running, running.editor(tmp_path) as client:
        backend.load_gate.set()
        await running.until(lambda: running.daemon.state()[0] == "error")
        with pytest.raises(LspError, match="the file is cut off at 90 %; pull it again"):
            await client.request("codeassistd/chat", {"text": "hello?"})


async def test_a_workspace_and_an_editor_set_how_long_answers_may_be(tmp_path: Path) -> None:
    """What is set for conversations there holds from the next question on; the editor lies over the workspace."""
    root = tmp_path / "w"
    root.mkdir()
    (root / ".codeassistd.toml").write_text("[chat]\nmax_tokens = 16\n", encoding="utf-8")
    # The scripted model writes one letter with each token.
    async with lsp_daemon(tmp_path, default="x" * 40) as running, running.editor(root) as client:
        short = await client.request("codeassistd/chat", {"text": "How long?"})
        assert ("length", 16) == (short["ended"], len(short["text"]))
        settings = {"codeassistd": {"chat": {"max_tokens": 24}}}
        client.notify("workspace/didChangeConfiguration", {"settings": settings})
        longer = await client.request("codeassistd/chat", {"text": "And now?"})
        assert ("length", 24) == (longer["ended"], len(longer["text"]))
