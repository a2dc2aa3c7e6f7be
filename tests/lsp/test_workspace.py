"""The index hears of workspaces and saved files from the editors."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from codeassistd.index.overlay import Overlay
from tests.support.lsp_daemon import lsp_daemon


async def test_a_saved_file_is_told_to_the_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """File events may be late or absent; untitled buffers have no file."""
    changed: list[Path] = []
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        with monkeypatch.context() as patch:
            patch.setattr(running.daemon, "indexer", SimpleNamespace(file_changed=changed.append))
            for uri in ("file:///w/a.py", "untitled:Untitled-1"):
                client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
            await client.request("codeassistd/explain")
        assert [Path("/w/a.py")] == changed


async def test_a_workspace_is_indexed_as_long_as_an_editor_has_it_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first editor adds it, the last one removes it, whether it leaves properly or not."""
    told: list[tuple[str, Path]] = []
    async with lsp_daemon(tmp_path / "home") as running:
        with monkeypatch.context() as patch:
            indexer = SimpleNamespace(
                add_workspace=lambda root: told.append(("add", root)),
                remove_workspace=lambda root: told.append(("remove", root)),
                overlay=Overlay(),
            )
            patch.setattr(running.daemon, "state", lambda: ("ready", ""))
            patch.setattr(running.daemon, "indexer", indexer)
            async with running.editor(tmp_path) as first:
                async with running.editor(tmp_path) as second:
                    await second.leave()
                assert [("add", tmp_path)] == told
                await first.hang_up()
            await running.until(lambda: running.daemon.sessions == ())
        assert [("add", tmp_path), ("remove", tmp_path)] == told
