"""Case 23, in the engine: a letter that is split over tokens arrives whole, or not at all."""

from __future__ import annotations

import pytest

from codeassistd.engine.request import FinishReason
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from codeassistd.testing.fake_vocabulary import FakeVocabulary
from tests.support.engines import answer_of, request, running

HALVES = FakeVocabulary(pieces=(b"\xf0\x9f", b"\x98\x80"))


async def test_an_emoji_in_two_tokens_arrives_whole() -> None:
    """The 4 bytes of one emoji come as 2 + 2: the first token has no text, the second one the emoji."""
    async with running(FakeBackend(FakeScript(default="a😀b"), vocabulary=HALVES)) as engine:
        tokens = [token.text async for token in engine.submit(request("x"))]
        assert ["a", "", "😀", "b"] == tokens


async def test_half_an_emoji_at_the_end_is_dropped() -> None:
    """Cut after the first half by the length limit: no trace of it, and no U+FFFD."""
    async with running(FakeBackend(FakeScript(default="a😀b"), vocabulary=HALVES)) as engine:
        answer = await answer_of(engine.submit(request("x", max_tokens=2)))
        assert ("a", FinishReason.LENGTH) == (answer.text, answer.reason)


@pytest.mark.parametrize("text", ["漢字かな", "naïve", "👩‍👩‍👧‍👦 = family"])
async def test_byte_by_byte_is_the_same_text(text: str) -> None:
    """With one token per byte, letters of 2, 3 and 4 bytes and joined emoji come out as they are."""
    async with running(FakeBackend(FakeScript(default=text))) as engine:
        assert text == (await answer_of(engine.submit(request("x")))).text
