"""Whether a document parses as well with a suggestion as without it."""

from __future__ import annotations

import pytest

from codeassistd.syntax.languages import Languages
from codeassistd.syntax.parser import ParsedDocument, parse
from codeassistd.syntax.soundness import Soundness
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text

LANGUAGES = Languages.default()


def soundness(source: str, language: str = "python", known: str | None = None) -> Soundness:
    """The judge at the mark; `known` is an earlier version whose tree is at hand."""
    content, offset = marked(source, "|")
    found = LANGUAGES.by_id(language)
    assert found is not None
    grammar = LANGUAGES.grammar(found)
    assert grammar is not None
    parsed = None
    if known is not None:
        parsed = ParsedDocument(grammar, Text.of(known), parse(grammar, Text.of(known)))
    judge = Soundness.at(grammar, Text.of(content), offset, parsed)
    assert judge is not None
    return judge


@pytest.mark.parametrize(
    ("source", "language", "insertion", "is_sound"),
    [
        ("x = |\n", "python", "1", True),
        ("x = |\n", "python", "1 +", True),
        ("y = 1\n|\nz = 2\n", "python", "x = 1", True),
        ("y = 1\n|\nz = 2\n", "python", "x = 1 2", False),
        ("y = 1\n|\nz = 2\n", "python", "x = (1", False),
        ("y = 1\n|\nz = 2\n", "python", "def f(:", False),
        ("int f() {\n  |\n}\n", "c", "return 1;", True),
        ("int f() {\n  |\n}\n", "c", "return 1", False),
        ("int f() {\n  |\n}\n", "c", "}", False),
        ("func f() {\n\t|\n}\n", "go", "x := 1", True),
        ("func f() {\n\t|\n}\n", "go", "x := := 1", False),
    ],
)
def test_a_fault_more_than_before_is_seen(source: str, language: str, insertion: str, *, is_sound: bool) -> None:
    """Judged on the document with the text in it; what was broken before may stay so."""
    judge = soundness(source, language)
    assert is_sound == (judge.faults(insertion).n_all <= judge.n_before())


@pytest.mark.parametrize(("insertion", "n_own"), [("1", 0), ("a b", 1), ("f(", 0)])
def test_a_fault_of_the_insertion_is_told_from_one_of_the_document(insertion: str, n_own: int) -> None:
    """`x =` alone is a fault already; what is put in may mend it, bring one of its own, or be unfinished at its end."""
    judge = soundness("def f(:\n    pass\nx = |\n")
    assert n_own == judge.faults(insertion).n_own


def test_an_older_tree_gives_the_same_answers() -> None:
    """What was typed since is read into it."""
    source = "def f(a):\n    b = |\n    return a\n"
    for insertion in ("a", "a b", "(a", "", "[\n        1,\n    ]"):
        fresh, known = soundness(source), soundness(source, known="def f(a):\n    return a\n")
        assert (fresh.n_before(), fresh.faults(insertion)) == (known.n_before(), known.faults(insertion))


@pytest.mark.parametrize(("insertion", "is_sound"), [("total = 1", True), ("total = 1 2", False), ("total = (", False)])
def test_of_a_large_document_only_the_definitions_round_the_cursor_are_read(insertion: str, *, is_sound: bool) -> None:
    """Whole ones, so that the piece has no faults of its own; with the tree at hand, all of it."""
    body = "".join(f"def f{n}(a):\n    b = a + {n}\n    return b\n\n\n" for n in range(4_000))
    head = "def last(a):\n    if a:\n        "
    judge = soundness(f"{body}{head}|\n    return a\n\n\n{body}")
    assert len(judge.before.text) < 32_768
    assert 0 == judge.n_before()
    assert is_sound == (judge.faults(insertion).n_all == 0)
    at_hand = soundness(f"{body}{head}|\n    return a\n\n\n{body}", known=f"{body}{body}")
    assert len(at_hand.before.text) > 2 * len(body)
    assert is_sound == (at_hand.faults(insertion).n_all == 0)


def test_the_place_is_counted_in_bytes() -> None:
    """Letters of several bytes before the cursor, in a piece of a large document too."""
    body = "".join(f"s{n} = 'größe → µm 😀'\n" for n in range(2_000))
    judge = soundness(f"{body}x = f(|)\n{body}")
    assert (0, 0) == (judge.n_before(), judge.faults("'µ', 1").n_all)
    assert judge.before.text.content[: judge.offset].endswith(b"x = f(")


def test_what_cannot_be_read_quickly_is_not_judged() -> None:
    """No grammar, or one endless line."""
    python = LANGUAGES.by_id("python")
    assert python is not None
    text = Text.of(f"x = [{'1, ' * 400_000}]\n")
    assert None is Soundness.at(None, text, 5)
    assert None is Soundness.at(LANGUAGES.grammar(python), text, 5)
