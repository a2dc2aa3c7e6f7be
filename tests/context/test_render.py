"""How definitions of other files are written down."""

from __future__ import annotations

from codeassistd.context.render import definition_files
from codeassistd.syntax.languages import Languages
from tests.support.prompts import definition

LANGUAGES = Languages.default()
CART = definition("Cart", "class Cart(Base)", "cart.py", kind="class", doc="What is bought.")
ADD = definition("Cart.add", "def add(self, item)", "cart.py", kind="method", doc="One more.")
PRICE = definition("price_of", "def price_of(cart)", "cart.py", doc="What all of it costs.")


def test_a_class_is_named_once_where_it_stands_above_its_members() -> None:
    """And where it does not, its bare name stands there."""
    assert [("cart.py", "class Cart(Base):\n    def add(self, item): ...\n")] == definition_files(
        [CART, ADD], LANGUAGES.by_path, 0
    )
    assert [("cart.py", "class Cart:\n    def add(self, item): ...\n")] == definition_files([ADD], LANGUAGES.by_path, 0)


def test_documentation_has_as_many_letters_as_there_are() -> None:
    """None of a member, whatever there is."""
    whole = 'class Cart(Base):\n    """What is bought."""\n    def add(self, item): ...\n'
    assert [("cart.py", whole)] == definition_files([CART, ADD], LANGUAGES.by_path, 120)
    assert [("cart.py", 'def price_of(cart):\n    """What all"""\n')] == definition_files([PRICE], LANGUAGES.by_path, 8)
    assert [("cart.py", "def price_of(cart): ...\n")] == definition_files([PRICE], LANGUAGES.by_path, 0)
