"""The chat service on a scripted model: it looks ahead, gives way, forgets on demand, and tells what goes wrong."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from codeassistd.chat.conversation import ConversationKey
from codeassistd.chat.open_chat import OpenChat
from codeassistd.chat.store import ChatStore
from codeassistd.chat.turn import Turn
from codeassistd.config import ChatSettings, IndexSettings, Settings
from codeassistd.errors import DecodeError, StoreError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from codeassistd.testing.lsp_client import LspClient, LspError
from tests.support.lsp_daemon import LspDaemon, lsp_daemon
from tests.support.waiting import SAFETY_S

KEEPING_MINUTES = Rule(
    r"keep the minutes.*Assistant:\n\Z", "Requirements:\n- (turn 1) port 8443 it is\nDecisions:\nConstraints:\n"
)

LONG = "Since each of these files is read once, and what was read of it stays, nobody has to wait for the disk again."


@contextlib.asynccontextmanager
async def scene(tmp_path: Path, **chat: Any) -> AsyncIterator[tuple[LspDaemon, LspClient]]:
    """An editor and a model that answers `Yes.`, and keeps minutes in its own words."""
    backend = FakeBackend(FakeScript((KEEPING_MINUTES,), "Yes."), free_grammars=True)
    settings = Settings(index=IndexSettings(enabled=False), chat=ChatSettings(**chat))
    async with lsp_daemon(tmp_path, backend=backend, settings=settings) as running, running.editor() as client:
        yield running, client


def chat_of(running: LspDaemon) -> OpenChat:
    return running.daemon.chat._open[ConversationKey("", "default")]


async def kept(running: LspDaemon) -> tuple[Turn, ...]:
    """What stands on the disk by now."""
    conversation = await running.daemon.chat._archive.load(ConversationKey("", "default"))
    assert conversation is not None
    return conversation.turns


async def ask(running: LspDaemon, client: LspClient, text: str) -> dict[str, Any]:
    """Ask, and let the daemon finish what it does for the conversation."""
    reply: dict[str, Any] = await client.request("codeassistd/chat", {"text": text})
    await running.until(lambda: chat_of(running).upkeep is None)
    return reply


async def test_a_window_that_fills_up_is_summarised_by_the_model_ahead_of_the_question(tmp_path: Path) -> None:
    """In its own words, in front of the window; and the next question finds the new beginning in the cache."""
    async with scene(tmp_path, kv_tokens=1400) as (running, client):
        await ask(running, client, "The port must be 8443. " + "x" * 200)
        for _ in range(3):
            await ask(running, client, "And then? " + "x" * 100)
        memory = chat_of(running).conversation.memory
        assert ("model", ["port 8443 it is"]) == (memory.author, [entry.text for entry in memory.summary.entries])
        reply = await ask(running, client, "Which port?")
        prompt = running.backend.prompts[-1]
        assert "Requirements:\n- (turn 1) port 8443 it is\n" in prompt
        assert "x" * 200 not in prompt
        assert reply["n_prompt"] - reply["n_cached"] < 40
        [status] = running.daemon.status()["chat"]["conversations"]  # type: ignore[index]
        assert ("model", 5, False) == (status["summary_by"], status["n_turns"], status["is_summarising"])
        assert status["n_cells"] <= status["n_cells_most"] == 1400


async def test_no_turn_ever_takes_more_than_the_budget(tmp_path: Path) -> None:
    """Over fifty turns; and what was said first is still in the prompt."""
    async with scene(tmp_path, kv_tokens=1400, summary="extract") as (running, client):
        await ask(running, client, "The port must be 8443.")
        for number in range(49):
            await ask(running, client, f"And step {chr(97 + number % 26)}? " + "x" * (number * 37 % 300))
            assert chat_of(running).n_cells <= 1400
        assert "The port must be 8443." in running.backend.prompts[-1]
        assert running.daemon.engine.status().n_failed == 0


async def test_a_question_never_waits_for_a_summary(tmp_path: Path) -> None:
    """It stops the model's, and the extract speaks where the room is needed."""
    async with scene(tmp_path, kv_tokens=1400) as (running, client):
        running.backend.script = FakeScript((Rule(KEEPING_MINUTES.pattern, "Requirements:\n" * 99),), "Yes.")
        for text in ("The port must be 8443. ", "And then? ", "And then? ", "And then? ", "Which port?"):
            reply = await client.request("codeassistd/chat", {"text": text + "x" * 150})
            assert "Yes." == reply["text"]
        await running.until(lambda: chat_of(running).upkeep is None)
        memory = chat_of(running).conversation.memory
        assert "extract" == memory.author
        assert "The port must be 8443." in {entry.text for entry in memory.summary.entries}


async def test_an_engine_that_fails_is_told_and_what_was_said_is_kept(tmp_path: Path) -> None:
    """The request ends in one error, and the conversation goes on."""
    async with scene(tmp_path) as (running, client):
        running.backend.script = FakeScript(default="a long answer")
        running.backend.fail_step(DecodeError("the memory is broken"), after=6)
        with pytest.raises(LspError, match="the memory is broken"):
            await client.request("codeassistd/chat", {"text": "Why?"})
        opened = await client.request("codeassistd/chat/open", {})
        said = [turn["text"] for turn in opened["turns"]]
        assert "Why?" == said[0]
        assert "a long answer".startswith(said[1])
        assert said[1]
        assert "a long answer" == (await client.request("codeassistd/chat", {"text": "Again?"}))["text"]


async def test_a_prompt_goes_to_the_model_that_it_was_made_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one would read other words in its tokens."""
    async with scene(tmp_path) as (running, client):
        service, engine = running.daemon.chat, running.daemon.engine
        beside = service._beside

        async def then_reload(work: Callable[[], object]) -> object:
            done, vocabulary = await beside(work), engine.vocabulary
            engine.reload(FakeBackend(FakeScript(default="Yes.")).load)
            await running.until(lambda: engine.vocabulary is not vocabulary)
            return done

        with monkeypatch.context() as patched:
            patched.setattr(service, "_beside", then_reload)
            with pytest.raises(LspError, match="another model was loaded meanwhile; ask again"):
                await client.request("codeassistd/chat", {"text": "Why?"})
        assert "Yes." == (await client.request("codeassistd/chat", {"text": "Why?"}))["text"]


async def test_a_disk_in_trouble_costs_the_keeping_alone(tmp_path: Path) -> None:
    """The answer comes, with one line that says why it is not kept."""
    async with scene(tmp_path) as (running, client):
        path = running.daemon.paths.chat_file
        path.parent.parent.mkdir(parents=True, exist_ok=True)
        path.parent.write_text("no folder", encoding="utf-8")
        reply = await client.request("codeassistd/chat", {"text": "Why?"})
        assert "Yes." == reply["text"]
        assert any("the conversation is not kept: " in warning for warning in reply["warnings"])
        assert running.daemon.status()["chat"]["problem"]  # type: ignore[index]


async def test_what_could_not_be_read_is_not_written_over(tmp_path: Path) -> None:
    """What is said while the store is locked stands beside it in memory alone, and the user is told so each time."""
    async with scene(tmp_path) as (running, client):
        await ask(running, client, "What was first?")
        running.daemon.chat._open.clear()
        archive = running.daemon.chat._archive._thread
        await asyncio.wrap_future(archive.ask(lambda _: archive._let_go()))
        path, archive._path = archive._path, tmp_path
        assert [] == (await client.request("codeassistd/chat/open", {}))["turns"]
        reply = await ask(running, client, "What is second?")
        archive._path = path
        assert any("the conversation is not kept: " in warning for warning in reply["warnings"])
        await client.request("codeassistd/chat/list", {})
        reply = await ask(running, client, "What is third?")
        assert "the conversation is not kept: what was said in it before could not be read" in reply["warnings"][0]
        running.daemon.chat._open.clear()
        opened = await client.request("codeassistd/chat/open", {})
        assert ["What was first?", "Yes."] == [turn["text"] for turn in opened["turns"]]


async def test_a_conversation_is_read_as_soon_as_it_can_be(tmp_path: Path) -> None:
    """As long as nothing was said in it meanwhile."""
    async with scene(tmp_path) as (running, client):
        await ask(running, client, "What was first?")
        running.daemon.chat._open.clear()
        archive = running.daemon.chat._archive._thread
        await asyncio.wrap_future(archive.ask(lambda _: archive._let_go()))
        path, archive._path = archive._path, tmp_path
        assert [] == (await client.request("codeassistd/chat/open", {}))["turns"]
        archive._path = path
        assert 2 == (await ask(running, client, "And now?"))["turn"]
        assert chat_of(running).is_kept


async def test_what_a_full_disk_did_not_take_is_kept_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The answer itself tells what is wrong with the disk, and the first one that it takes brings all of it there."""
    full = "the store of conversations is full"

    def refused(*_arguments: object) -> None:
        raise StoreError(full)

    async with scene(tmp_path) as (running, client):
        await ask(running, client, "One?")
        with monkeypatch.context() as patch:
            patch.setattr(ChatStore, "put", refused)
            assert f"the conversation is not kept: {full}" in (await ask(running, client, "Two?"))["warnings"]
        reply = await ask(running, client, "Three?")
        assert (3, []) == (reply["turn"], reply["warnings"])
    async with scene(tmp_path) as (running, client):
        opened = await client.request("codeassistd/chat/open", {})
        assert ["One?", "Two?", "Three?"] == [turn["text"] for turn in opened["turns"] if turn["role"] == "user"]


async def test_a_conversation_that_answers_cannot_be_deleted(tmp_path: Path) -> None:
    """The user is told to wait, or to cancel."""
    async with scene(tmp_path) as (running, client):
        running.backend.step_gate.clear()
        pending = client.start("codeassistd/chat", {"text": "Why?"})
        await running.until(running.backend.stepping.is_set)
        with pytest.raises(LspError, match="cannot be deleted"):
            await client.request("codeassistd/chat/delete", {})
        running.backend.step_gate.set()
        assert "Yes." == (await pending.result())["text"]
        assert {} == await client.request("codeassistd/chat/delete", {})
        assert [] == (await client.request("codeassistd/chat/open", {}))["turns"]


async def test_an_editor_that_goes_away_takes_its_question_back(tmp_path: Path) -> None:
    """Nothing runs on for nobody."""
    async with scene(tmp_path) as (running, client):
        running.backend.step_gate.clear()
        async with running.editor() as other:
            other.start("codeassistd/chat", {"text": "Why?", "session": "other"})
            await running.until(running.backend.stepping.is_set)
        running.backend.step_gate.set()
        await running.until(lambda: running.daemon.engine.status().n_running == 0)
        assert "Yes." == (await client.request("codeassistd/chat", {"text": "So?", "session": "other"}))["text"]


async def test_each_question_has_a_span(tmp_path: Path) -> None:
    """With its figures, and no word of it."""
    async with scene(tmp_path) as (running, client):
        reply = await client.request("codeassistd/chat", {"text": "Why?", "outputs": [{"command": "x", "text": "y"}]})
        span = running.daemon.spans.last()
        assert span is not None
        assert ("chat", "shown", reply["n_prompt"], ["output"]) == (
            span.trigger,
            span.outcome.value,
            span.n_prompt,
            [part.name for part in span.parts],
        )


async def test_a_question_is_on_the_disk_while_it_is_answered(tmp_path: Path) -> None:
    """With what was said by then, in so many words as a few seconds ago, and marked as cut short until it is over."""
    async with scene(tmp_path) as (running, client):
        running.backend.script = FakeScript(default=LONG)
        running.backend.hold(after=8)
        pending = client.start("codeassistd/chat", {"text": "Why?"})
        await running.until(lambda: not running.backend.step_gate.is_set())
        [begun] = await kept(running)
        assert ("Why?", "", True) == (begun.asked, begun.said, begun.is_cut)
        await running.clock.advance(5.0)
        running.backend.hold(after=8)
        running.backend.step_gate.set()
        await running.until(lambda: not running.backend.step_gate.is_set())
        async with asyncio.timeout(SAFETY_S):
            while not (half := (await kept(running))[0]).said:
                pass
        assert LONG.startswith(half.said)
        assert half.is_cut
        running.backend.step_gate.set()
        await pending.result()
        [done] = await kept(running)
        assert (LONG, False) == (done.said, done.is_cut)


async def test_a_question_that_got_no_word_is_asked_again_in_its_own_place(tmp_path: Path) -> None:
    """The prompt shows it once, and so does the conversation; another question comes behind it."""
    async with scene(tmp_path) as (running, client):
        await ask(running, client, "First?")
        for text in ("Why?", "Why?"):
            running.backend.step_gate.clear()
            pending = client.start("codeassistd/chat", {"text": text})
            await running.until(lambda: running.daemon.engine.status().n_running == 1)
            client.cancel(pending)
            with contextlib.suppress(LspError):
                await pending.result()
            running.backend.step_gate.set()
            await running.until(lambda: running.daemon.engine.status().n_running == 0)
        assert 2 == (await ask(running, client, "Why?"))["turn"]
        assert 1 == running.backend.prompts[-1].count("Why?")
        assert 3 == (await ask(running, client, "Why?"))["turn"]
        assert ["First?", "Why?", "Why?"] == [turn.asked for turn in await kept(running)]


async def test_a_long_question_finds_room_and_its_beginning_read(tmp_path: Path) -> None:
    """As long as it is no longer than those before: the room is made after an answer, not before a question."""
    async with scene(tmp_path, kv_tokens=1400, summary="extract") as (running, client):
        for number in range(8):
            reply = await ask(running, client, f"And step {chr(97 + number)}? " + "x" * 175)
            # The question and the template round it; the first one reads the instructions, too.
            assert number == 0 or reply["n_prompt"] - reply["n_cached"] < 250
        assert chat_of(running).conversation.memory.through > 0


async def test_a_conversation_is_told_once_that_a_model_has_no_template(tmp_path: Path) -> None:
    """Not with each pipe or window that asks in it, and not anew by the next daemon."""
    said = []
    for _ in range(2):
        async with scene(tmp_path) as (running, client), running.editor() as other:
            for asking, session in ((client, "a"), (other, "a"), (other, "b")):
                reply = await asking.request("codeassistd/chat", {"text": "Why?", "session": session})
                said.append(len(reply["warnings"]))
    assert [1, 0, 1, 0, 0, 0] == said


async def test_an_answer_of_nothing_is_told(tmp_path: Path) -> None:
    """Else it looks as if the question got lost."""
    async with scene(tmp_path) as (running, client):
        running.backend.script = FakeScript(default="")
        reply = await ask(running, client, "Still there?")
        assert ("", "the model said nothing; ask in other words") == (reply["text"], reply["warnings"][-1])
