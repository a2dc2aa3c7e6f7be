"""Loops within one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.completion.line_loop import loop_in_line, loops_at_end
from codeassistd.completion.place import Place
from codeassistd.completion.stops import Extent, Shape, stop_at
from tests.support.fitting import fit_at


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("2023, " * 10 + "202", None),
        (", 2023" * 10, None),
        ("0, " * 20, None),
        ("[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0", None),
        ("None, None, None, None, None, None, None", "None"),
        ("1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.", None),
        ("a + " * 30, "a"),
        ("the very very very very very very very", "the very"),
        ("f(a, f(a, f(a, f(a, f(a, f(a, f(a, ", None),
        ("foo((((((((((((", None),
        ("((((((((", None),
        ("[[[[[[[[[[", None),
        ("()()()()()()()()()()", None),
        ("1" + "0" * 40, None),
        ("x = " + "ab" * 40, "x"),
        ('{"name": "x", "age": 1, "rank": 2}, ' * 5, '{"name": "x", "age": 1, "rank": 2}'),
        ("-" * 200, "-" * 80),
        ("\\x00" * 20, "\\x00"),
    ],
)
def test_one_unit_of_a_loop_is_kept(raw: str, expected: str | None) -> None:
    """Without what parts it from the next; nothing where it is but a number, leaves a bracket open or cuts a word."""
    fitted = fit_at("call(|", raw)
    assert "line-loop" in fitted.filters
    assert expected == fitted.text


@pytest.mark.parametrize(
    "raw",
    [
        "0, 0, 0]",
        "0, 0, 0, 0, 0, 0, 0, 0]",
        "[0, 0, 0], [0, 0, 0], [0, 0, 0]]",
        "a, b, a, b]",
        "None, None, None, None, None",
        "True, False, True, False, True, False",
        "%s, %s, %s, %s, %s, %s",
        "1_000_000_000_000_000",
        "1000000000000",
        "uuid.UUID('00000000-0000-0000-0000-000000000000')",
        "'\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00'",
        "Path('../../../../data')",
        "torch.tensor([[[[1.0, 2.0]]]])",
        "f(g(h(((a + b) * c) + d)))",
        "[(1, 2), (3, 4), (5, 6), (7, 8), (9, 10), (11, 12)]",
        "self.a, self.b, self.c, self.d, self.e, self.f = a, b, c, d, e, f",
        "'-' * 40 + '-----------------------------------------'",
        "# ---------------------------------------------------------------------------",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
        "'        ' + x",
    ],
)
def test_what_repeats_for_a_reason_is_left_alone(raw: str) -> None:
    """Rows of zeros, closed lists, paths, placeholders, rules."""
    assert None is loop_in_line(raw)
    assert not any(loops_at_end(raw[:end]) for end in range(len(raw) + 1))


def test_a_rule_goes_on_under_a_heading() -> None:
    """Also where its start is typed."""
    assert "=====" == fit_at("Heading\n==|", "=====", "markdown").text


def test_of_several_lines_the_one_with_the_loop_is_dropped() -> None:
    """Half a line says little where whole ones stand before it."""
    raw = "\n    a = 1\n    b = [" + "0, " * 30
    assert "\n    a = 1" == fit_at("def f():|", raw).text


def stopped(raw: str) -> int | None:
    place = Place.of("x = f(", "", None, knows_start=True)
    return stop_at(raw, place, Shape(Extent.STATEMENT, 12, ""))


@pytest.mark.parametrize(("unit", "most"), [("2023, ", 31), ("0, ", 25), ("(", 5), ("very ", 26), ("-", 81)])
def test_generating_stops_as_soon_as_it_is_a_loop(unit: str, most: int) -> None:
    """Each token more would be for nothing; what is there goes through the filters."""
    raw = unit * 100
    assert [most] == [length for length in range(1, most + 1) if stopped(raw[:length]) is not None]
    assert most == stopped(raw[:most])


@given(st.text("ab0,( .", min_size=1, max_size=30), st.text("xyz =[", max_size=10))
def test_every_loop_is_seen_and_what_is_kept_has_none(unit: str, before: str) -> None:
    """Whatever the unit and what stands before it; the cut never adds anything."""
    line = before + unit * 120
    kept = loop_in_line(line)
    if unit.strip(" ."):
        assert kept is not None
        assert len(before) + len(unit) >= kept
        assert loops_at_end(line)
    if kept is not None:
        assert None is loop_in_line(line[:kept])


@given(st.lists(st.integers(0, 10**6), unique=True, max_size=30))
def test_lists_of_different_values_are_never_loops(values: list[int]) -> None:
    """However long they are."""
    assert None is loop_in_line(", ".join(map(str, values)))
