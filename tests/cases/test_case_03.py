"""Case 3: server text drifts away from editor text."""

from __future__ import annotations

import logging
import random
from pathlib import Path

import pytest

from tests.support.lsp_daemon import lsp_daemon
from tests.support.reference_text import ReferenceText

URI = "file:///w/a.py"
_PIECES = (
    "a",
    "total = ",
    "é",
    "km²",
    "日本語",
    "😀",
    "👩‍👩‍👧",
    "\r\n",
    "\n",
    "\r",
    "\n\n",
    "",
    "    ",
    "\u2028",
    "\f",
)


def random_change(rng: random.Random, reference: ReferenceText) -> dict[str, object]:
    """An edit anywhere, made on the reference too."""
    length = len(reference.units)
    first = rng.randint(0, length)
    last = min(length, first + rng.choice((0, 0, 0, 1, 2, 5)))
    start, end = reference.position_at(first), reference.position_at(last)
    text = "".join(rng.choices(_PIECES, k=rng.randint(0, 4)))
    reference.replace(start, end, text)
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"range": {"start": places[0], "end": places[1]}, "text": text}


@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_200_random_edits_keep_the_text_equal(tmp_path: Path, seed: int) -> None:
    """Emoji, CRLF, empty lines, several changes in one notification: byte for byte, after each notification."""
    rng = random.Random(seed)
    start = "# 😀 first\r\n\r\nx = 1\r\n"
    reference, n_edits = ReferenceText(start), 0
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, start)
        [session] = running.daemon.sessions
        while n_edits < 200:
            changes = [random_change(rng, reference) for _ in range(rng.randint(1, 3))]
            n_edits += len(changes)
            client.change(URI, *changes)
            await client.request("codeassistd/explain")
            document = session.documents.get(URI)
            assert document is not None
            assert reference.content == document.text.content
        assert session.documents.in_sync(URI)


async def test_a_change_that_is_not_newer_silences_its_document(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not applied, logged once, and no items until the full text has arrived; other documents go on."""
    other = "file:///w/b.py"
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x", version=5)
        client.open(other, "y")
        with caplog.at_level(logging.WARNING, "codeassistd"):
            client.change(URI, {"text": "applied twice"}, version=5)
            client.change(URI, {"text": "older still"}, version=4)
            assert [] == await client.complete(URI, 0, 1)
        [document, _] = running.daemon.sessions[0].documents.all()
        assert ("x", 5) == (str(document.text), document.version)
        assert 1 == sum("out of sync" in message for message in caplog.messages)
        assert 1 == len(await client.complete(other, 0, 1))
        client.change(URI, {"text": "the full text"}, version=6)
        assert 1 == len(await client.complete(URI, 0, 13))


async def test_typing_while_the_file_is_being_opened(tmp_path: Path) -> None:
    """The opening holds the first edit already, and that edit arrives again under the same version: no items."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "xy", version=2)
        client.change(
            URI,
            {"range": {"start": {"line": 0, "character": 1}, "end": {"line": 0, "character": 1}}, "text": "y"},
            version=2,
        )
        assert [] == await client.complete(URI, 0, 2)
        client.open(URI, "xy", version=3)
        assert 1 == len(await client.complete(URI, 0, 2))
        assert running.daemon.sessions[0].documents.in_sync(URI)
