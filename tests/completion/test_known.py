"""What is left of a known answer once the user has typed along with it."""

from __future__ import annotations

import pytest

from codeassistd.completion.known import Known
from codeassistd.completion.place import Place
from codeassistd.completion.stops import Extent, Shape
from codeassistd.syntax.languages import Languages

PYTHON = Languages.default().by_id("python")


def known(text: str, before: str = "x = ", *, left_out: str = "", is_over: bool = True) -> Known:
    place = Place.of(before, "", PYTHON, knows_start=True)
    shape = Shape(Extent.BLOCK, 12, "a block")
    return Known(text, (), place, left_out, shape, is_finished=True, is_over=is_over)


@pytest.mark.parametrize(
    ("text", "typed", "rest"),
    [
        ("price + tax", "", "price + tax"),
        ("price + tax", "p", "rice + tax"),
        ("price + tax", "price +", " tax"),
        ("price + tax", "prize", None),
        ("price + tax", "price + tax", None),
        ("price + tax", "price + tax + 1", None),
        ("größe", "gr", "öße"),
        ("a  \nb", "a\n", "b"),
    ],
)
def test_what_was_typed_is_taken_off(text: str, typed: str, rest: str | None) -> None:
    """Another letter ends it, and so does typing all of it: then something new is wanted."""
    left = known(text).rest(typed)
    assert rest == (None if left is None else left.text)


@pytest.mark.parametrize(
    ("text", "typed", "rest"),
    [
        ("\n    a = 1", "\n", "    a = 1"),
        ("\n    a = 1", "\n    ", "a = 1"),
        ("\n    a = 1", "\n  ", "  a = 1"),
        ("\n    a = 1", "\n\t", "a = 1"),
        ("\n\ta = 1", "\n    ", "a = 1"),
        ("\n    a = 1", "\n        ", None),
        ("\n    a = 1", "\na", None),
        ("\n    a = 1\n    b = 2", "\n    a = 1\n    ", "b = 2"),
        ("\n    if a:\n        b", "\n    if a:\n        ", "b"),
        ("\n    if a:\n        b", "\n    if a:\n    ", "    b"),
    ],
)
def test_a_new_line_brings_its_indentation(text: str, typed: str, rest: str | None) -> None:
    """An editor may put in as much as the answer has, in its own style, or less; more means another block."""
    left = known(text, "def f():").rest(typed)
    assert rest == (None if left is None else left.text)


@pytest.mark.parametrize(
    ("before", "text", "typed", "rest"),
    [
        ("def f():\n    ", "return 1", "r", "eturn 1"),
        ("def f():\n    ", "    return 1", "r", "eturn 1"),
        ("def f():\n    ", "\n    return 1", "ret", "urn 1"),
        ("def f():\n", "    return 1", "    ", "return 1"),
        ("def f():\n", "    return 1", "  ", "  return 1"),
        ("def f():\n", "    return 1", "r", None),
        ("def f():\n    ", "return 1", "  r", None),
    ],
)
def test_on_a_blank_line_the_answers_own_blanks_may_be_meant_from_its_start(
    before: str, text: str, typed: str, rest: str | None
) -> None:
    """As the pipeline takes them."""
    left = known(text, before).rest(typed)
    assert rest == (None if left is None else left.text)


def test_the_blank_that_the_prompt_left_out_is_not_typed_again() -> None:
    """Nor is it kept for what is left."""
    left = known(" price", "x = ", left_out=" ").rest("pr")
    assert left is not None
    assert ("ice", "") == (left.text, left.left_out)
    whole = known(" price", "x = ", left_out=" ").rest("")
    assert whole is not None
    assert (" price", " ") == (whole.text, whole.left_out)


def test_an_echo_of_the_typed_start_is_not_typed_again() -> None:
    """Case 13: what is left goes on from what the user sees."""
    left = known('log.warn("low")', "log.warn(").rest('"l')
    assert left is not None
    assert 'ow")' == left.text


@pytest.mark.parametrize(("text", "typed"), [("pri", "price"), ("", "p"), ("\n  ", "\n    a")])
def test_while_more_comes_nothing_is_decided(text: str, typed: str) -> None:
    """The text may still go on as typed."""
    left = known(text, is_over=False).rest(typed)
    assert left is not None
    assert ("", True) == (left.text, left.is_cut_off)
    assert known(text).rest(typed) is None


def test_lines_that_were_typed_count() -> None:
    """The longest suggestion gets shorter by them, and never shorter than a line."""
    answer = known("\n    a\n    b\n    c", "def f():")
    lengths = [left.max_lines for typed in ("", "\n    a", "\n    a\n    b") if (left := answer.rest(typed))]
    assert [12, 11, 10] == lengths
