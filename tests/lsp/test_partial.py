"""`codeassistd/partial`: editors that can show a suggestion grow are sent it while it is written."""

from __future__ import annotations

import asyncio
from pathlib import Path

from codeassistd.testing.fake_script import Rule
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
CAN = {"experimental": {"codeassistd": {"partial": True}}}
ANSWER = "\n    b = a\n    c = b\n    return c\n\n\nx"


async def test_the_lines_come_while_the_rest_is_written(tmp_path: Path) -> None:
    """A part names the cursor that it is for as the editor did, and carries the item's id."""
    async with (
        lsp_daemon(tmp_path, Rule.after("def f(a):", ANSWER)) as running,
        running.editor(capabilities=CAN) as client,
    ):
        client.open(URI, "def f(a):", version=7)
        running.backend.hold(after=len("\n    b = a\n    c"))
        asked = asyncio.create_task(client.complete(URI, 0, 9))
        await running.until(lambda: not running.backend.step_gate.is_set())
        part = await client.wait_for("codeassistd/partial", lambda params: params["uri"] == URI)
        assert not asked.done()
        running.backend.step_gate.set()
        [item] = await asked

    assert {
        "id": item["command"]["arguments"][0],
        "uri": URI,
        "version": 7,
        "position": {"line": 0, "character": 9},
        "text": "\n    b = a",
    } == part
    assert "\n    b = a\n    c = b\n    return c" == item["insertText"]


async def test_other_editors_are_sent_none(tmp_path: Path) -> None:
    """A notification that an editor does not know would be an error in its log."""
    async with lsp_daemon(tmp_path, Rule.after("def f(a):", ANSWER)) as running, running.editor() as client:
        client.open(URI, "def f(a):")
        assert 1 == len(await client.complete(URI, 0, 9))
        assert "codeassistd/partial" not in {message.method for message in client.received}
