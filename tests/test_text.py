"""Positions, spans and edits of a text, against a reference that is slow and plain."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.testing.marked_text import marked, marked_all
from codeassistd.text import Position, PositionEncoding, Span, Text

UTF8, UTF16, UTF32 = PositionEncoding.UTF8, PositionEncoding.UTF16, PositionEncoding.UTF32

# Letters of one to four bytes, each kind of line end, and letters that other tools take for line ends.
ALPHABET = "ab é²→😀\n\r\t\x0c\x0b\x85\u2028\ufeff\x00"
TEXTS = st.text(ALPHABET, max_size=40)
ENCODINGS = st.sampled_from(list(PositionEncoding))


def reference_lines(text: str) -> list[str]:
    """The lines of `text` with their line ends, by a look at each letter."""
    return re.findall(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$", text) + ([""] if not text or text[-1] in "\r\n" else [])


def reference_width(letters: str, encoding: PositionEncoding) -> int:
    """How many units `letters` take."""
    codec = {UTF8: "utf-8", UTF16: "utf-16-le", UTF32: "utf-32-le"}[encoding]
    return len(letters.encode(codec, "surrogatepass")) // {UTF8: 1, UTF16: 2, UTF32: 4}[encoding]


@given(TEXTS)
def test_lines_end_where_lsp_says_and_nowhere_else(content: str) -> None:
    """Lines end at LF, CRLF and CR; form feeds and Unicode's separators are letters."""
    text = Text.of(content)
    lines = reference_lines(content)

    assert len(lines) == text.line_count
    assert [line.rstrip("\r\n") for line in lines] == [text.line(line) for line in range(text.line_count)]
    starts = [len("".join(lines[:line]).encode()) for line in range(len(lines))]
    assert starts == [text.line_start(line) for line in range(text.line_count)]
    assert max(len(line.encode()) for line in lines) == text.longest_line()


@given(TEXTS, ENCODINGS)
def test_each_letter_has_its_position(content: str, encoding: PositionEncoding) -> None:
    """The position of each letter counts units from its line's start, and leads back to the letter's first byte."""
    text = Text.of(content)
    offset = 0
    for line, letters in enumerate(reference_lines(content)):
        body = letters.rstrip("\r\n")
        for index, letter in enumerate(body):
            position = Position(line, reference_width(body[:index], encoding))
            assert position == text.position_at(offset, encoding)
            assert offset == text.offset_at(position, encoding)
            assert line == text.line_of(offset)
            offset += len(letter.encode())
        end = Position(line, reference_width(body, encoding))
        assert end == text.position_at(offset, encoding)
        assert offset == text.offset_at(end, encoding)
        offset += len(letters) - len(body)


@given(TEXTS, ENCODINGS, st.integers(-3, 12), st.integers(-3, 60))
def test_any_position_gives_the_border_of_a_letter(
    content: str, encoding: PositionEncoding, line: int, character: int
) -> None:
    """A position outside the text, past its line or inside a letter is moved to the nearest place before it."""
    text = Text.of(content)
    offset = text.offset_at(Position(line, character), encoding)

    assert 0 <= offset <= len(text)
    text.content[:offset].decode()
    if 0 <= line < text.line_count:
        assert text.line_start(line) <= offset <= text.line_end(line)
        if character >= 0:
            assert text.position_at(offset, encoding).character <= character
    else:
        assert (0 if line < 0 else len(text)) == offset


@given(TEXTS, st.integers(-5, 200), st.integers(-5, 200))
def test_a_slice_never_cuts_a_letter(content: str, start: int, end: int) -> None:
    """Whatever bytes are asked for, the slice is whole letters of the text."""
    text = Text.of(content)
    first, last = sorted((start, end))

    assert text.slice(Span(first, last)) in content


@given(TEXTS, st.lists(st.tuples(st.integers(0, 200), st.integers(0, 200), TEXTS), min_size=1, max_size=8))
def test_an_edited_text_equals_one_made_anew(content: str, edits: list[tuple[int, int, str]]) -> None:
    """After each edit the bytes and the line table are those of a text made from the result."""
    text = Text.of(content)
    for one, other, new in edits:
        start, end = sorted((text.letter_start(one), text.letter_start(other)))
        expected = text.content[:start].decode() + new + text.content[end:].decode()
        text = text.replace(Span(start, end), new)

        assert expected == str(text)
        assert list(Text.of(expected)._starts) == list(text._starts)


@pytest.mark.parametrize(
    ("before", "new", "lines"),
    [
        ("a\r|\n|b", "", ["a", "b"]),
        ("a\r||b", "\n", ["a", "b"]),
        ("a||\nb", "\r", ["a", "b"]),
        ("a\r|x|\nb", "", ["a", "b"]),
        ("a\r||\nb", "x", ["a", "x", "b"]),
        ("|a\r\nb|", "", [""]),
        ("||", "\r\n", ["", ""]),
        ("a\n||", "b", ["a", "b"]),
    ],
)
def test_line_ends_form_and_vanish_at_the_borders_of_an_edit(before: str, new: str, lines: list[str]) -> None:
    """A CR and an LF that an edit brings together end one line, and two that it parts end two."""
    content, (start, end) = marked_all(before)
    text = Text.of(content).replace(Span(start, end), new)

    assert lines == [text.line(line) for line in range(text.line_count)]


def test_every_column_of_a_line_with_a_two_byte_letter() -> None:
    """Each UTF-16 column of `unit = "km²"` gives the prefix of that many letters."""
    line = 'unit = "km²"'
    text = Text.of(line)

    assert [line[:column].encode() for column in range(13)] == [
        text.content[: text.offset_at(Position(0, column), UTF16)] for column in range(13)
    ]


def test_a_column_inside_a_pair_is_the_letter_before() -> None:
    """UTF-16 column 2 of `a😀b` points between the halves of the emoji, and counts as its start."""
    text = Text.of("a😀b")

    assert [0, 1, 1, 5, 6] == [text.offset_at(Position(0, column), UTF16) for column in range(5)]


def test_half_a_pair_survives() -> None:
    """Half of a surrogate pair, which is legal JSON, is kept and counted as one unit."""
    text = Text.of("a\ud83db")

    assert "a\ud83db" == str(text)
    assert Position(0, 2) == text.position_at(len(text) - 1, UTF16)


def test_two_halves_become_the_letter() -> None:
    """Halves of a pair that come in two edits are one letter once both are there."""
    content, offset = marked("a|b")
    text = Text.of(content).replace(Span(offset, offset), "\ude00").replace(Span(offset, offset), "\ud83d")

    assert "a😀b".encode() == text.content
    assert Text.of("a😀b") == text
    assert "a😀b".encode() == Text.of("a\ud83d\ude00b").content


def test_equal_texts_are_equal_and_hash_alike() -> None:
    """A text is its bytes: how it came about plays no part."""
    edited = Text.of("ac").replace(Span(1, 1), "b")

    assert Text.of("abc") == edited
    assert hash(Text.of("abc")) == hash(edited)
    assert Text.of("abc") != Text.of("abd")
    assert "abc" != edited
    assert 3 == len(edited)
    assert 2 == len(Span(1, 3))


def test_marks_give_byte_offsets() -> None:
    """A mark behind a two-byte letter stands at byte three; several marks are counted without each other."""
    assert ("aéb", 3) == marked("aé|b")
    assert ("a|b", 1) == marked("a@|b", mark="@")
    assert ("aéb", (1, 3)) == marked_all("a|é|b")


@pytest.mark.parametrize("source", ["foo()", "f|o|o"])
def test_a_marked_text_has_one_mark(source: str) -> None:
    """A marked text without its mark, or with two, is a mistake in the test and says so."""
    with pytest.raises(ValueError, match="expected one"):
        marked(source)
