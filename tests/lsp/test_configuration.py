"""Settings of the editor and of the workspace, live."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from codeassistd.testing.lsp_client import LspClient
from tests.support.lsp_daemon import LspDaemon, lsp_daemon

URI = "file:///w/a.py"
OFF = {"completion": {"enabled": False}}


async def suggests(client: LspClient, uri: str = URI) -> bool:
    return await client.complete(uri, 0, 0) != []


def push(client: LspClient, settings: object) -> None:
    client.notify("workspace/didChangeConfiguration", {"settings": settings})


def warnings(client: LspClient) -> list[str]:
    return [message.params["message"] for message in client.received if message.method == "window/logMessage"]


async def test_pushed_settings_hold_at_once_and_until_the_next(tmp_path: Path) -> None:
    """What is no longer in the editor's settings goes back to what the daemon has."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "")
        assert await suggests(client)
        push(client, {"codeassistd": OFF})
        assert not await suggests(client)
        push(client, {"codeassistd": {"completion.enabled": True}})
        assert await suggests(client)
        push(client, {"codeassistd": OFF})
        push(client, {})
        assert await suggests(client)


async def test_settings_of_one_editor_do_not_reach_another(tmp_path: Path) -> None:
    """Each connection has its own."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client, running.editor() as other:
        client.open(URI, "")
        other.open(URI, "")
        push(client, {"codeassistd": OFF})
        assert (False, True) == (await suggests(client), await suggests(other))


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        ({"completion": {"enabeld": True}}, "did you mean completion.enabled?"),
        ({"completion": {"max_tokens": 0}}, "whole number from 1 to 4096"),
        ({"model": {"name": "/etc/passwd"}}, "model.name cannot be set by a session"),
    ],
)
async def test_wrong_settings_are_named_once_and_change_nothing(
    tmp_path: Path, settings: dict[str, Any], warning: str
) -> None:
    """One line in the editor's log, no popup; the settings before hold on."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "")
        push(client, {"codeassistd": OFF})
        push(client, {"codeassistd": settings})
        push(client, {"codeassistd": settings})
        assert not await suggests(client)
        [told] = warnings(client)
        assert warning in told
        assert [] == [message for message in client.received if message.method == "window/showMessage"]


@pytest.mark.parametrize("options", [OFF, {"codeassistd": OFF}])
async def test_initialization_options_are_settings(tmp_path: Path, options: dict[str, Any]) -> None:
    """Flat or as a section; what the editor pushes later lies above them."""
    async with lsp_daemon(tmp_path) as running, running.editor(options=options) as client:
        client.open(URI, "")
        assert not await suggests(client)
        push(client, {"codeassistd": {"completion": {"max_tokens": 8}}})
        assert not await suggests(client)
        push(client, {"codeassistd": {"completion": {"enabled": True}}})
        assert await suggests(client)


async def test_wrong_initialization_options_do_not_refuse_the_editor(tmp_path: Path) -> None:
    """It is told, and served with the defaults."""
    async with lsp_daemon(tmp_path) as running, running.editor(options={"completion": {"x": 1}}) as client:
        client.open(URI, "")
        assert await suggests(client)
        assert 1 == len(warnings(client))


async def test_an_editor_that_can_be_asked_is_asked(tmp_path: Path) -> None:
    """At the start, and again when it says that something changed."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        answers: list[Any] = [OFF, None]
        client.replies["workspace/configuration"] = lambda _params: [answers.pop(0)]
        await client.initialize(capabilities={"workspace": {"configuration": True}})
        asked = await client.wait_for("workspace/configuration")
        assert {"items": [{"section": "codeassistd"}]} == asked
        client.open(URI, "")
        await until(running, client, suggesting=False)
        push(client, None)
        await until(running, client, suggesting=True)
        assert [] == answers


async def test_a_section_that_is_pushed_is_not_asked_for(tmp_path: Path) -> None:
    """Empty too: the very next request is answered by it, and nobody is asked first."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        client.replies["workspace/configuration"] = lambda _params: [OFF]
        await client.initialize(capabilities={"workspace": {"configuration": True}})
        client.open(URI, "")
        await until(running, client, suggesting=False)
        push(client, {"codeassistd": {}})
        assert await suggests(client)
        assert 1 == len([message for message in client.received if message.method == "workspace/configuration"])


async def until(running: LspDaemon, client: LspClient, *, suggesting: bool) -> None:
    session = running.daemon.sessions[0]
    await running.until(lambda: session.settings.completion.enabled is suggesting)
    assert suggesting is await suggests(client)


@pytest.mark.parametrize("reply", [None, lambda _params: 7, lambda _params: []])
async def test_an_editor_that_answers_nonsense_is_served_all_the_same(tmp_path: Path, reply: Any) -> None:
    """It refuses, or gives no list, or an empty one: the daemon's settings hold."""
    async with lsp_daemon(tmp_path) as running, running.connect() as client:
        if reply is not None:
            client.replies["workspace/configuration"] = reply
        await client.initialize(capabilities={"workspace": {"configuration": True}})
        await client.wait_for("workspace/configuration")
        client.open(URI, "")
        assert await suggests(client)


async def test_a_workspaces_file_holds_in_that_workspace_only(tmp_path: Path) -> None:
    """Two folders of one editor may differ; files outside of any have the daemon's settings."""
    quiet, plain = tmp_path / "quiet", tmp_path / "plain"
    for root in (quiet, plain):
        root.mkdir()
    (quiet / ".codeassistd.toml").write_text("[completion]\nenabled = false\n")
    uris = [(root / "a.py").as_uri() for root in (quiet, plain, tmp_path)]
    async with lsp_daemon(tmp_path / "home") as running, running.editor(quiet) as client:
        client.notify(
            "workspace/didChangeWorkspaceFolders",
            {"event": {"added": [{"uri": plain.as_uri(), "name": "plain"}], "removed": []}},
        )
        for uri in uris:
            client.open(uri, "")
        assert [False, True, True] == [await suggests(client, uri) for uri in uris]


async def test_a_workspaces_file_takes_effect_when_it_is_saved(tmp_path: Path) -> None:
    """A mistake in it is told and leaves what held before."""
    file, uri = tmp_path / ".codeassistd.toml", (tmp_path / "a.py").as_uri()
    async with lsp_daemon(tmp_path / "home") as running, running.editor(tmp_path) as client:
        client.open(uri, "")
        assert await suggests(client, uri)
        file.write_text("[completion]\nenabled = false\n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
        assert not await suggests(client, uri)
        file.write_text("[completion]\nenabled = maybe\n")
        client.notify("textDocument/didSave", {"textDocument": {"uri": file.as_uri()}})
        assert not await suggests(client, uri)
        [told] = warnings(client)
        assert str(file) in told


async def test_a_workspaces_file_takes_effect_whoever_changes_it(tmp_path: Path) -> None:
    """Without a word from the editor, within a second; so does its end."""
    file, uri = tmp_path / ".codeassistd.toml", (tmp_path / "a.py").as_uri()
    async with lsp_daemon(tmp_path / "home") as running, running.editor(tmp_path) as client:
        client.open(uri, "")
        assert await suggests(client, uri)
        file.write_text("[completion]\nenabled = false\n")
        assert await suggests(client, uri)
        await running.clock.advance(1.0)
        assert not await suggests(client, uri)
        file.unlink()
        await running.clock.advance(1.0)
        assert await suggests(client, uri)


async def test_a_mistake_in_a_workspaces_file_is_told_once(tmp_path: Path) -> None:
    """What held before holds on, however often somebody asks; the next good file counts."""
    file, uri = tmp_path / ".codeassistd.toml", (tmp_path / "a.py").as_uri()
    file.write_text("[completion]\nenabled = false\n")
    async with lsp_daemon(tmp_path / "home") as running, running.editor(tmp_path) as client:
        client.open(uri, "")
        file.write_text("[completion]\nenabled = perhaps\n")
        for _ in range(3):
            await running.clock.advance(1.0)
            assert not await suggests(client, uri)
        [told] = warnings(client)
        assert str(file) in told
        assert "line 2: not valid TOML" in told
        file.write_text("[completion]\nenabled = true\n")
        await running.clock.advance(1.0)
        assert await suggests(client, uri)


async def test_folders_come_and_go(tmp_path: Path) -> None:
    """The daemon knows which workspaces are open; one that is renamed stays open."""

    def folder(root: Path) -> dict[str, str]:
        return {"uri": root.as_uri(), "name": root.name}

    first, second = tmp_path / "first", tmp_path / "second"
    async with lsp_daemon(tmp_path / "home") as running, running.editor(first) as client:
        event = {"added": [folder(second), folder(first)], "removed": [folder(first)]}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        await client.request("codeassistd/status")
        assert [first, second] == running.daemon.sessions[0].roots
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder(first)]}})
        await client.request("codeassistd/status")
        assert [second] == running.daemon.sessions[0].roots
