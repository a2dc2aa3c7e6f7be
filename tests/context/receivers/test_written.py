"""Types as they are written, down to the names of classes."""

from __future__ import annotations

import pytest

from codeassistd.context.receivers.written import read_type, returned, type_at


@pytest.mark.parametrize(
    ("text", "types", "items"),
    [
        ("Cart", ("Cart",), ()),
        ("shop.models.Cart | None", ("Cart",), ()),
        ("Optional['Cart']", ("Cart",), ()),
        ("list[Cart]", ("list",), ("Cart",)),
        ("Mapping[str, list[Line]]", ("Mapping",), ("list", "Line")),
        ("Promise<Cart>", ("Cart",), ()),
        ("Cart[]", (), ("Cart",)),
        ("[]*shop.Cart", (), ("Cart",)),
        ("(*shop.Cart, error)", ("Cart",), ()),
        ("&mut Box<dyn Shop>", ("Shop",), ()),
        ("int", (), ()),
    ],
)
def test_names_of_classes(text: str, types: tuple[str, ...], items: tuple[str, ...]) -> None:
    """What the value may be, and what it may hold; what only wraps it is seen through."""
    written = read_type(text)
    assert (types, items) == (written.types, written.items)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("list[Cart] = []", "list[Cart]"),
        ("Cart | None, other", "Cart | None"),
        ("'Cart') -> int", "'Cart'"),
        ("Map<string, Cart>;", "Map<string, Cart>"),
        ("Cart[] = []", "Cart[]"),
        ("&mut Cart)", "&mut Cart"),
        ("= 1", ""),
    ],
)
def test_where_a_type_ends(text: str, found: str) -> None:
    """At the first word or sign that belongs to no type."""
    assert found == type_at(text, 0)[0]


@pytest.mark.parametrize(
    ("signature", "name", "found"),
    [
        ("def cart(self, n: int = 1) -> Cart", "cart", "Cart"),
        ("def cart(self)", "cart", ""),
        ("async def cart(self)", "cart", ""),
        ("func (s *Shop) Cart(n int) (*Cart, error)", "Cart", "(*Cart, error)"),
        ("func (s *Shop) Close()", "Close", ""),
        ("fn cart<'a>(&'a self) -> Option<Cart> where Self: Sized", "cart", "Option<Cart>"),
        ("cart(n: number): Promise<Cart>", "cart", "Promise<Cart>"),
        ("get cart(): Cart", "cart", "Cart"),
        ("public static Cart cart(int n)", "cart", "public static Cart"),
        ("const Cart& cart() const", "cart", "const Cart&"),
        ("val cart: Cart", "cart", "Cart"),
    ],
)
def test_results_of_functions(signature: str, name: str, found: str) -> None:
    """Behind the parameters, or in front of the name as in C; empty where a head says none."""
    assert found == returned(signature, name)
