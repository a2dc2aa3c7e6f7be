"""The text round a cursor."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.context.window import Window, look
from codeassistd.text import Text


def at(text: str, offset: int, max_bytes: int = 1000) -> Window:
    return look(Text.of(text), offset, max_bytes)


def test_the_parts_of_a_small_document() -> None:
    """Whole lines above and below, and the cursor's own in two parts."""
    assert Window("a\nb\n", "cc", "dd", "\ne\n", 0, 2, starts_file=True, ends_file=True) == at("a\nb\nccdd\ne\n", 6)


def test_far_lines_are_left_out_whole() -> None:
    """Only lines that fit into the limit are taken."""
    window = at("one\ntwo\nthree\nx\nfour\nfive\n", 15, 10)

    assert ("two\nthree\n", "\nfour\nfive\n", 1) == (window.above, window.below, window.first_line)
    assert (False, True) == (window.starts_file, window.ends_file)
    assert ("three\n", "\nfour\n") == (
        at("one\ntwo\nthree\nx\nfour\nfive\n", 15, 9).above,
        at("a\nfour\nfive\n", 1, 9).below,
    )


def test_a_cursor_behind_the_end_is_moved_to_it() -> None:
    """Also one between the two letters of a line end."""
    assert ("x = 1", "") == (at("x = 1", 99).head, at("x = 1", 99).tail)
    assert ("a", "") == (at("a\r\nb", 2).head, at("a\r\nb", 2).tail)


@settings(deadline=None, max_examples=60)
@given(st.text(alphabet="ab \né🙂\ufeff\r\t", max_size=60), st.integers(0, 80), st.integers(0, 80))
def test_a_window_is_a_piece_of_the_document(text: str, offset: int, max_bytes: int) -> None:
    """For every text, place and limit; line ends and byte-order marks aside."""
    window = at(text, offset, max_bytes)
    clean = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")

    assert window.prefix + window.suffix in clean
    assert not window.starts_file or clean.startswith(window.prefix)
    assert not window.ends_file or clean.endswith(window.suffix)
    assert "\n" not in window.head + window.tail
