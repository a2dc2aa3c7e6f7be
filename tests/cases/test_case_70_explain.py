"""Case 70: one project's text in another (the half of what is kept to explain requests)."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from tests.support.lsp_daemon import lsp_daemon


async def test_texts_behind_requests_go_with_their_workspace(tmp_path: Path) -> None:
    """They are there while the workspace is open, never in what is told without being asked for, and gone after it."""
    root = tmp_path / "a"
    root.mkdir()
    async with lsp_daemon(tmp_path, default="canary + 1") as running, running.editor(root) as client:
        uri = (root / "a.py").as_uri()
        client.open(uri, "canary = 1\ntotal = ")
        [item] = await client.complete(uri, 1, 8)
        [span_id] = item["command"]["arguments"]
        stories, span = running.daemon.completion.stories, running.daemon.spans.find(span_id)
        assert "canary" in repr(stories.find(span_id))
        assert span is not None
        assert "canary" not in repr(asdict(span))
        explained = await client.request("codeassistd/explain", {"id": span_id})
        assert "canary" not in repr(explained)
        removed = {"event": {"added": [], "removed": [{"uri": root.as_uri(), "name": "a"}]}}
        client.notify("workspace/didChangeWorkspaceFolders", removed)
        await client.request("codeassistd/status")
        assert None is stories.find(span_id)
