"""What the user is busy with, as an editor tells it: snoozes, snippets, pastes, ignored files, and the history."""

from __future__ import annotations

import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from codeassistd.completion.history.record import Fate
from codeassistd.completion.history.store import HistoryStore
from codeassistd.documents.uri import uri_of
from codeassistd.testing.fake_script import Rule
from codeassistd.testing.lsp_client import INVOKED, LspClient, LspError
from codeassistd_lsp.moments import BY_HAND_S, RECHECK_S, WAIT_S
from tests.lsp.test_notebooks import CODE, cell_uri, change_book, open_book, typed
from tests.support.lsp_daemon import LspDaemon, lsp_daemon

URI = "file:///w/a.py"
SNOOZE = "codeassistd.snooze"
RULE = Rule.after("x = ", "41 + 1")


async def command(client: LspClient, name: str, *arguments: object) -> Any:
    return await client.request("workspace/executeCommand", {"command": name, "arguments": list(arguments)})


def insert(line: int, character: int, text: str) -> dict[str, object]:
    place = {"line": line, "character": character}
    return {"range": {"start": place, "end": place}, "text": text}


def reason(running: LspDaemon) -> str:
    span = running.daemon.spans.last()
    return span.reason if span is not None else ""


@pytest.fixture
def git_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """A rule names `named.py`, and git says only once this is set that it does not ignore the file."""
    (tmp_path / ".gitignore").write_text("named.py\n", encoding="utf-8")
    answers = threading.Event()
    monkeypatch.setattr("codeassistd_lsp.moments.is_ignored", lambda *_file: not answers.wait(30))
    return answers


async def test_a_snooze_of_one_editor_holds_for_all(tmp_path: Path) -> None:
    """Nothing comes by itself until it is over; by hand it does; status and the state's detail tell of it."""
    async with lsp_daemon(tmp_path, RULE) as running, running.editor() as one, running.editor() as other:
        other.open(URI, "x = ")
        assert {"snoozed_s": 600.0} == await command(one, SNOOZE, 10)
        assert [] == await other.complete(URI, 0, 4)
        assert "snoozed for another 10 min (`codeassistd snooze --off` ends it)" == reason(running)
        assert 1 == len(await other.complete(URI, 0, 4, trigger_kind=INVOKED))
        assert (600.0, ("ready", "snoozed for 10 min")) == (
            running.daemon.status()["snoozed_s"],
            running.daemon.state(),
        )
        await running.clock.advance(600)
        assert 1 == len(await other.complete(URI, 0, 4))
        await command(one, SNOOZE)
        assert 1800.0 == running.daemon.snooze.left_s
        await command(one, SNOOZE, 0)
        assert 1 == len(await other.complete(URI, 0, 4))


@pytest.mark.parametrize("minutes", ["ten", -1, 1441, True, None])
async def test_a_wrong_snooze_is_refused(tmp_path: Path, minutes: object) -> None:
    """With what is right."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        with pytest.raises(LspError, match="minutes from 0 to 1440"):
            await command(client, SNOOZE, minutes)


async def test_in_a_snippet_nothing_comes_by_itself(tmp_path: Path) -> None:
    """From the editor's word to its next."""
    async with lsp_daemon(tmp_path, RULE) as running, running.editor() as client:
        client.open(URI, "x = ")
        client.notify("codeassistd/snippet", {"active": True})
        assert [] == await client.complete(URI, 0, 4)
        assert "a snippet is being filled in" == reason(running)
        client.notify("codeassistd/snippet", {"active": False})
        assert 1 == len(await client.complete(URI, 0, 4))
        client.notify("codeassistd/snippet", {"active": "yes"})
        assert 1 == len(await client.complete(URI, 0, 4))


async def test_after_a_paste_it_waits_for_a_key(tmp_path: Path) -> None:
    """One letter later it is there again."""
    async with lsp_daemon(tmp_path, RULE) as running, running.editor() as client:
        client.open(URI, "")
        client.change(URI, insert(0, 0, "a = 1\nb = 2\nx ="))
        assert [] == await client.complete(URI, 2, 3)
        assert "right after a paste or a large deletion, until the next key" == reason(running)
        client.change(URI, insert(2, 3, " "))
        assert 1 == len(await client.complete(URI, 2, 4))


async def test_in_ignored_files_nothing_is_suggested(tmp_path: Path) -> None:
    """Until the rules change: at once where the editor saves them, else within half a minute."""
    root = tmp_path / "shop"
    root.mkdir()
    rules = root / ".gitignore"
    rules.write_text("made.py\n", encoding="utf-8")
    uri = uri_of(root / "made.py")
    async with lsp_daemon(tmp_path, RULE) as running, running.editor(root) as client:
        client.open(uri, "x = ")
        assert [] == await client.complete(uri, 0, 4)
        assert "git ignores the file (completion.ignored_files)" == reason(running)
        rules.write_text("", encoding="utf-8")
        client.notify("textDocument/didSave", {"textDocument": {"uri": uri_of(rules)}})
        await until_shown(client, uri)
        rules.write_text("made.py\n", encoding="utf-8")
        await running.clock.advance(RECHECK_S)
        await client.complete(uri, 0, 4)
        assert 0 == len(await until_silent(client, uri))


async def test_a_git_that_hangs_silences_only_what_a_rule_names(tmp_path: Path, git_answers: threading.Event) -> None:
    """Elsewhere nobody waits for it; there it is shown as soon as git has said that it tracks the file."""
    named, plain = uri_of(tmp_path / "named.py"), uri_of(tmp_path / "plain.py")
    async with lsp_daemon(tmp_path, RULE) as running, running.editor(tmp_path) as client:
        client.open(named, "x = ")
        client.open(plain, "x = ")
        asked = client.start_completion(named, 0, 4)
        assert 1 == len(await client.complete(plain, 0, 4))
        assert not asked.done
        await running.clock.advance(WAIT_S)
        assert {"items": []} == await asked.result()
        assert "it is not known yet whether git ignores the file" == reason(running)
        git_answers.set()
        await until_shown(client, named)


async def test_a_request_by_hand_waits_longer_for_git(tmp_path: Path, git_answers: threading.Event) -> None:
    """A script asks once, right after it has opened the file, and wants an answer rather than a quick nothing."""
    named = uri_of(tmp_path / "named.py")
    async with lsp_daemon(tmp_path, RULE) as running, running.editor(tmp_path) as client:
        client.open(named, "x = ")
        asked = client.start_completion(named, 0, 4, trigger_kind=INVOKED)
        await client.request("codeassistd/status", {})
        await running.clock.advance(WAIT_S)
        await client.request("codeassistd/status", {})
        assert not asked.done
        git_answers.set()
        assert 1 == len((await asked.result())["items"])


async def test_a_request_by_hand_does_not_wait_for_ever(tmp_path: Path, git_answers: threading.Event) -> None:
    """Then it says why nothing came."""
    named = uri_of(tmp_path / "named.py")
    async with lsp_daemon(tmp_path, RULE) as running, running.editor(tmp_path) as client:
        client.open(named, "x = ")
        asked = client.start_completion(named, 0, 4, trigger_kind=INVOKED)
        while not asked.done:
            # Once more where the request has not begun to wait yet.
            await running.clock.advance(BY_HAND_S)
        assert {"items": []} == await asked.result()
        assert "it is not known yet whether git ignores the file" == reason(running)
        git_answers.set()


async def test_an_accepted_suggestion_is_in_the_history(tmp_path: Path) -> None:
    """From the editor's edit and its command to a row on the disk, over two sessions; `status` names the gate."""
    async with lsp_daemon(tmp_path, RULE) as running:
        for _ in range(2):
            async with running.editor() as client:
                client.open(URI, "x = ")
                [item] = await client.complete(URI, 0, 4)
                client.change(URI, insert(0, 4, item["insertText"]))
                await command(client, "codeassistd.accepted", *item["command"]["arguments"])
        gate = running.daemon.status()["gate"]
        path = running.daemon.paths.history_file
    assert isinstance(gate, dict)
    assert ("learned", "constants", "") == (gate["asked"], gate["effective"], gate["problem"])
    with closing(HistoryStore.open(path)) as store:
        assert [(Fate.ACCEPTED, 1.0, "python")] * 2 == [(row.fate, row.taken, row.language) for row in store.newest()]


async def test_in_a_notebook_cells_are_followed_too(tmp_path: Path) -> None:
    """Where a cell is completed behind the cells before it, its changes are seen there as well."""
    async with lsp_daemon(tmp_path, RULE) as running, running.editor() as client:
        open_book(client, (CODE, "python", "import os\n"), (CODE, "python", "x = "))
        [item] = await client.complete(cell_uri(2), 0, 4)
        change_book(client, 2, textContent=[typed(2, 2, 0, 4, item["insertText"])])
        await client.request("codeassistd/status", {})
        path = running.daemon.paths.history_file
    with closing(HistoryStore.open(path)) as store:
        assert [(Fate.ACCEPTED, 1.0)] == [(row.fate, row.taken) for row in store.newest()]


async def until_shown(client: LspClient, uri: str) -> None:
    while not await client.complete(uri, 0, 4):
        pass


async def until_silent(client: LspClient, uri: str) -> list[Any]:
    while items := await client.complete(uri, 0, 4):
        pass
    return items
