"""Kept answers: found by their question and what was typed since, and never more of them than there is room for."""

from __future__ import annotations

from dataclasses import replace

from codeassistd.catalogue.profile import FimOrder, Profile
from codeassistd.completion.answer_cache import AnswerCache, Found, Question
from codeassistd.completion.known import Known
from codeassistd.completion.place import Place
from codeassistd.completion.stops import Extent, Shape
from codeassistd.syntax.languages import Languages

QUESTION = Question("a model", Profile(FimOrder.PREFIX, "none"), "file:///a.py", (64, 12, "auto"), b"parts")
SHAPE = Shape(Extent.BLOCK, 12, "a block")
N_MOST = 512


def known(text: str) -> Known:
    place = Place.of("x = ", "", Languages.default().by_id("python"), knows_start=True)
    return Known(text, (), place, "", SHAPE, is_finished=True, is_over=True)


def test_an_answer_is_found_where_it_was_given_and_typed_along() -> None:
    """With what was typed since, and what it took; not behind another letter, nor for another question."""
    cache = AnswerCache()
    cache.put(QUESTION, "x = ", known("price"), 250.0)

    assert Found(known("price"), "", 250.0) == cache.find(QUESTION, "x = ", SHAPE)
    assert Found(known("price"), "pri", 250.0) == cache.find(QUESTION, "x = pri", SHAPE)
    assert None is cache.find(QUESTION, "x = pro", SHAPE)
    assert None is cache.find(replace(QUESTION, parts=b"others"), "x = ", SHAPE)


def test_what_was_wanted_otherwise_is_asked_for_anew() -> None:
    """A line is no block; but who types along is shown what goes on from there."""
    cache = AnswerCache()
    cache.put(QUESTION, "x = ", known("price"), 250.0)
    line = Shape(Extent.LINE, 1, "a line")

    assert None is cache.find(QUESTION, "x = ", line)
    assert Found(known("price"), "p", 250.0) == cache.find(QUESTION, "x = p", line)


def test_the_least_recently_used_goes_first() -> None:
    """Being found is a use."""
    cache = AnswerCache()
    for number in range(N_MOST):
        cache.put(QUESTION, f"x{number} = ", known("price"), 1.0)
    assert cache.find(QUESTION, "x0 = ", SHAPE) is not None

    cache.put(QUESTION, "y = ", known("price"), 1.0)

    assert N_MOST == len(cache)
    assert None is cache.find(QUESTION, "x1 = ", SHAPE)
    assert None is not cache.find(QUESTION, "x0 = ", SHAPE)


def test_a_closed_document_takes_its_answers_along() -> None:
    """And no others."""
    cache = AnswerCache()
    other = replace(QUESTION, uri="file:///b.py")
    cache.put(QUESTION, "x = ", known("price"), 1.0)
    cache.put(other, "x = ", known("price"), 1.0)

    cache.forget_document("file:///a.py")

    assert None is cache.find(QUESTION, "x = ", SHAPE)
    assert None is not cache.find(other, "x = ", SHAPE)
