"""Which slot a prompt gets, and what of it is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.engine.slots import Slots, common_prefix


@given(st.lists(st.integers(0, 2), max_size=12), st.lists(st.integers(0, 2), max_size=12))
def test_common_prefix_is_the_first_difference(left: list[int], right: list[int]) -> None:
    """The bisection finds what looking at each token would find."""
    naive = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    assert naive == common_prefix(left, right)


def filled(*contents: tuple[str, str], n_ctx: int = 64) -> Slots:
    """Slots by (client, tokens), used in this order; a letter is a token."""
    slots = Slots(len(contents), n_ctx)
    for index, (client, tokens) in enumerate(contents):
        slots[index].client = client
        slots.extend(index, ids(tokens))
        if tokens:
            slots.release(index)
    return slots


def ids(letters: str) -> list[int]:
    return [ord(letter) for letter in letters]


@pytest.mark.parametrize(
    ("expected", "contents", "client", "prompt"),
    [
        pytest.param((0, ""), [("", ""), ("", "")], "a", "xyz", id="the first empty one"),
        pytest.param((1, "abc"), [("b", "abcd"), ("a", "abcx"), ("", "")], "a", "abcd", id="the client's own"),
        pytest.param((2, "abcd"), [("a", "xy"), ("a", "ab"), ("a", "abcde")], "a", "abcdf", id="its longest prefix"),
        pytest.param((1, "abc"), [("", ""), ("a", "abcd")], "a", "abcd", id="the last token is read again"),
        pytest.param((0, ""), [("", ""), ("a", "axxxxxx")], "a", "ayyyyyy", id="another file gets an empty one"),
        pytest.param((1, ""), [("b", "abc"), ("", "")], "a", "abc", id="another client's is not taken over"),
        pytest.param((0, ""), [("a", "xx"), ("b", "yy"), ("a", "zz")], "b", "ww", id="who keeps most gives way"),
        pytest.param((1, ""), [("b", "xx"), ("a", "yy")], "a", "ww", id="the own one where all keep as many"),
        pytest.param((0, "a"), [("a", "axx"), ("a", "bxx")], "a", "ayyyyy", id="the least recently used, cut"),
        pytest.param((0, "ab"), [("a", "abcdef"), ("", "")], "a", "abx", id="a short prompt takes its long slot"),
    ],
)
def test_which_slot(expected: tuple[int, str], contents: list[tuple[str, str]], client: str, prompt: str) -> None:
    """The own warm slot first, then an empty one, then the oldest of the client that keeps the most."""
    slot = filled(*contents).take(ids(prompt), client)
    assert slot is not None
    assert expected == (slot.index, "".join(map(chr, slot.tokens)))
    assert (True, client) == (slot.running, slot.client)


def test_a_running_slot_is_never_taken() -> None:
    """What a generation reads from stays as it is; without an idle slot there is none."""
    slots = Slots(2, 64)
    first = slots.take(ids("abc"), "a")
    second = slots.take(ids("abc"), "a")
    assert first is not None
    assert second is not None
    assert {0, 1} == {first.index, second.index}
    assert slots.take(ids("abc"), "a") is None


def test_two_clients_taking_turns_keep_their_own() -> None:
    """Forty turns of two editors: after the first turn each finds all it read before."""
    slots = Slots(2, 1024)
    kept = []
    for turn in range(40):
        client = "ab"[turn % 2]
        tokens = ids(client * 50 + "x" * turn)
        slot = slots.take(tokens, client)
        assert slot is not None
        kept.append(len(slot.tokens))
        slots.extend(slot.index, tokens[len(slot.tokens) :])
        slots.release(slot.index)
    assert [0, 0] == kept[:2]
    assert [50, 51] == kept[2:4]
    assert all(n_kept >= 50 for n_kept in kept[2:])


def test_cells_are_counted() -> None:
    """Used cells are the tokens of all slots, warm ones included; a slot with tokens holds all of its cells."""
    slots = filled(("a", "xxx"), ("b", "yy"), ("", ""), n_ctx=10)
    assert (5, 20, 30) == (slots.cells_used, slots.cells_held, slots.cells_total)
    slots.forget()
    assert (0, 0) == (slots.cells_used, slots.cells_held)
