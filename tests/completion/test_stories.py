"""The texts behind spans: few, in memory, and gone with their editor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from codeassistd.completion.asking import Asked
from codeassistd.completion.postprocess import FitStep
from codeassistd.completion.stories import Stories, Story
from codeassistd.context.types import PartKind, Prompt, PromptPart
from codeassistd.metrics.spans import PartSize
from tests.support.completing import Bench, cursor

PART = PromptPart(PartKind.PREFIX, "a.py", 3, "x = ")
HERE = cursor(client="s1")
STEP = FitStep("typed-start", "x = 1", "1")


def test_a_prompt_and_what_became_of_its_answer_make_one_story() -> None:
    """In the order in which they come; what was at hand has no prompt of its own."""
    stories = Stories()
    stories.asked("1", HERE, (PART,))
    stories.fitted("1", HERE, "x = 1", (STEP,))
    stories.fitted("2", HERE, "2", ())

    assert Story("s1", HERE.root, (PART,), "x = 1", (STEP,)) == stories.find("1")
    assert Story("s1", HERE.root, (), "2", ()) == stories.find("2")
    assert None is stories.find("3")


def test_only_the_newest_are_kept() -> None:
    """They are source text, and memory is bounded."""
    stories = Stories(capacity=2)
    for number in range(4):
        stories.asked(str(number), HERE, (PART,))

    assert [None, None, "2", "3"] == [None if stories.find(str(number)) is None else str(number) for number in range(4)]


def test_an_editors_texts_go_with_it() -> None:
    """Nothing of a workspace stays in memory once it is closed."""
    stories = Stories()
    stories.asked("1", HERE, (PART,))
    stories.asked("2", cursor(client="s2"), (PART,))
    stories.drop_client("s1")

    assert (True, False) == (stories.find("1") is None, stories.find("2") is None)


def test_a_workspaces_texts_go_when_nobody_has_it_open() -> None:
    """Those of other workspaces of the same editor stay."""
    stories = Stories()
    stories.asked("1", HERE, (PART,))
    stories.asked("2", replace(HERE, root=Path("/elsewhere")), (PART,))
    stories.drop_workspace(Path("/elsewhere"))

    assert (False, True) == (stories.find("1") is None, stories.find("2") is None)


async def test_a_request_leaves_its_texts_and_the_sizes_of_what_was_cut() -> None:
    """The texts beside the span and never in it: it has letters by number."""
    bench = Bench()
    result = await bench.complete(cursor("total = |"), " a + b\nprint(total)")
    story = bench.service.stories.find(result.span.id)

    assert story is not None
    assert "".join(part.text for part in story.parts).startswith("total = ")
    assert story.raw.startswith(" a + b")
    assert [("leading-blanks", " a + b", "a + b")] == [(step.name, step.before, step.after) for step in story.steps]
    assert [("leading-blanks", 6, 5)] == [(one.name, one.n_before, one.n_after) for one in result.span.effects]
    assert 0.15 == result.span.threshold
    assert "a + b" not in repr(result.span)
    bench.service.client_gone("s1")
    assert None is bench.service.stories.find(result.span.id)


def test_a_part_of_a_prompt_is_told_with_the_score_that_chose_it() -> None:
    """Those of the open file were not chosen, and have none."""
    parts = (PromptPart(PartKind.DEFINITIONS, "b.py", 5, "def f()", 0.75), PART)
    asked = Asked(Prompt((1, 2, 3), parts), n_output=8, build_ms=1.0)

    assert (PartSize("definitions", 5, 0.75), PartSize("prefix", 3)) == asked.part_sizes
