"""Parsing: limits, the edit between two texts, incremental against fresh."""

from __future__ import annotations

import pytest
import tree_sitter
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.syntax.edits import TextEdit, difference
from codeassistd.syntax.grammar import Grammar
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import ParsedDocument, ParseLimits, parse, reparse
from codeassistd.text import Text
from tests.support.corpus import corpus_files

CORPUS = corpus_files()


def grammar_of(path: str) -> Grammar:
    languages = Languages.default()
    language = languages.by_path(path)
    assert language is not None
    grammar = languages.grammar(language)
    assert grammar is not None
    return grammar


def nodes(tree: tree_sitter.Tree) -> list[tuple[object, ...]]:
    """Each node of a tree with its place, in order."""
    listed, waiting = [], [tree.root_node]
    while waiting:
        node = waiting.pop()
        listed.append((node.type, node.start_byte, node.end_byte, node.start_point, node.end_point, node.is_missing))
        waiting.extend(reversed(node.children))
    return listed


@pytest.mark.parametrize(
    ("old", "new", "edit"),
    [
        (b"abc", b"abc", TextEdit(3, 3, 3)),
        (b"", b"abc", TextEdit(0, 0, 3)),
        (b"abc", b"", TextEdit(0, 3, 0)),
        (b"abc", b"abxc", TextEdit(2, 2, 3)),
        (b"abc", b"ac", TextEdit(1, 2, 1)),
        (b"aaa", b"aaaa", TextEdit(3, 3, 4)),
        (b"abcabc", b"abc", TextEdit(3, 6, 3)),
        (b"xaby", b"zabw", TextEdit(0, 4, 4)),
    ],
)
def test_the_edit_between_two_texts(old: bytes, new: bytes, edit: TextEdit) -> None:
    """What lies between the common start and the common end was replaced."""
    assert edit == difference(old, new)


@given(st.binary(max_size=30), st.binary(max_size=30), st.binary(max_size=5), st.binary(max_size=5))
def test_the_edit_makes_the_new_text(start: bytes, end: bytes, old_middle: bytes, new_middle: bytes) -> None:
    """Applied to the old bytes, the edit gives the new ones, and it is no larger than what was changed."""
    old, new = start + old_middle + end, start + new_middle + end
    edit = difference(old, new)

    assert new == old[: edit.start] + new[edit.start : edit.new_end] + old[edit.old_end :]
    assert edit.start >= len(start)
    assert edit.old_end - edit.start <= len(old_middle)


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path, _ in CORPUS])
def test_a_text_read_in_slices_is_parsed_as_in_one_piece(path: str) -> None:
    """Slices of the read callback, which cut letters in two, do not show in the tree."""
    grammar = grammar_of(path)
    text = next(text for name, text in CORPUS if name == path)
    for shift in range(4):
        long = Text.of(" " * shift + "\n" + str(text) * (2 + 66_000 // len(text)))
        assert nodes(tree_sitter.Parser(grammar.language).parse(long.content)) == nodes(parse(grammar, long))


EDITS = st.lists(
    st.tuples(
        st.integers(0, 10_000),
        st.sampled_from([0, 0, 1, 4, 40]),
        st.sampled_from(["", "x", "é", "😀", "\n", "\r\n", "\r", "(", ")", "{", "}", '"', "/*", "# ", "f(a)", " "]),
    ),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@settings(deadline=None, max_examples=120)
@given(st.sampled_from(CORPUS), EDITS)
def test_an_incremental_parse_equals_a_fresh_one(corpus: tuple[str, Text], edits: list[tuple[int, int, str]]) -> None:
    """After random edits the tree of sound code is that of a fresh parse, and undoing them brings back the first tree.

    In broken code tree-sitter may mend a reused tree in another way than a fresh one, so there only the root's end is
    compared; the way back shows that no such difference stays.
    """
    path, original = corpus
    grammar = grammar_of(path)
    known = ParsedDocument(grammar, original, parse(grammar, original))
    letters = str(original)
    for place, n_deleted, new in edits:
        at = place % (len(letters) + 1)
        letters = letters[:at] + new + letters[at + n_deleted :]
        text = Text.of(letters)
        known, fresh = ParsedDocument(grammar, text, reparse(known, text)), parse(grammar, text)
        assert fresh.root_node.end_byte == known.tree.root_node.end_byte
        if not fresh.root_node.has_error:
            assert nodes(fresh) == nodes(known.tree)

    assert nodes(parse(grammar, original)) == nodes(reparse(known, original))


class RecordingBytes(bytes):
    """Bytes that remember how much was taken of them at once."""

    def __init__(self, _content: bytes) -> None:
        self.taken: list[int] = []

    def __getitem__(self, key):
        piece = super().__getitem__(key)
        self.taken.append(len(piece))
        return piece


def test_a_parse_takes_small_slices_so_that_other_threads_get_their_turn() -> None:
    """tree-sitter gets at most 4 KB at a time; between two slices the GIL can go to another thread."""
    content = RecordingBytes(b"def f(a):\n    return a\n" * 4000)
    parse(grammar_of("a.py"), Text(content, Text.of(b"")._starts))

    assert 4096 == max(content.taken)
    assert len(content.taken) >= len(content) // 4096


def test_what_is_read_often_is_read_in_one_piece() -> None:
    """The binding keeps for ever what a slice was read into, so neither small texts nor edits are sliced."""
    grammar, content = grammar_of("a.py"), RecordingBytes(b"x = 1\n" * 1000)
    parse(grammar, Text(content, Text.of(b"")._starts))
    large = Text.of("x = 1\n" * 20_000)
    edited = RecordingBytes(large.content + b"y = 2\n")
    parse(grammar, Text(edited, large._starts), parse(grammar, large))

    assert [] == content.taken == edited.taken


def test_the_same_text_is_not_parsed_again() -> None:
    """A text equal to the one that is known gives its very tree."""
    grammar, text = grammar_of("a.py"), Text.of("x = 1\n")
    tree = parse(grammar, text)

    assert tree is reparse(ParsedDocument(grammar, text, tree), Text.of("x = 1\n"))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("x" * 20, ""),
        ("x" * 21, "a line is longer than 20 bytes"),
        ("x" * 20 + "\n" + "é" * 11, "a line is longer than 20 bytes"),
        ("x\n" * 26, "larger than 50 bytes"),
        ("", ""),
    ],
)
def test_what_is_too_big_is_named(content: str, reason: str) -> None:
    """Texts and lines up to the limit are parsed; beyond it there is a reason to skip."""
    assert reason == ParseLimits(max_bytes=50, max_line_bytes=20).reason_to_skip(Text.of(content))
