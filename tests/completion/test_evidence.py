"""What speaks for a suggestion: which tokens made it, how sure the model was, and where it goes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.completion.evidence import Evidence, Situation, at_best, shown_tokens, situation_at, weigh
from codeassistd.completion.weights import CONSTANTS
from codeassistd.engine.request import Token
from tests.support.evidence import place_at, tokens


@pytest.mark.parametrize(
    ("raw", "shown", "expected"),
    [
        (["a", " +", " b"], "a + b", ["a", " +", " b"]),
        (["a", " +", " b", "\n", "c"], "a + b", ["a", " +", " b"]),
        # Typed along: the first token is in the document already.
        (["re", "turn", " x"], "turn x", ["turn", " x"]),
        # The user has typed half of a token.
        (["return", " x"], "urn x", ["return", " x"]),
        # Indentation changed on the way.
        (["\n", "\t", "a", "\n", "\t", "b"], "\n    a\n    b", ["a", "\n", "\t", "b"]),
        # The pipeline wrote a closer by itself.
        (["f", "(", "a"], "f(a)", ["f", "(", "a"]),
        ([], "a", []),
    ],
)
def test_the_tokens_that_made_the_text(raw: list[str], shown: str, expected: list[str]) -> None:
    """They are found by their letters, however blanks were changed and wherever the text was cut."""
    assert expected == [token.text for token in shown_tokens(tokens(*raw), shown)]


def test_the_numbers_are_those_of_the_shown_tokens() -> None:
    """What was cut off does not count, and one doubtful token is seen."""
    raw = [Token(0, "a", -0.5, 4.0), Token(1, " b", -1.5, 0.25), Token(2, "\n", -7.0, 0.1)]

    assert Evidence(
        situation=Situation.STATEMENT,
        mean_logprob=-1.0,
        min_logprob=-1.5,
        first_logprob=-0.5,
        min_margin=0.25,
        n_letters=2,
        n_lines=1,
    ) == weigh(raw, "a b", place_at("x = |"))


def test_numbers_are_bounded() -> None:
    """A token that the model never expected counts as much as a very unlikely one; no token at all is the worst."""
    odd = weigh([Token(0, "a", -99.0, 99.0)], "a", place_at("x = |"))

    assert (-8.0, 8.0) == (odd.min_logprob, odd.min_margin)
    assert (-8.0, 0.0) == (weigh([], "a", place_at("x = |")).min_logprob, weigh([], "a", place_at("|")).min_margin)


_CHANCES = st.tuples(st.floats(-9.0, 0.0), st.floats(0.0, 9.0))


@given(st.lists(_CHANCES, min_size=1, max_size=6), st.lists(_CHANCES, max_size=16), st.integers(0, 1))
def test_nothing_that_follows_beats_the_best_of_a_beginning(
    begun: list[tuple[float, float]], rest: list[tuple[float, float]], n_typed: int
) -> None:
    """Whatever the next tokens are, so an answer given up by its beginning would not have been shown."""
    raw = [Token(0, f" w{number}", *chances) for number, chances in enumerate([*begun, *rest])]
    place = place_at("x = |")
    words = [token.text for token in raw]
    # What was typed along does not count.
    n_typed = min(n_typed, len(begun) - 1)
    best = at_best(raw[: len(begun)], "".join(words[n_typed : len(begun)]), place, 12)
    whole = weigh(raw, "".join(words[n_typed:]), place)

    assert max(map(CONSTANTS.score, best)) >= CONSTANTS.score(whole)


def test_what_will_be_one_line_gets_no_credit_for_more() -> None:
    """More lines speak for a text, and where only one is wanted there is none to come."""
    begun = tokens("a", " b", logprob=-2.0)
    one = at_best(begun, "a b", place_at("# |"), 1)
    more = at_best(begun, "a b", place_at("# |"), 12)

    assert ({1}, {1, 2}) == ({each.n_lines for each in one}, {each.n_lines for each in more})
    assert max(map(CONSTANTS.score, one)) < max(map(CONSTANTS.score, more))


def test_certainty_to_come_brings_letters_with_it() -> None:
    """A token that makes the mean better makes the text longer, so much of it is paid for."""
    best = at_best(tokens("a", " b", logprob=-2.0), "a b", place_at("x = |"), 1)

    # Of one to four tokens, up to 6, 8, 12 and 16: the mean of the most of them, the letters of the fewest.
    assert [
        (-2.0, 2),
        (-1.333, 3),
        (-1.0, 4),
        (-0.8, 5),
        (-0.667, 6),
        (-0.5, 7),
        (-0.4, 9),
        (-0.286, 11),
        (-0.222, 15),
    ] == [(round(each.mean_logprob, 3), each.n_letters) for each in best]


def test_evidence_survives_its_table() -> None:
    """What a span holds is enough to keep it in the history."""
    evidence = weigh(tokens("a", " b"), "a b", place_at("foo(|)"))

    assert evidence == Evidence.of_table(evidence.as_table())


@pytest.mark.parametrize(
    ("source", "language", "expected"),
    [
        ("x = 1  # so |", "python", Situation.COMMENT),
        ("x = '#|", "python", Situation.STRING),
        ('"""Says |', "python", Situation.STRING),
        ('x = "a" + |', "python", Situation.STATEMENT),
        ("os.|", "python", Situation.MEMBER),
        ("retu|", "python", Situation.WORD),
        ("f(a, |)", "python", Situation.ARGUMENTS),
        ("f(\n    a,\n    b=|\n)", "python", Situation.ARGUMENTS),
        ("def f():|", "python", Situation.BLOCK_START),
        ("def f():\n    |", "python", Situation.BLOCK_START),
        ("x = 1\n|", "python", Situation.LINE_START),
        ("|", "python", Situation.LINE_START),
        ("int x; // a |", "c", Situation.COMMENT),
        ("/* a |", "c", Situation.COMMENT),
        ("if (a) {\n  |\n}", "javascript", Situation.BLOCK_START),
        ("x = |", "unknown", Situation.STATEMENT),
    ],
)
def test_what_the_cursor_stands_in(source: str, language: str, expected: Situation) -> None:
    """One word for the place."""
    assert expected is situation_at(place_at(source, language))
