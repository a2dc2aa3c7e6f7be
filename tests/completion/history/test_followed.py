"""One suggestion after it was shown: what the user's next edits say about it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.completion.history.followed import Followed, share_left
from codeassistd.completion.history.record import Fate
from codeassistd.documents.change import Change


def follow(before: str, text: str, *versions: str) -> Followed:
    """A suggestion at the mark of `before`, and then the document's next texts."""
    at = before.index("|")
    content = before.replace("|", "").encode()
    followed = Followed("a", text.encode(), at)
    for version in versions:
        followed.edit(Change.between(content, version.encode()), version.encode())
        content = version.encode()
    return followed


@pytest.mark.parametrize(
    ("before", "text", "versions", "fate", "taken"),
    [
        ("x = |", "a + b", ["x = a + b"], Fate.ACCEPTED, 1.0),
        # Word by word, to the end.
        ("x = |", "a + b", ["x = a +", "x = a + b"], Fate.ACCEPTED, 1.0),
        # Word by word, and then something else.
        ("x = |", "foo + b", ["x = foo", "x = foo*"], Fate.PARTLY, 0.6),
        # Letter by letter, to the end.
        ("x = |", "ab", ["x = a", "x = ab"], Fate.TYPED, 1.0),
        # Most of it by hand.
        ("x = |", "abc", ["x = a", "x = ab", "x = abx"], Fate.TYPED, 0.667),
        ("x = |", "abcd", ["x = a", "x = ax"], Fate.DISMISSED, 0.25),
        ("x = |", "abcd", ["x = z"], Fate.DISMISSED, 0.0),
        # Something was deleted, or written elsewhere.
        ("x = |", "abcd", ["x ="], Fate.DISMISSED, 0.0),
        ("x = |\ny", "abcd", ["x = \nyz"], Fate.DISMISSED, 0.0),
        # Nothing has happened yet.
        ("x = |", "abcd", [], Fate.SHOWN, 0.0),
        ("x = |", "abcd", ["x = a"], Fate.SHOWN, 0.25),
        # The editor closes a typed bracket by itself.
        ("|", "f(a)", ["f", "f()", "f(a)"], Fate.TYPED, 0.75),
        # Repeated letters: the edit could as well be told at another place.
        ("x = a|aa", "aaaa", ["x = aaaaaaa"], Fate.ACCEPTED, 1.0),
    ],
)
def test_what_the_edits_say(before: str, text: str, versions: list[str], fate: Fate, taken: float) -> None:
    """Taking it, a piece of it or typing it, against typing something else."""
    followed = follow(before, text, *versions)
    if fate is Fate.TYPED and followed.is_open:
        followed.end()

    assert (fate, taken) == (followed.fate, pytest.approx(followed.share_taken, abs=0.001))


def test_an_accepted_one_moves_with_what_is_written_above() -> None:
    """So that it is found again later."""
    followed = follow("x = |\n", "total", "x = total\n", "import os\nx = total\n", "x = total\n", "x = 1 + total\n")

    assert (Fate.ACCEPTED, 8) == (followed.fate, followed.at)
    assert 1.0 == followed.share_left(b"x = 1 + total\n")


def test_the_command_may_come_before_the_edit() -> None:
    """Or without any edit that fits, since some editors change what they put in."""
    early = follow("x = |", "a + b")
    early.accept()
    early.edit(Change.between(b"x = ", b"x = a + b"), b"x = a + b")
    odd = follow("x = |", "a + b", "x = a+b")
    odd.accept()

    assert [(Fate.ACCEPTED, 1.0), (Fate.ACCEPTED, 0.0)] == [
        (followed.fate, followed.share_taken) for followed in (early, odd)
    ]


def test_the_rest_is_the_same_suggestion() -> None:
    """After a typed letter an editor asks again, and gets what is left of it."""
    followed = follow("x = |", "abc", "x = a")

    assert [True, False, False] == [
        followed.goes_on_as(b"bc", 5),
        followed.goes_on_as(b"bd", 5),
        followed.goes_on_as(b"bc", 6),
    ]


@pytest.mark.parametrize(
    ("text", "region", "share"),
    [
        ("a + b", "x = a + b\n", 1.0),
        ("a + b", "x = a  +  b\n", 1.0),
        ("a + b", "x = 1\n", 0.0),
        ("foo(a, b)", "foo(a, c)", 0.6),
        ("name", "a name\n", 1.0),
        ("name", "a game\n", 0.0),
        # It stands there once, not twice.
        ("a b a b", "a b", 1 / 3),
    ],
)
def test_how_much_is_left(text: str, region: str, share: float) -> None:
    """By pairs of words, whatever the blanks."""
    assert pytest.approx(share) == share_left(text.encode(), region.encode())


@given(st.text("ab(", min_size=1, max_size=6), st.lists(st.text("ab()", max_size=8), max_size=6))
def test_any_edits_leave_it_in_order(text: str, versions: list[str]) -> None:
    """Places stay in the document, shares between 0 and 1, and a decided fate is never dismissed by later edits."""
    followed = Followed("a", text.encode(), 0)
    content, decided = b"", False
    for version in versions:
        after = version.encode()
        if after != content:
            followed.edit(Change.between(content, after), after)
        content = after
        assert 0 <= followed.at <= len(content) or decided
        assert 0 <= followed.taken <= len(followed.text)
        assert 0.0 <= followed.share_taken <= 1.0
        if decided:
            assert not followed.is_open
        decided = not followed.is_open
