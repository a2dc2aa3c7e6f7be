"""What a class has, its bases included."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.syntax.facts import Import
from tests.support.indexed import Indexed, indexed


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Indexed]:
    """A workspace with nothing in it."""
    with indexed(tmp_path) as made:
        yield made


def test_members_come_in_order_of_the_text(shelf: Indexed) -> None:
    """Methods and fields, not what stands inside the methods."""
    shelf.put(
        {
            "cart.py": "class Cart:\n    limit = 3\n    def add(self):\n        def inner(): ...\n"
            "    def total(self): ...\n"
        }
    )
    assert ["Cart.limit", "Cart.add", "Cart.total"] == shelf.members("Cart")
    assert [] == shelf.members("Basket")


def test_members_of_bases_come_behind_without_the_overridden(shelf: Indexed) -> None:
    """The base that is meant is the one that the class's own file imports."""
    shelf.put(
        {
            "shop/cart.py": "from shop.base import Base\n\nclass Cart(Base):\n    def add(self): ...\n",
            "shop/base.py": "class Root:\n    def root(self): ...\n\nclass Base(Root):\n"
            "    def add(self): ...\n    def save(self): ...\n",
            "a/base.py": "class Base:\n    def wrong(self): ...\n",
        }
    )
    assert ["Cart.add", "Base.save", "Root.root"] == shelf.members("Cart")


def test_a_class_that_is_its_own_base_ends(shelf: Indexed) -> None:
    """Broken code is searched, too."""
    shelf.put({"a.py": "class A(B):\n    def a(self): ...\n", "b.py": "class B(A):\n    def b(self): ...\n"})
    assert ["A.a", "B.b"] == shelf.members("A")


def test_the_class_that_is_imported_is_meant(shelf: Indexed) -> None:
    """Of several with one name; else the nearest."""
    shelf.put(
        {
            "app/near.py": "class It:\n    def near(self): ...\n",
            "lib/named.py": "class It:\n    def named(self): ...\n",
        }
    )
    assert ["It.near"] == shelf.members("It", asking="app/main.py")
    imports = [Import("lib.named", "It", "", 0)]
    found = shelf.lookup.members(shelf.root, ["It"], shelf.root / "app/main.py", imports)
    assert ["It.named"] == [definition.qualified_name for definition in found]


def test_methods_of_a_go_type_are_gathered_from_its_folder(shelf: Indexed) -> None:
    """In Go they may stand in any file of the package, and not in others."""
    shelf.put(
        {
            "shop/cart.go": "package shop\n\ntype Cart struct{ n int }\n\nfunc (c *Cart) Add() {}\n",
            "shop/total.go": "package shop\n\nfunc (c Cart) Total() int { return 0 }\n",
            "other/cart.go": "package other\n\nfunc (c Cart) Wrong() {}\n",
        }
    )
    members = [name.rpartition(".")[2] for name in shelf.members("Cart", asking="shop/main.go")]
    assert {"Add", "Total"} == set(members) - {"n"}


def test_a_class_in_the_asking_file_is_not_told(shelf: Indexed) -> None:
    """What its editor shows is known better there; another of that name is not meant by the file's own text."""
    shelf.put({"a.py": "class Cart:\n    def mine(self): ...\n", "b.py": "class Cart:\n    def other(self): ...\n"})
    assert ["Cart.other"] == shelf.members("Cart", asking="a.py")


def test_members_of_a_changed_file_are_not_told(shelf: Indexed) -> None:
    """They may be gone; the next best class takes its place."""
    shelf.put({"a.py": "class Cart:\n    def old(self): ...\n", "x/b.py": "class Cart:\n    def second(self): ...\n"})
    (shelf.root / "a.py").write_text("class Cart: ...\n", encoding="utf-8")
    assert ["Cart.second"] == shelf.members("Cart")
    assert shelf.root / "a.py" in shelf.stale


def test_members_of_open_documents(shelf: Indexed) -> None:
    """A method that was typed a moment ago is there, and one that was deleted is not."""
    shelf.put({"a.py": "class Cart:\n    def old(self): ...\n"})
    shelf.show("s1", "a.py", "class Cart(Base):\n    def new(self): ...\n\nclass Base:\n    def under(self): ...\n")
    assert ["Cart.new", "Base.under"] == shelf.members("Cart", client="s1")
