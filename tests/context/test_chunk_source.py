"""Pieces of other files: which are worth their tokens, and that none is stale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from codeassistd.catalogue.profile import FimOrder
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.chunk_source import choose_chunks
from codeassistd.context.types import PartKind, Prompt
from codeassistd.index.types import FoundChunk, NoIndex
from tests.support.prompts import ROOT, VOCABULARY, profile, request_at, spelled

FILES = profile(FimOrder.PSM, files=True)


class Searched(NoIndex):
    """An index that finds what a test puts into it, and notes what it was asked."""

    def __init__(self, *found: FoundChunk) -> None:
        self.found = list(found)
        self.asked: list[tuple[str, ...]] = []

    def search(self, root: Path, words: Sequence[str], asking: Path | None, limit: int) -> list[FoundChunk]:
        del root, asking
        self.asked.append(tuple(words))
        return self.found[:limit]


def chunk(text: str, relative: str = "other.py") -> FoundChunk:
    return FoundChunk(ROOT / relative, relative, "python", "", 0, text.count("\n") + 1, text)


def chosen(*found: FoundChunk, near: str = "", wide: str = "", limit: int = 1000) -> list[str]:
    return [each.text for each in choose_chunks(found, near, wide, limit, lambda each: len(each.text), n_most=8)]


def test_at_most_two_are_of_one_file() -> None:
    """A long file must not fill the prompt."""
    assert ["a b", "c d", "g h"] == chosen(chunk("a b"), chunk("c d"), chunk("e f"), chunk("g h", "more.py"))


def test_what_says_the_same_is_left_out() -> None:
    """As the code at the cursor does, or as another piece does."""
    assert ["one two"] == chosen(chunk("here it is"), chunk("one two"), chunk("two one", "copy.py"), near="here it is")


def test_no_run_of_lines_comes_in_twice() -> None:
    """Three lines that the open file has, or another piece, in a piece that says other things besides."""
    run = "a = 1\n\n  b = 2\nc = 3\n"
    long = f"{run}and much more besides that nothing else says at all\n"
    other = "x = 4\ny = 5\nz = 6\n"

    assert [other] == chosen(chunk(long), chunk(other), wide=f"before\n{run}")
    assert [long] == chosen(chunk(long), chunk(f"{run}{other}", "more.py"))
    assert ["a = 1\nb = 2\nq"] == chosen(chunk("a = 1\nb = 2\nq"), wide=run)


def test_pieces_fit_into_their_tokens() -> None:
    """One that is too long is passed over."""
    assert ["a b"] == chosen(chunk("very long text"), chunk("a b"), limit=5)


def prompt(builder: ContextBuilder, source: str, max_tokens: int = 3000) -> Prompt:
    return builder.build(request_at(source, settings=ContextSettings(max_tokens=max_tokens)), VOCABULARY, FILES)


def test_a_long_prompt_has_pieces_as_files_of_their_own() -> None:
    """In front of all that changes faster; a short one has none."""
    builder = ContextBuilder(Searched(chunk("def pay(cart):\n    send(cart)\n", "shop/pay.py")))
    text = spelled(prompt(builder, "send(cart)\n|"))

    assert text.startswith("<repo_name>shop\n<file_sep>shop/pay.py\ndef pay(cart):\n    send(cart)\n<file_sep>cart.py")
    assert PartKind.CHUNKS not in [part.kind for part in prompt(builder, "send(cart)\n|", 600).parts]


def test_the_choice_stays_while_the_cursor_is_near() -> None:
    """It is asked for by the same words, so that the answer can be compared."""
    lookup = Searched(chunk("def pay(cart):\n    send(cart)\n", "pay.py"))
    builder = ContextBuilder(lookup)
    first = prompt(builder, "send(cart)\n|")
    second = prompt(builder, "send(cart)\nother(thing)\n|")

    assert "def pay" in spelled(first)
    assert "def pay" in spelled(second)
    assert 1 == len({words for words in lookup.asked if len(words) <= 12 and "other" not in words})


def test_parts_tell_how_well_their_pieces_answer() -> None:
    """The best piece of the file; a piece that is found with another score later is the same piece still."""
    text = "def pay(cart):\n    send(cart)\n"
    other = chunk("def other(): ...", "pay.py")
    lookup = Searched(replace(chunk(text, "pay.py"), score=3.5), replace(other, score=1.5))
    builder = ContextBuilder(lookup)
    first = [part.score for part in prompt(builder, "send(cart)\n|").parts if part.kind is PartKind.CHUNKS]
    lookup.found = [replace(each, score=9.0) for each in lookup.found]
    second = prompt(builder, "send(cart)\nx|").parts

    assert [3.5, 3.5] == first
    assert [3.5, 3.5] == [part.score for part in second if part.kind is PartKind.CHUNKS]


def test_a_piece_that_changed_is_not_shown() -> None:
    """Neither its old text nor, before it is searched again, its new one."""
    lookup = Searched(chunk("def pay(cart):\n    send(cart)\n", "pay.py"))
    builder = ContextBuilder(lookup)
    prompt(builder, "send(cart)\n|")
    lookup.found = [chunk("def pay(cart, by):\n    send(cart)\n", "pay.py")]

    assert "def pay" not in spelled(prompt(builder, "send(cart)\nx|"))
