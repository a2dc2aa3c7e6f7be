"""Guessing the next tokens from what was written before."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.lookup_drafter import LONGEST_MATCH, SHORTEST_MATCH, LookupDrafter


def guess(text: str, n_max: int = 8, sources: Sequence[str] = ()) -> str:
    """The guess for a text whose letters are the tokens."""
    drafter = LookupDrafter([tuple(source.encode()) for source in sources])
    return bytes(drafter.propose(tuple(text.encode()), n_max).tokens).decode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("a", ""),
        ("abcdef", ""),
        ("xyz-1 xyz", "-1 xyz-1"),  # what followed, and on as it repeats itself
        ("12ab34.56ab78.34ab", "78.34ab7"),  # the most recent of equally long matches
        ("12ab34.56cb78.12ab", "34.56cb7"),  # a longer match far away wins over a short one nearby
        ("x1y2x3x", ""),  # one letter alone is no match
        ("abababab", "abababab"),
        ("aaa", "aaaaaaaa"),
    ],
)
def test_the_longest_and_then_the_most_recent_match_is_continued(text: str, expected: str) -> None:
    """The end of the text is looked up in what came before it."""
    assert expected == guess(text)


@pytest.mark.parametrize(("n_max", "expected"), [(0, ""), (1, "c"), (3, "cde"), (5, "cdefa")])
def test_a_guess_is_no_longer_than_asked(n_max: int, expected: str) -> None:
    """At most `n_max` tokens."""
    assert expected == guess("abcdefab", n_max)


def test_sources_are_looked_up_too() -> None:
    """A guess from a source ends with the source, and never goes on into the next one."""
    assert "return 1" == guess("def f():\n", 8, ["x = 0", "def f():\nreturn 1"])
    assert "done" == guess("we are ", 8, ["we are done", "later"])
    assert "" == guess("we are", 8, ["we are", "later"])


def test_own_tokens_win_over_sources_and_later_sources_over_earlier() -> None:
    """Of equally long matches the most recent one counts, and the sequence is the most recent."""
    assert "own" == guess("ab own|ab ", 3, ["ab one", "ab two"])
    assert "two" == guess("ab ", 3, ["ab one", "ab two"])
    assert "one" == guess("a ab ", 3, ["a ab one", "ab two"])


def test_no_match_reaches_over_a_border() -> None:
    """The end of one source and the start of the next are not neighbours."""
    assert "" == guess("ab", 8, ["xa", "by"])


def test_the_strength_is_the_length_of_the_match() -> None:
    """Counted in tokens, up to the longest that is looked at."""
    assert [2, 4, LONGEST_MATCH] == [
        LookupDrafter().propose(tuple(text.encode()), 1).strength for text in ("ab-ab", "-abc.-abc", "x" * 40)
    ]


@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 6), st.lists(st.lists(st.integers(0, 3)), max_size=3))
def test_growing_token_by_token_is_the_same_as_all_at_once(
    tokens: list[int], n_max: int, sources: list[list[int]]
) -> None:
    """The array that is kept from step to step gives what a fresh one gives, and what a plain search gives."""
    kept = LookupDrafter(sources)
    for end in range(len(tokens) + 1):
        seen = tokens[:end]
        draft = kept.propose(seen, n_max)
        assert LookupDrafter(sources).propose(seen, n_max) == draft
        assert _searched(sources, seen, n_max) == draft.tokens


def _searched(sources: list[list[int]], tokens: list[int], n_max: int) -> tuple[int, ...]:
    """The rules, word for word."""
    for n_same in range(min(LONGEST_MATCH, len(tokens)), SHORTEST_MATCH - 1, -1):
        end = tokens[-n_same:]
        for text in [tokens, *sources[::-1]]:
            for start in range(len(text) - n_same, -1, -1):
                if text is tokens and start == len(tokens) - n_same:
                    continue
                if text[start : start + n_same] == end:
                    found = text[start + n_same :]
                    while text is tokens and len(found) < n_max:
                        found = found + text[start + n_same :]
                    if found:
                        return tuple(found[:n_max])
    return ()
