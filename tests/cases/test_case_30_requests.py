"""Case 30, as an editor meets it: a file of 1.5 MB on one line holds up neither itself nor the file beside it."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest

from codeassistd.testing.fake_script import Rule
from codeassistd.testing.lsp_client import LspClient
from tests.support.lsp_daemon import lsp_daemon

HUGE, SMALL = "file:///w/huge.js", "file:///w/small.py"
LINE = "var a=[" + "1,2,3;f(x)," * 136_000
#: Ten times what a user would bear, in processor time: what else the machine does says nothing about us.
_DEADLINE_S, _DELAY_S = 20.0, 1.0


async def both(client: LspClient, character: int) -> tuple[list[object], list[object], float, float]:
    """The items of both files, asked for at the same moment, and the processor seconds until each came."""
    begun = time.process_time()

    async def ask(uri: str, column: int) -> tuple[list[object], float]:
        items = await client.complete(uri, 0, column)
        return list(items), time.process_time() - begun

    (huge, huge_s), (small, small_s) = await asyncio.gather(ask(HUGE, character), ask(SMALL, 8))
    return huge, small, huge_s, small_s


@pytest.mark.parametrize("character", [len(LINE), len(LINE) // 2, 7])
async def test_both_files_are_answered(tmp_path: Path, character: int) -> None:
    """The huge one from a window round the cursor or not at all, the other one as if it were alone."""
    async with lsp_daemon(tmp_path, Rule.after("total = ", "a + b")) as running, running.editor() as client:
        client.open(HUGE, LINE, "javascript")
        client.open(SMALL, "total = ")
        huge, small, huge_s, small_s = await both(client, character)
        assert ["a + b"] == [item["insertText"] for item in small if isinstance(item, dict)]
        assert len(huge) <= 1
        assert max(map(len, running.backend.prompts)) < 20_000
        assert (huge_s < _DEADLINE_S, small_s < _DELAY_S) == (True, True)


async def test_a_key_in_it_holds_up_nothing(tmp_path: Path) -> None:
    """Ten keys in the huge file, and a request in the other one behind each."""
    async with lsp_daemon(tmp_path, Rule.after("total = ", "a + b")) as running, running.editor() as client:
        client.open(HUGE, LINE, "javascript")
        client.open(SMALL, "total = ")
        for number in range(10):
            client.insert(HUGE, 0, len(LINE) + number, "1")
            _, small, _, small_s = await both(client, len(LINE) + number + 1)
            assert len(small) == 1
            assert small_s < _DELAY_S
