"""Letters from bytes that come token by token."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.utf8 import Utf8Stream


def letters(*pieces: bytes) -> list[str]:
    stream = Utf8Stream()
    return [stream.feed(piece) for piece in pieces]


@pytest.mark.parametrize(
    ("expected", "pieces"),
    [
        (["ab"], [b"ab"]),
        (["", "é"], [b"\xc3", b"\xa9"]),
        (["", "😀"], [b"\xf0\x9f", b"\x98\x80"]),
        (["a", "", "", "漢b"], [b"a\xe6", b"\xbc", b"", b"\xa2b"]),
        (["a"], [b"a\xf0\x9f"]),
        (["", "x"], [b"\xf0\x9f", b"x"]),
        (["ab"], [b"a\xffb"]),
        (["", "y"], [b"\xc3", b"\xc3y"]),
        (["ab"], ["a\ufffdb".encode()]),
    ],
)
def test_letters_come_out_whole_or_not_at_all(expected: list[str], pieces: list[bytes]) -> None:
    """A letter comes with the token that completes it; half letters and impossible bytes are dropped."""
    assert expected == letters(*pieces)


@given(st.text(), st.lists(st.integers(0, 40)))
def test_the_cut_between_tokens_does_not_matter(text: str, cuts: list[int]) -> None:
    """However a text's bytes are cut into tokens, the same text comes out."""
    data = text.replace("\ufffd", "").encode("utf-8", "ignore")
    edges = [0, *sorted(min(cut, len(data)) for cut in cuts), len(data)]
    pieces = [data[start:end] for start, end in pairwise(edges)]
    assert data.decode() == "".join(letters(*pieces))


@given(st.lists(st.binary()))
def test_no_replacement_mark_ever(pieces: list[bytes]) -> None:
    """Whatever bytes a model makes, no U+FFFD reaches a suggestion."""
    assert "\ufffd" not in "".join(letters(*pieces))
