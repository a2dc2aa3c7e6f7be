"""Opened documents are read for before the first letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.completion.types import CompletionRequest
from codeassistd_lsp.prewarm import QUIET_S
from tests.support.lsp_daemon import LspDaemon, lsp_daemon

SOURCE = "".join(f"value_{n} = {n}\n" for n in range(30))


def record(daemon: LspDaemon, monkeypatch: pytest.MonkeyPatch) -> list[CompletionRequest]:
    """What is asked to be read ahead from now on."""
    asked: list[CompletionRequest] = []
    monkeypatch.setattr(daemon.daemon.completion, "prewarm", asked.append)
    return asked


async def test_an_opened_document_is_read_after_a_pause(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For the end of a short file, whose prompt all its places begin like."""
    async with lsp_daemon(tmp_path) as daemon, daemon.editor() as editor:
        asked = record(daemon, monkeypatch)
        editor.open("file:///a.py", SOURCE)
        await editor.complete("file:///b.py", 0, 0)
        assert [] == asked
        await daemon.clock.advance(QUIET_S)
        await daemon.until(lambda: len(asked) == 1)
        assert ("file:///a.py", len(SOURCE)) == (asked[0].document.uri, asked[0].offset)
        assert daemon.daemon.sessions[0].id == asked[0].client


async def test_of_a_long_document_the_start_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Down to the start of a line."""
    async with lsp_daemon(tmp_path) as daemon, daemon.editor() as editor:
        asked = record(daemon, monkeypatch)
        editor.open("file:///a.py", SOURCE * 100)
        await editor.complete("file:///b.py", 0, 0)
        await daemon.clock.advance(QUIET_S)
        await daemon.until(lambda: len(asked) == 1)
        offset = asked[0].offset
        assert 0 < offset < len(SOURCE) * 50
        assert b"\n" == asked[0].document.text.content[offset - 1 : offset]


async def test_a_document_that_was_changed_closed_or_asked_for_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who types asks by himself, and where the cursor is known there is nothing to guess."""
    async with lsp_daemon(tmp_path) as daemon, daemon.editor() as editor:
        asked = record(daemon, monkeypatch)
        for name in "abcd":
            editor.open(f"file:///{name}.py", SOURCE)
        editor.insert("file:///a.py", 0, 0, "x")
        editor.close_document("file:///b.py")
        await editor.complete("file:///d.py", 30, 0)
        await daemon.clock.advance(QUIET_S)
        await daemon.until(lambda: len(asked) == 1)
        assert "file:///c.py" == asked[0].document.uri
