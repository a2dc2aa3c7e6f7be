"""Case 29: the limit holds, the near lines stay, and nothing comes in twice."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.catalogue.profile import FimOrder
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.types import Prompt
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.types import FoundChunk
from tests.support.prompts import (
    ROOT,
    VOCABULARY,
    FakeLookup,
    definition,
    facts_of,
    profile,
    prompt_of,
    request_at,
    spelled,
)

ORDERS = st.sampled_from(list(FimOrder))


@st.composite
def documents(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Lines above and below the cursor, all different, some of them definitions."""
    n_above, n_below = draw(st.integers(0, 60)), draw(st.integers(0, 60))
    kinds = ["def f{n}(a, b):", "    value{n} = a + {n}", "", "    return {n}", "LIMIT{n} = {n}", "class C{n}:"]
    picks = draw(st.lists(st.sampled_from(kinds), min_size=n_above + n_below, max_size=n_above + n_below))
    lines = [kind.format(n=number) for number, kind in enumerate(picks)]
    return lines[:n_above], lines[n_above:]


def built(above: list[str], below: list[str], order: FimOrder, max_tokens: int) -> Prompt:
    source = "\n".join([*above, "    here = there(|", *below])
    request = request_at(
        source,
        facts=facts_of(source.replace("|", "")),
        settings=ContextSettings(max_tokens=max(64, max_tokens)),
        n_max=64 + max(64, max_tokens),
    )
    return prompt_of(
        request,
        profile(order, files=True),
        definition("there", "def there(x: int) -> int", doc="Goes there."),
        definition("here", "def here() -> int"),
    )


@settings(max_examples=50, deadline=None)
@given(documents(), ORDERS, st.integers(64, 3000))
def test_prompt_and_output_never_exceed_the_context(
    document: tuple[list[str], list[str]], order: FimOrder, max_tokens: int
) -> None:
    """For every document and every limit."""
    prompt = built(*document, order, max_tokens)

    assert len(prompt.ids) <= max_tokens
    assert len(prompt.ids) == sum(part.n_tokens for part in prompt.parts)
    assert "    here = there(" in spelled(prompt)


@settings(max_examples=40, deadline=None)
@given(documents(), ORDERS, st.integers(500, 3000))
def test_the_near_lines_are_kept(document: tuple[list[str], list[str]], order: FimOrder, max_tokens: int) -> None:
    """The last ten lines above, and the first one below where the model reads what is below."""
    above, below = document
    text = spelled(built(above, below, order, max_tokens))

    assert "\n".join(above[-10:]) in text
    assert order is FimOrder.PREFIX or not below or f"\n{below[0]}" in text


@settings(max_examples=40, deadline=None)
@given(documents(), ORDERS, st.integers(200, 3000))
def test_no_run_of_lines_stands_twice(document: tuple[list[str], list[str]], order: FimOrder, max_tokens: int) -> None:
    """Three lines in a row, blank ones and comment marks aside, occur once in a prompt."""
    text = spelled(built(*document, order, max_tokens))
    lines = [line.removeprefix("# ").strip() for line in text.splitlines()]
    runs = [(one, two, three) for (one, two), (_, three) in pairwise(pairwise(line for line in lines if line))]

    assert len(set(runs)) == len(runs)


class Searched(FakeLookup):
    """An index whose search finds what a test puts into it."""

    def __init__(self, *found: FoundChunk) -> None:
        super().__init__(definition("there", "def there(x: int) -> int"))
        self.found = list(found)

    def search(self, root: Path, words: Sequence[str], asking: Path | None, limit: int) -> list[FoundChunk]:
        del root, words, asking
        return self.found[:limit]


@st.composite
def pieces(draw: st.DrawFn) -> list[str]:
    """Texts of pieces: lines of their own round a run that some of them share."""
    texts = []
    for number in range(draw(st.integers(0, 6))):
        n_shared = draw(st.integers(0, 4))
        own = [f"own_{number}_{line}(word_{number}_{line})" for line in range(draw(st.integers(1, 6)))]
        shared = [f"shared_{line} = {line}" for line in range(n_shared)]
        texts.append("".join(f"{line}\n" for line in [*own, *shared, *own[::-1]]))
    return texts


@settings(max_examples=25, deadline=None)
@given(documents(), pieces(), ORDERS, st.integers(1200, 4000))
def test_pieces_and_edits_break_neither_rule(
    document: tuple[list[str], list[str]], texts: list[str], order: FimOrder, max_tokens: int
) -> None:
    """The limit holds, the near lines stay, and no run of three lines stands twice, with everything in the prompt."""
    above, below = document
    found = [
        FoundChunk(ROOT / f"p{n}.py", f"p{n}.py", "python", "", 0, text.count("\n"), text)
        for n, text in enumerate(texts)
    ]
    edits = tuple(
        Edit(f"file://{ROOT}/e{n}.py", ROOT / f"e{n}.py", n, (f"old({n})",), (f"new({n})", f"more({n})"))
        for n in range(4)
    )
    source = "\n".join([*above, "    here = there(|", *below])
    request = request_at(
        source,
        facts=facts_of(source.replace("|", "")),
        settings=ContextSettings(max_tokens=max_tokens),
        n_max=64 + max_tokens,
        edits=edits,
    )
    prompt = ContextBuilder(Searched(*found)).build(request, VOCABULARY, profile(order, files=True))
    text = spelled(prompt)
    lines = [line for each in text.splitlines() if (line := each.removeprefix("# ").strip())]
    runs = list(zip(lines, lines[1:], lines[2:], strict=False))

    assert len(prompt.ids) <= max_tokens
    assert "\n".join(above[-10:]) in text
    assert "    here = there(" in text
    assert order is FimOrder.PREFIX or not below or f"\n{below[0]}" in text
    assert len(set(runs)) == len(runs)


def test_extras_go_first() -> None:
    """With less room outline and definitions go before any line near the cursor."""
    above = [f"line{number} = {number}" for number in range(200)]
    kinds = [
        [part.kind.value for part in built(above, ["end = 1"], FimOrder.PSM, max_tokens).parts]
        for max_tokens in (185, 1200)
    ]

    assert [["prefix", "suffix", "middle"], ["definitions", "outline", "prefix", "suffix", "middle"]] == kinds


def test_the_prefix_is_cut_at_a_line() -> None:
    """Its first line is a whole one."""
    above = [f"line{number} = {number}" for number in range(200)]
    prompt = built(above, [], FimOrder.PSM, 600)
    prefix = next(part.text for part in prompt.parts if part.kind.value == "prefix")

    assert prefix.split("\n")[0] in above
    assert VOCABULARY.n_vocab > max(prompt.ids)
