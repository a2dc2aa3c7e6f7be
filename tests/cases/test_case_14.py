"""Case 14: missing or unfit replace range."""

from __future__ import annotations

import random
from pathlib import Path

from codeassistd.testing.fake_script import Rule
from codeassistd.testing.lsp_client import INVOKED
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
#: What models answer: one word, a call, several lines, other scripts.
_ANSWERS = ("1", "a + b", "compute(x, y)", "[\n    1,\n    2,\n]", '"日本語"', "'😀'", "{'key': value}", "lambda: None")


async def test_every_item_is_new_text_with_an_empty_range_at_the_cursor(tmp_path: Path) -> None:
    """100 answers, in lines with and without text after the cursor: 100 pass."""
    rng = random.Random(14)
    rules = [Rule.after(f"v{index} = ", rng.choice(_ANSWERS)) for index in range(100)]
    after = ["", ")", " + 1", "  # a note", ", 😀"]
    lines = [f"v{index} = {rng.choice(after)}" for index in range(100)]
    text = "".join(f"{line}\n" for line in lines)
    n_items = 0
    async with lsp_daemon(tmp_path, *rules) as running, running.editor() as client:
        client.open(URI, text)
        for line in range(100):
            place = {"line": line, "character": len(f"v{line} = ")}
            # By hand, since typing keeps silent where code stands behind the cursor.
            for item in await client.complete(URI, line, place["character"], trigger_kind=INVOKED):
                n_items += 1
                assert {"start": place, "end": place} == item["range"]
                span = running.daemon.spans.last()
                assert span is not None
                assert [span.id] == item["command"]["arguments"]
                assert item["insertText"].strip()
                assert lines[line] not in item["insertText"]
    assert 100 == n_items
