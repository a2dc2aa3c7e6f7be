"""With the cache and without it the same text is shown, whatever was kept before."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.completing import cursor
from tests.support.proposing import proposing

#: The model's answer depends on what was imported last, far above the cursor.
IMPORTS = ("import os\n", "import re\n", "import os\nimport re\n", "")
HEADS = ("total = ", "    total = ", "count = ")
ANSWERS = st.lists(
    st.sampled_from(["sum(items)\n", "sum(costs)\n", "sum(items) + 1\n", "0\n", "x\n", ""]), min_size=4, max_size=4
)
STEPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=8)
CODE = "def area(width, height):\n    return width * height\n\n\n"


def model(answers: list[str]) -> FakeBackend:
    os_only, re_only, both, neither = answers
    return FakeBackend(
        FakeScript(
            (
                Rule("import os\nimport re\n", both),
                Rule("import os\n", os_only),
                Rule("import re\n", re_only),
            ),
            neither,
        )
    )


async def shown(answers: list[str], steps: list[tuple[int, int]], max_mb: int) -> tuple[list[str | None], int]:
    """What was shown at each step, and how many tokens were confirmed."""
    with tempfile.TemporaryDirectory() as folder:
        async with proposing(model(answers), Path(folder) / "s", max_mb) as bench:
            texts: list[str | None] = []
            n_confirmed = 0
            for n_import, n_head in steps:
                # Another file each time, so that nothing is kept for the very same question.
                path = f"/home/ada/shop/f{len(texts)}.py"
                source = f"{IMPORTS[n_import]}{CODE}{HEADS[n_head]}|\n\nprint(1)\n"
                text, span = await bench.complete(cursor(source, path=path, eagerness="always"))
                texts.append(text)
                n_confirmed += span.n_confirmed
            return texts, n_confirmed


@settings(max_examples=25, deadline=None)
@given(ANSWERS, STEPS)
def test_no_text_depends_on_the_cache(answers: list[str], steps: list[tuple[int, int]]) -> None:
    """Right proposals, wrong ones, and ones that are right for a while."""
    with_cache, _ = asyncio.run(shown(answers, steps, 16))
    without, n_confirmed = asyncio.run(shown(answers, steps, 0))
    assert (without, 0) == (with_cache, n_confirmed)


def test_the_promise_is_not_empty() -> None:
    """In such a session there are proposals, confirmed in part and in whole."""
    answers = ["sum(items)\n", "sum(costs)\n", "sum(items) + 1\n", "0\n"]
    texts, n_confirmed = asyncio.run(shown(answers, [(0, 0), (1, 0), (0, 0), (2, 0)], 16))
    assert ["sum(items)", "sum(costs)", "sum(items)", "sum(items) + 1"] == texts
    assert n_confirmed >= 4 + 4 + 10
