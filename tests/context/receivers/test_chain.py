"""Expressions as chains of steps from a name."""

from __future__ import annotations

import pytest

from codeassistd.context.receivers.chain import chain_at, closing


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cart", "cart"),
        ("cart.lines[0].total()", "cart.lines[].total()"),
        ("Cart(one, (2, 3)).add(x)", "Cart().add()"),
        ("await shop.open('a)b')", "shop.open()"),
        ("new Map<string, Cart>()", "Map()"),
        ("&Cart{Lines: lines}", "Cart()"),
        ("Cart::new(1)?.total()", "Cart.new().total()"),
        ("this.shop?.cart!.add(1);", "this.shop.cart.add()"),
        ("shop->cart->add()", "shop.cart.add()"),
        ("cart or Cart()", "cart"),
        ("cart {", "cart"),
        ("first if ok else second", "first"),
    ],
)
def test_steps(text: str, words: str) -> None:
    """Names behind dots and their like, calls, and taking one thing out; what stands in brackets does not count."""
    chain = chain_at(text, 0)
    assert chain is not None
    assert words == chain.words


@pytest.mark.parametrize("text", ["a + b", "one.size < 3", "x == y", "'text'", "(1, 2)", "17", "", "name in names"])
def test_what_is_computed_has_no_chain(text: str) -> None:
    """Nor has anything that does not begin with a name."""
    assert chain_at(text, 0) is None


def test_where_brackets_end() -> None:
    """Brackets inside are passed over, and those in strings; one that never ends goes to the end."""
    text = "f(a[1], ')', {'x': (2)}) + g"
    assert text.index(" +") == closing(text, 1)
    assert len("f(a, [b)") == closing("f(a, [b)", 1)
