"""Suggestions as an entry of the completion menu, for editors without inline completion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codeassistd.config import CompletionSettings, IndexSettings, Settings
from codeassistd.daemon.capabilities import initialize_result
from codeassistd.testing.fake_script import Rule
from codeassistd.testing.lsp_client import LspClient, LspError, Pending
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
REGISTERS = {"textDocument": {"completion": {"dynamicRegistration": True}}}
DRAWS_INLINE = {"textDocument": {"completion": {"dynamicRegistration": True}, "inlineCompletion": {}}}
ASKS = {"completion": {"menu": True}}
ON = Settings(index=IndexSettings(enabled=False), completion=CompletionSettings(menu=True))
NOTHING_YET = {"isIncomplete": True, "items": []}
NOTHING = {"isIncomplete": False, "items": []}
REGISTER, UNREGISTER = "client/registerCapability", "client/unregisterCapability"


def start(client: LspClient, line: int, character: int, trigger_kind: int = 1, uri: str = URI) -> Pending:
    """Ask for the menu's entries, by default as Helix does: invoked."""
    params = {
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": character},
        "context": {"triggerKind": trigger_kind},
    }
    return client.start("textDocument/completion", params)


async def ask(client: LspClient, line: int, character: int) -> Any:
    return await start(client, line, character).result()


def taking(client: LspClient) -> LspClient:
    """The same client, which takes registrations."""
    client.replies |= {REGISTER: lambda _params: None, UNREGISTER: lambda _params: None}
    return client


def registrations(client: LspClient) -> list[str]:
    return [message.method for message in client.received if message.method in {REGISTER, UNREGISTER}]


@pytest.mark.parametrize("options", [ASKS, {"codeassistd": ASKS}])
@pytest.mark.parametrize("capabilities", [{}, REGISTERS])
async def test_an_editor_that_asks_at_the_start_is_told_in_the_answer(
    tmp_path: Path, options: dict[str, object], capabilities: dict[str, object]
) -> None:
    """By the proxy and the server alike, and never a second time by a registration."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        result = await client.initialize(capabilities=capabilities, options=options)
        assert {"triggerCharacters": [".", "="]} == result["capabilities"]["completionProvider"]
        assert initialize_result({"capabilities": capabilities, "initializationOptions": options}) == result
        client.open(URI, "x = ")
        assert 1 == len((await ask(client, 0, 4))["items"])
        assert [] == registrations(client)


@pytest.mark.parametrize(
    "options",
    [None, 7, {}, {"completion": 7}, {"completion": {"menu": False}}, {"completion": {"menu": "yes"}}],
)
def test_nobody_else_is_told(options: object) -> None:
    """Most editors draw inline, and would show a suggestion twice."""
    result = initialize_result({"capabilities": REGISTERS, "initializationOptions": options})
    capabilities = result["capabilities"]
    assert isinstance(capabilities, dict)
    assert "completionProvider" not in capabilities


async def test_a_setting_is_told_by_a_registration(tmp_path: Path) -> None:
    """What the user's file says reaches an editor that can be told later, with the same triggers."""
    async with lsp_daemon(tmp_path, settings=ON) as running, running.connect() as client:
        result = await taking(client).initialize(capabilities=REGISTERS)
        assert "completionProvider" not in result["capabilities"]
        [one] = (await client.wait_for(REGISTER))["registrations"]
        assert ("textDocument/completion", [".", "="]) == (one["method"], one["registerOptions"]["triggerCharacters"])
        client.open(URI, "x = ")
        assert 1 == len((await ask(client, 0, 4))["items"])


async def test_the_registration_comes_and_goes_with_the_editors_setting(tmp_path: Path) -> None:
    """Once for each change, however often the editor says the same; each has an id of its own."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        await taking(client).initialize(capabilities=REGISTERS)
        ids = []
        for is_on in (True, True, False, False, True):
            client.notify(
                "workspace/didChangeConfiguration", {"settings": {"codeassistd": {"completion": {"menu": is_on}}}}
            )
            await client.request("codeassistd/status")
        await client.request("codeassistd/status")
        assert [REGISTER, UNREGISTER, REGISTER] == registrations(client)
        for message in client.received:
            if message.method in {REGISTER, UNREGISTER}:
                [one] = message.params.get("registrations") or message.params["unregisterations"]
                ids.append(one["id"])
        assert ids[0] == ids[1] != ids[2]


async def test_an_editor_that_draws_inline_is_not_told_of_a_setting(tmp_path: Path) -> None:
    """The user's file holds for all editors, and is meant for those that cannot draw."""
    async with lsp_daemon(tmp_path, settings=ON) as running, running.connect() as client:
        await taking(client).initialize(capabilities=DRAWS_INLINE)
        await client.request("codeassistd/status")
        assert [] == registrations(client)


async def test_an_editor_that_cannot_be_told_later_says_so_in_its_log(tmp_path: Path) -> None:
    """A setting without an effect would be a riddle."""
    async with lsp_daemon(tmp_path, settings=ON) as running, running.editor() as client:
        said = await client.wait_for("window/logMessage")
        assert 2 == said["type"]
        assert said["message"].startswith("codeassistd: completion.menu is on, but this editor can be told")


async def test_an_editor_that_refuses_goes_on(tmp_path: Path) -> None:
    """A refused registration is told in the log, and is no failure."""
    async with lsp_daemon(tmp_path, settings=ON) as running, running.editor(capabilities=REGISTERS) as client:
        said = await client.wait_for("window/logMessage")
        assert "codeassistd: the editor refused to take suggestions into its completion menu" == said["message"]
        client.open(URI, "x = ")
        assert 1 == len(await client.complete(URI, 0, 4))


async def test_an_entry_is_new_text_at_the_cursor_and_tells_when_it_is_taken(tmp_path: Path) -> None:
    """It replaces nothing, is last and not selected, and begins like the typed word, so that no editor drops it."""
    async with lsp_daemon(tmp_path, Rule.after("pr", "int(y)")) as running, running.editor(options=ASKS) as client:
        client.open(URI, "y = 0\npr")
        answer = await ask(client, 1, 2)
        span = running.daemon.spans.last()
        assert span is not None
        place = {"line": 1, "character": 2}
        entry = {
            "label": "print(y)",
            "kind": 1,
            "detail": "codeassistd",
            "preselect": False,
            "sortText": "~~~~",
            "filterText": "print(y)",
            "insertTextFormat": 1,
            "insertTextMode": 1,
            "textEdit": {"range": {"start": place, "end": place}, "newText": "int(y)"},
            "command": {"title": "Suggestion accepted", "command": "codeassistd.accepted", "arguments": [span.id]},
        }
        assert {"isIncomplete": True, "items": [entry]} == answer
        assert not span.accepted
        await client.request("workspace/executeCommand", entry["command"])
        assert span.accepted


async def test_a_block_is_named_by_its_first_line_and_shown_whole_beside(tmp_path: Path) -> None:
    """An entry's label is one line; its documentation is the text as it would stand there."""
    text = "\n    b = a\n    return b"
    rule = Rule.after("def f(a):", text + "\n\n\nx")
    async with lsp_daemon(tmp_path, rule) as running, running.editor(options=ASKS) as client:
        client.open(URI, "def f(a):")
        [entry] = (await ask(client, 0, 9))["items"]
        shown = ("b = a …", "b = a", text, text, 15)
        assert shown == (
            entry["label"],
            entry["filterText"],
            entry["documentation"],
            entry["textEdit"]["newText"],
            entry["kind"],
        )


async def test_a_long_line_is_cut_in_the_label_alone(tmp_path: Path) -> None:
    """Menus are narrow."""
    text = "alpha + beta * gamma - delta / epsilon + zeta * eta - theta / iota"
    options = {"completion": {"menu": True, "max_tokens": 200}}
    async with lsp_daemon(tmp_path, Rule.after("x = ", text)) as running, running.editor(options=options) as client:
        client.open(URI, "x = ")
        [entry] = (await ask(client, 0, 4))["items"]
        assert (text[:60].rstrip() + " …", text) == (entry["label"], entry["documentation"])
        assert (text, text) == (entry["filterText"], entry["textEdit"]["newText"])


@pytest.mark.parametrize("trigger_kind", [1, 2, 3])
async def test_every_request_keeps_to_the_rules_of_silence(tmp_path: Path, trigger_kind: int) -> None:
    """Helix calls what it asks by itself invoked, so that word opens nothing."""
    async with lsp_daemon(tmp_path) as running, running.editor(options=ASKS) as client:
        client.open(URI, "x = ")
        await client.request("workspace/executeCommand", {"command": "codeassistd.snooze", "arguments": [5]})
        assert NOTHING_YET == await start(client, 0, 4, trigger_kind).result()
        await client.request("workspace/executeCommand", {"command": "codeassistd.snooze", "arguments": [0]})
        assert 1 == len((await start(client, 0, 4, trigger_kind).result())["items"])
        assert "automatic" == (await client.request("codeassistd/explain", {}))["trigger"]


async def test_without_an_entry_the_list_is_empty(tmp_path: Path) -> None:
    """Never null; and one that is not open, or was not asked for, is empty for good."""
    async with lsp_daemon(tmp_path, default="") as running:
        async with running.editor(options=ASKS) as client:
            client.open(URI, "x = ")
            assert NOTHING_YET == await ask(client, 0, 4)
            assert NOTHING == await start(client, 0, 0, uri="file:///w/not_open.py").result()
        async with running.editor() as client:
            client.open(URI, "x = ")
            assert NOTHING == await ask(client, 0, 4)


async def test_a_newer_request_empties_the_older_one_at_once(tmp_path: Path) -> None:
    """Some editors never cancel; an emptied answer is incomplete, so the editor does not keep it."""
    async with lsp_daemon(tmp_path) as running, running.editor(options=ASKS) as client:
        client.open(URI, "x = ")
        running.backend.step_gate.clear()
        older = start(client, 0, 4)
        await running.until(running.backend.stepping.is_set)
        newer = start(client, 0, 4)
        assert NOTHING_YET == await older.result()
        assert not newer.done
        running.backend.step_gate.set()
        assert 1 == len((await newer.result())["items"])


async def test_a_cancelled_request_is_answered(tmp_path: Path) -> None:
    """With the protocol's own word for it."""
    async with lsp_daemon(tmp_path) as running, running.editor(options=ASKS) as client:
        client.open(URI, "x = ")
        running.backend.step_gate.clear()
        pending = start(client, 0, 4)
        await running.until(running.backend.stepping.is_set)
        client.cancel(pending)
        with pytest.raises(LspError) as caught:
            await pending.result()
        assert -32800 == caught.value.code
        running.backend.step_gate.set()


async def test_a_request_sees_the_document_as_it_was_when_it_arrived(tmp_path: Path) -> None:
    """A change in the same breath comes later, also for the word that the entry begins with."""
    rules = (Rule.after("fi", "rst"), Rule.after("second", "ary"))
    async with lsp_daemon(tmp_path, *rules) as running, running.editor(options=ASKS) as client:
        client.open(URI, "fi")
        pending = start(client, 0, 2)
        client.change(URI, {"text": "second"})
        assert ["first"] == [entry["label"] for entry in (await pending.result())["items"]]
