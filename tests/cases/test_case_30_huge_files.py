"""Case 30, context half: files of megabytes cost no more than their window."""

from __future__ import annotations

import pytest

from codeassistd.catalogue.profile import FimOrder
from codeassistd.context.window import HEAD_BYTES, TAIL_BYTES, look
from codeassistd.text import Text
from tests.support.prompts import profile, prompt_of, request_at


@pytest.mark.parametrize("offset", [0, 700_000, 1_500_000])
def test_one_line_of_megabytes_is_read_from_a_fixed_window(offset: int) -> None:
    """The window's size depends on the window only."""
    window = look(Text.of("x" * 1_500_000), offset, 6000)

    assert len(window.head) <= HEAD_BYTES
    assert len(window.tail) <= TAIL_BYTES
    assert ("", "") == (window.above, window.below)


def test_the_prompt_of_such_a_line_has_what_stands_round_the_cursor() -> None:
    """The nearest letters are in it."""
    source = "a" * 750_000 + "near = |" + "b" * 750_000
    prompt = prompt_of(request_at(source), profile(FimOrder.PSM))

    assert prompt.parts[-1].text.endswith("near = ")
    assert len(prompt.ids) < HEAD_BYTES + TAIL_BYTES + 16


def test_letters_of_several_bytes_are_not_split() -> None:
    """A window's border in the middle of a letter moves to its beginning."""
    window = look(Text.of("é" * 5000), 5001, 6000)

    assert {"é"} == set(window.head + window.tail)


def test_long_lines_above_and_below_end_the_window() -> None:
    """A minified line beside the cursor's is left out whole."""
    text = "x" * 1_000_000 + "\nnear = 1\n\nlast = 2\n" + "y" * 1_000_000
    window = look(Text.of(text), 1_000_010, 6000)

    assert ("near = 1\n", "\nlast = 2\n") == (window.above, window.below)


def test_the_start_of_a_long_line_moves_in_steps() -> None:
    """While letters are typed the text before the cursor only grows, so its tokens repeat."""
    text = Text.of("x" * 5000)
    starts = {4000 + step - len(look(text, 4000 + step, 0).head) for step in range(100)}

    assert len(starts) <= 2
