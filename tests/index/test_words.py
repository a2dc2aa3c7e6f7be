"""The words that a text can be found by."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.index.words import _ASCII_PARTS, WordBook, _parts, asked_for


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("getUserName", ["get", "getusername", "name", "user"]),
        ("HTTPServer_v2", ["http", "httpserver_v2", "server", "v2"]),
        ("__init__", ["__init__", "init"]),
        ("MAX_BYTES = 0x1F", ["0x1f", "bytes", "f", "max", "max_bytes", "0x1"]),
        ("a.b()", ["a", "b"]),
        ("операторЦикла", ["оператор", "операторцикла", "цикла"]),
        ("größe añadir", ["añadir", "grösse"]),
        ("தமிழ்மொழி", ["தமிழ்மொழி"]),
        ("中文字", ["中", "中文", "字", "文", "文字"]),
        ("读file", ["file", "读"]),
        ("→ «» ::", []),
        ("", []),
    ],
)
def test_identifiers_are_found_whole_and_in_parts(text: str, words: list[str]) -> None:
    """Each word once, folded to one case; scripts without blanks in letters and pairs; signs are no words."""
    assert sorted(words) == WordBook().words_in(text.encode())


def test_one_letter_written_in_two_ways_is_one_word() -> None:
    """A letter with an accent can be one character or two."""
    assert WordBook().words_in("caf\u00e9".encode()) == WordBook().words_in("cafe\u0301".encode())


def test_what_is_asked_for_is_any_of_its_words_and_all_pairs_of_a_script_without_blanks() -> None:
    """One pair of letters alone would find too much; a single letter has no pair."""
    assert [("getuser",), ("get",), ("user",)] == asked_for(["getUser"])
    assert [("中文", "文字"), ("中",)] == asked_for(["中文字", "中"])


@pytest.mark.parametrize("text", ["", '"', "*", "!= ==", "\ud800", "\x00"])
def test_signs_ask_for_nothing(text: str) -> None:
    """Nor does half of a letter."""
    assert [] == asked_for([text])


def test_data_has_no_parts() -> None:
    """A run longer than any identifier is cut, the same in text and question, and not taken apart."""
    run = "aB" * 200
    assert [("ab" * 32,)] == asked_for([run])
    assert ["ab" * 32] == WordBook().words_in(run.encode())


@given(st.text())
def test_every_text_is_found_by_itself(text: str) -> None:
    """Whatever is asked for, all of its words are words of the same text."""
    held = set(WordBook().words_in(text.encode("utf-8", "ignore")))
    assert all(held.issuperset(group) for group in asked_for([text]))


@given(st.from_regex(r"[A-Za-z]+_?[A-Z]*[a-z]*[0-9]*[A-Z]*", fullmatch=True))
def test_plain_letters_are_cut_like_all_others(text: str) -> None:
    """The way that is fast for ASCII finds what the one for all scripts finds."""
    assert sorted(set(_parts(text))) == sorted(set(_ASCII_PARTS.findall(text)))
