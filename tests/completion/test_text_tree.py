"""The radix tree over texts, against a plain table."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from codeassistd.completion.text_tree import TextTree

TEXTS = st.text("ab\n", max_size=6)


@given(st.lists(st.tuples(st.booleans(), TEXTS, st.integers())), TEXTS)
def test_it_finds_what_a_text_begins_with(changes: list[tuple[bool, str, int]], asked: str) -> None:
    """The longest first, after any puts and removals; and it stays as small as it can be."""
    tree: TextTree[int] = TextTree()
    table: dict[str, int] = {}
    for is_put, text, value in changes:
        if is_put:
            tree.put(text, value)
            table[text] = value
        else:
            tree.remove(text)
            table.pop(text, None)
        tree.check_integrity()
    expected = sorted(((len(text), value) for text, value in table.items() if asked.startswith(text)), reverse=True)

    assert expected == list(tree.along(asked))
    assert len(table) == len(tree)


def test_shared_beginnings_are_held_once() -> None:
    """Texts before a cursor differ in their last letters."""
    tree: TextTree[int] = TextTree()
    for n_letters in range(1000, 1010):
        tree.put("x" * n_letters, n_letters)

    assert 1009 == tree.n_letters
    assert [1004, 1003] == [value for _, value in tree.along("x" * 1004 + "y")][:2]
