"""Case 5: cursor at or past the end of the file."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.metrics.spans import Outcome
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"


@pytest.mark.parametrize(
    ("text", "line", "character", "expected"),
    [
        ("x = 1", 0, 5, "x = 1"),
        ("x = 1\n", 1, 0, "x = 1\n"),
        ("x = 1\ny", 7, 99, "x = 1\ny"),
        ("x = 1\ny\n", 0, 99, "x = 1"),
        ("", 0, 0, ""),
        ("", 3, 3, ""),
        ("\r\n", 0, 5, ""),
        ("\r\n", 1, 0, "\r\n"),
    ],
)
async def test_the_place_is_clamped_to_the_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, text: str, line: int, character: int, expected: str
) -> None:
    """Each is answered, from the nearest place that exists, and nothing is an error."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        prefixes = running.record_prefixes(monkeypatch)
        client.open(URI, text)
        await client.complete(URI, line, character)
        assert [expected] == prefixes
        span = running.daemon.spans.last()
        assert span is not None
        assert span.outcome is not Outcome.ERROR


async def test_deleting_on_the_last_row(tmp_path: Path) -> None:
    """Down to nothing and once more, with a question after each step."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "a\nbc")
        for start, end in [((1, 1), (1, 2)), ((1, 0), (1, 1)), ((0, 1), (1, 0)), ((0, 0), (0, 1)), ((0, 0), (0, 1))]:
            places = [{"line": line, "character": character} for line, character in (start, end)]
            client.change(URI, {"range": {"start": places[0], "end": places[1]}, "text": ""})
            await client.complete(URI, *start)
        [document] = running.daemon.sessions[0].documents.all()
        assert "" == str(document.text)
