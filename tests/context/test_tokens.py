"""Chunks of a text joined give the text's own tokens, and each is tokenised once."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.context.tokens import Seam, TokenCache


class WordVocabulary:
    """One id for each piece that a pattern finds: a vocabulary's habit of joining blanks, line breaks and words."""

    def __init__(self, pattern: str) -> None:
        self.pattern = re.compile(pattern)
        self.ids: dict[str, int] = {}
        self.asked: list[str] = []

    def tokenize(self, text: str) -> list[int]:
        self.asked.append(text)
        return [self.ids.setdefault(piece, len(self.ids)) for piece in self.pattern.findall(text)]


#: GPT-2 and its heirs join a break with the indentation behind it.
GPT2 = r" ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
#: Later ones join breaks with the punctuation before them.
CL100K = r"[^\r\nA-Za-z0-9]?[A-Za-z]+|[0-9]| ?[^\sA-Za-z0-9]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
SOURCES = st.lists(
    st.sampled_from(["def f():", "    return 1", "", "  ", "}", "\tx = [1,", "# é", "a  "]), max_size=12
).map("\n".join)


@pytest.mark.parametrize(("pattern", "seam"), [(GPT2, Seam.BEFORE_BREAK), (CL100K, Seam.AFTER_BREAK)])
def test_the_seam_is_found_by_asking(pattern: str, seam: Seam) -> None:
    """Each kind of vocabulary is cut where it would not have joined."""
    assert seam == TokenCache(WordVocabulary(pattern)).seam  # type: ignore[arg-type]


@pytest.mark.parametrize("pattern", [GPT2, CL100K])
@settings(deadline=None, max_examples=60)
@given(source=SOURCES)
def test_chunks_give_the_tokens_of_the_whole(pattern: str, source: str) -> None:
    """Whatever the lines are, blank ones and trailing blanks too."""
    vocabulary = WordVocabulary(pattern)
    tokens = TokenCache(vocabulary)  # type: ignore[arg-type]

    assert source == "".join(tokens.chunks(source))
    assert vocabulary.tokenize(source) == tokens.ids(source)
    assert len(tokens.ids(source)) == tokens.count(source)


def test_a_typed_letter_costs_its_own_line() -> None:
    """All other chunks are known."""
    vocabulary = WordVocabulary(GPT2)
    tokens = TokenCache(vocabulary)  # type: ignore[arg-type]
    lines = [f"line {number}" for number in range(100)]
    tokens.ids("\n".join(lines))
    vocabulary.asked.clear()
    lines[50] += "x"
    tokens.ids("\n".join(lines))

    assert ["\nline 50x"] == vocabulary.asked


def test_the_cache_is_bounded() -> None:
    """Old chunks are forgotten by the generation; those in use stay."""
    vocabulary = WordVocabulary(GPT2)
    tokens = TokenCache(vocabulary, generation_chars=100)  # type: ignore[arg-type]
    for number in range(1000):
        tokens.chunk_ids("always")
        tokens.chunk_ids(f"once {number}")
    vocabulary.asked.clear()
    tokens.chunk_ids("always")
    tokens.chunk_ids("once 0")

    assert ["once 0"] == vocabulary.asked
    assert len(tokens._young) + len(tokens._old) < 40


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (GPT2, "x = ", " "),
        (GPT2, "\n    ", " "),
        (GPT2, "x:\n", "\n"),
        (GPT2, "x\n\n", "\n\n"),
        (GPT2, "x =", ""),
        (GPT2, "", ""),
        (r"[A-Za-z]+| |\S|\n", "x = ", ""),
        (r"[A-Za-z]+| |\S|\n", "x:\n", ""),
    ],
)
def test_an_end_that_belongs_to_what_follows_is_known(pattern: str, text: str, expected: str) -> None:
    """A blank before a word, line breaks before an indentation; only where the vocabulary joins them."""
    assert expected == TokenCache(WordVocabulary(pattern)).joined_end(text)  # type: ignore[arg-type]
