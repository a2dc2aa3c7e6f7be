"""What stays in a prompt while the user types."""

from __future__ import annotations

from codeassistd.context.choice import Allowance, keep, refresh
from codeassistd.index.types import Definition
from tests.support.prompts import ROOT, definition


def size_behind(behind: Definition | None, each: Definition) -> int:
    """Ten tokens each, and five for the name of a file."""
    return 10 if behind is not None and behind.relative == each.relative else 15


def allowing(n_tokens: int, n_definitions: int = 100) -> Allowance:
    return Allowance(n_tokens, n_definitions, size_behind)


def many(word: str, number: int) -> list[Definition]:
    return [definition(f"{word}{n}", f"def {word}{n}()", f"{word}{n}.py") for n in range(number)]


def test_what_was_chosen_stays_in_its_place() -> None:
    """A better one comes behind it."""
    old, new = many("old", 1)[0], many("new", 1)[0]

    assert [old, new] == keep([old], [new, old], allowing(100), 1.0)


def test_a_changed_definition_is_replaced_where_it_stood() -> None:
    """And one that is gone is dropped."""
    first, gone, last = (definition(name, f"def {name}()", f"{name}.py") for name in ("first", "gone", "last"))
    changed = definition("first", "def first(x)", "first.py")

    assert [changed, last] == keep([first, gone, last], [last, changed], allowing(100), 1.0)
    assert [changed, last] == refresh([first, gone, last], [last, changed])


def test_a_full_choice_yields_to_the_best_only() -> None:
    """What has fallen out of the best makes room, the last of it first; what has not stays."""
    old, new = many("old", 4), many("new", 1)

    assert [*old[:3], *new] == keep(old, [*new, *old], allowing(60), 0.5)
    assert old == keep(old, [*old[:3], *new, old[3]], allowing(60), 0.5)


def test_definitions_of_one_file_stand_together() -> None:
    """New ones in the order of their file; its name is paid for once."""
    one = Definition("b", "b", "function", "def b()", "", ROOT / "x.py", "x.py", 9)
    two = definition("c", "def c()", "y.py")
    three = Definition("a", "a", "function", "def a()", "", ROOT / "x.py", "x.py", 3)

    assert [three, one, two] == keep([], [one, two, three], allowing(40), 1.0)
    assert [three, one] == keep([], [one, three, two], allowing(39), 1.0)


def test_one_that_is_too_big_is_passed_over() -> None:
    """A smaller one behind it may still fit."""
    big, small = many("big", 1)[0], many("small", 1)[0]
    allowance = Allowance(20, 9, lambda _behind, each: 50 if each is big else 15)

    assert [small] == keep([], [big, small], allowance, 1.0)


def test_less_room_takes_the_last_ones() -> None:
    """And no more than may be."""
    old = many("old", 4)

    assert old[:2] == keep(old, old, allowing(30), 0.0)
    assert old[:1] == keep(old, old, allowing(100, 1), 0.0)


def test_a_class_stands_at_the_head_of_its_members() -> None:
    """Which are written inside of it, so that its name is written once."""
    head = Definition("Cart", "Cart", "class", "class Cart(Base)", "", ROOT / "cart.py", "cart.py", 2)
    add = Definition("add", "Cart.add", "method", "def add(self)", "", ROOT / "cart.py", "cart.py", 5)
    other = Definition("pay", "pay", "function", "def pay()", "", ROOT / "cart.py", "cart.py", 9)

    assert [head, add, other] == allowing(100).fill([], [add, other, head])
