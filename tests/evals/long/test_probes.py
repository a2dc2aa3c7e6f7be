"""The texts that models are tried with."""

from __future__ import annotations

import ast

import pytest

from codeassistd.evals.context.plain_vocabulary import PlainVocabulary
from codeassistd.evals.long.library import long_functions
from codeassistd.evals.long.probe import Kind, Probe
from codeassistd.evals.long.probes import make_probes
from codeassistd.evals.long.written import bracket_probe, string_probe

CONTEXT = 1024


def count(text: str) -> int:
    return len(PlainVocabulary().tokenize(text))


@pytest.fixture(scope="module")
def probes() -> list[Probe]:
    return make_probes(PlainVocabulary(), CONTEXT, 2, 1)


def test_a_run_has_texts_of_each_kind_and_the_same_ones_for_a_seed(probes: list[Probe]) -> None:
    """Figures of two runs can only be compared where the texts are the same."""
    assert [Kind.LONG, Kind.LONG, Kind.BRACKETS, Kind.BRACKETS, Kind.STRINGS, Kind.STRINGS] == [
        probe.kind for probe in probes
    ]
    assert probes == make_probes(PlainVocabulary(), CONTEXT, 2, 1)
    assert probes != make_probes(PlainVocabulary(), CONTEXT, 2, 2)


def test_every_text_is_good_python_and_is_cut_at_the_end_of_a_line(probes: list[Probe]) -> None:
    """What is given lacks its line break, since vocabularies put it into one token with what follows."""
    for probe in probes:
        ast.parse(probe.text)

        assert probe.truth.startswith("\n"), probe.name
        assert probe.truth.strip(), probe.name
        assert not probe.given.endswith("\n\n\n"), probe.name


def test_long_functions_and_concatenations_take_more_than_half_of_the_context(probes: list[Probe]) -> None:
    """And leave room for what is written behind them."""
    for probe in probes:
        if probe.kind is not Kind.BRACKETS:
            assert 0.5 * CONTEXT <= count(probe.text) < 0.9 * CONTEXT, probe.name


def test_a_library_has_no_function_for_a_context_of_a_million() -> None:
    """Fewer texts than asked for, and no error."""
    assert [] == long_functions(count, 1_000_000, 2, 1)


@pytest.mark.parametrize(("number", "depth"), [(1, 4), (2, 8), (3, 12), (7, 4)])
def test_brackets_are_cut_where_they_are_deepest(number: int, depth: int) -> None:
    """What is left is nothing but closers, one a line."""
    probe = bracket_probe(number, 1, count, 2000)

    assert f"brackets {number}, {depth} deep" == probe.name
    assert depth == probe.truth.count("\n")
    assert not set("".join(probe.truth.split())) - set(")]},")
    assert probe.is_settled


def test_examples_of_brackets_leave_where_there_is_no_room_for_them() -> None:
    """A small context holds the one that is cut, and none before it."""
    large, small = (bracket_probe(3, 1, count, n_tokens) for n_tokens in (2000, 300))

    assert 4 == large.given.count("\n\n") + 1
    assert "\n\n" not in small.given
    assert large.truth == small.truth


def test_a_concatenation_wants_the_next_field_of_the_table() -> None:
    """Which is named once in the whole text before it: in the table."""
    probe = string_probe(1, 1, count, 400)
    name = probe.truth.split('\\"')[1]

    assert f'\n    text = text + "\\"{name}\\": " + str(values["{name}"]) + ",\\n"' == probe.truth
    assert 1 == probe.given.count(f'"{name}"')
    table = probe.given.split("WIDTHS = {\n")[1].split("\n}")[0].split("\n")
    names = [line.split('"')[1] for line in table]
    last = probe.given.rsplit('values["', 1)[1].split('"')[0]
    assert names.index(last) + 1 == names.index(name)
