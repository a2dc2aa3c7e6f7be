"""The classes of what stands near a cursor, each led to by something that is written down."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.context.receivers.near import receivers_at
from codeassistd.context.receivers.resolver import Resolver
from codeassistd.context.receivers.tells import Tell
from codeassistd.context.receivers.value import Scope, Value
from codeassistd.index.types import Definition, NoIndex
from codeassistd.syntax.languages import Languages
from codeassistd.testing.marked_text import marked
from tests.support.indexed import indexed
from tests.support.prompts import facts_of, request_at

SHOP = """
import typing as t

class Line:
    total: int

class Cart(Stored):
    def __init__(self, shop: "Shop"):
        self.shop = shop
        self.owner = make_owner()
        self.lines: list[Line] = []

    def first(self) -> Line: ...
    def clone(self) -> t.Self: ...
    def __enter__(self): return self
    def __iter__(self) -> t.Iterator[Line]: ...

class Stored:
    path: Place
    def where(self): return Place()

class Shop:
    cart: Cart = None
    def open(self): ...

class Place: ...
class Owner: ...

def make_owner():
    owner = Owner()
    return owner

def carts() -> t.Iterator[Cart]: ...

shop = Shop()
"""


def _types(tmp_path: Path, files: dict[str, str], source: str, words: str, path: str) -> tuple[str, ...]:
    """The classes of `words` at the cursor of `source`."""
    language = Languages.default().by_path(path)
    assert language is not None
    with indexed(tmp_path, files) as made:
        text, _ = marked(source)
        request = request_at(source, language=language.name, facts=facts_of(text, language.name), root=made.root)
        document = replace(request.document, path=made.root / path)
        found = receivers_at(made.lookup, replace(request, document=document), made.root, language)
    return {each.words: each.types for each in found}.get(words, ())


@pytest.mark.parametrize(
    ("source", "words", "types"),
    [
        ("def f(cart: shop.Cart):\n    |", "cart", ("Cart",)),
        ("def f():\n    cart = Cart(1)\n    |", "cart", ("Cart",)),
        ("def f(cart: Cart):\n    line = cart.first()\n    |", "line", ("Line",)),
        ("def f(cart: Cart):\n    two = cart.clone()\n    |", "two", ("Cart",)),
        ("def f():\n    with Cart(1) as cart, x:\n        |", "cart", ("Cart",)),
        ("def f(cart: Cart):\n    for line in cart.lines:\n        |", "line", ("Line",)),
        ("def f(cart: Cart):\n    for line in cart:\n        |", "line", ("Line",)),
        ("def f():\n    for n, cart in enumerate(carts()):\n        |", "cart", ("Cart",)),
        ("def f():\n    owner = make_owner()\n    |", "owner", ("Owner",)),
        ("def f(cart: Cart):\n    cart.owner.x()\n    |", "cart.owner", ("Owner",)),
        ("def f(cart: Cart):\n    cart.shop.x()\n    |", "cart.shop", ("Shop",)),
        ("def f(cart: Cart):\n    place = cart.path\n    |", "place", ("Place",)),
        ("def f(cart: Cart):\n    place = cart.where()\n    |", "place", ("Place",)),
        ("from shop import shop\ndef f():\n    |", "shop", ("Shop",)),
        ("from shop import shop as it\ndef f():\n    it.cart.x()\n    |", "it.cart", ("Cart",)),
        ("def make_owner():\n    |", "make_owner", ()),
        ("def test_it(make_owner):\n    |", "make_owner", ("Owner",)),
        ("class Big(Cart):\n    def f(self):\n        |", "self", ("Big", "Cart")),
        ("class Big(Cart):\n    def f(self):\n        self.x.y()\n        |", "self", ("Big", "Cart")),
        ("def f(cart: Cart):\n    def g():\n        |", "cart", ("Cart",)),
        ("def f(shop: Shop):\n    if shop.cart.first() == 1:\n        |", "shop.cart", ("Cart",)),
        ("def f(cart: T, more: Cart):\n    |", "cart", ()),
        ("class Big(Cart):\n    def f(self):\n        self.shop.x()\n        |", "self.shop", ("Shop",)),
        ("class Big:\n    cart: Cart\n    def f(self):\n        self.cart.x()\n        |", "self.cart", ("Cart",)),
        ("class Big:\n    @classmethod\n    def f(cls):\n        big = cls()\n        |", "big", ("Big",)),
        ("def f(x):\n    if isinstance(x, Cart):\n        |", "x", ("Cart",)),
        ("def f(cart: Cart):\n    cart = cart or 1\n    |", "cart", ("Cart",)),
        ("def f(n):\n    n = n + 1\n    |", "n", ()),
    ],
)
def test_python(tmp_path: Path, source: str, words: str, types: tuple[str, ...]) -> None:
    """Annotations, constructors, results, attributes, what is walked through or entered, fixtures, bases."""
    assert types == _types(tmp_path, {"shop.py": SHOP, "app.py": ""}, source, words, "app.py")


TYPESCRIPT = """
export class Line { total: number; }
export class Cart {
  lines: Line[] = [];
  constructor(private readonly shop: Shop) {}
  first(): Promise<Line> { return null; }
}
export class Shop { cart = new Cart(); log: Log; }
export interface Priced { price: number; }
export const till = { open() {}, close() {} };
export function open() {
  return { pay() {} };
}
"""


@pytest.mark.parametrize(
    ("source", "words", "types"),
    [
        ("function f(cart: Cart) {\n  |\n}", "cart", ("Cart",)),
        ("function f() {\n  const cart = new Cart(1);\n  |\n}", "cart", ("Cart",)),
        ("async function f(cart: Cart) {\n  const line = await cart.first();\n  |\n}", "line", ("Line",)),
        ("function f(cart: Cart) {\n  for (const line of cart.lines) {\n    |\n  }\n}", "line", ("Line",)),
        ("function f(shop: Shop) {\n  shop.cart.x();\n  |\n}", "shop.cart", ("Cart",)),
        (
            "class A {\n  constructor(private cart: Cart) {}\n  f() {\n    this.cart.x();\n    |\n  }\n}",
            "this.cart",
            ("Cart",),
        ),
        ("class A {\n  #cart: Cart;\n  f() {\n    |\n  }\n}", "self.#cart", ("Cart",)),
        ("class A {\n  #cart: Cart;\n  f() {\n    this.#cart.x();\n    |\n  }\n}", "this.#cart", ("Cart",)),
        ("function f(shop: Shop) {\n  const { cart: mine, log } = shop;\n  |\n}", "mine", ("Cart",)),
        ("function f({ cart, log = 1 }: Shop) {\n  |\n}", "cart", ("Cart",)),
        ("function f(cart: Cart) {\n  cart.lines.forEach((line) => {\n    |\n  });\n}", "line", ("Line",)),
        ("function f(cart: Cart) {\n  cart\n    .first()\n    |\n}", "cart.first()", ("Line",)),
        ("function f(cart: Cart) {\n  cart.lines\n    |\n}", "cart.lines", ("Line",)),
        ("function f(cart: Cart) {\n  x(() =>\n    cart\n      .first()\n      |\n}", "cart.first()", ("Line",)),
        ("function f(cart: Cart) {\n  cart.first()\n  |\n}", "cart.first()", ()),
        ("import { till } from './shop';\nfunction f() {\n  |\n}", "till", ("till",)),
        ("import { open } from './shop';\nfunction f() {\n  const it = open();\n  |\n}", "it", ("open",)),
        ("import { Priced } from './shop';\nfunction f() {\n  |\n}", "Priced", ()),
        ("function f(check: (cart: Cart) => Line) {\n  |\n}", "check", ()),
    ],
)
def test_typescript(tmp_path: Path, source: str, words: str, types: tuple[str, ...]) -> None:
    """Types behind names, `new`, attributes of all kinds, what is taken apart or walked, objects without a class.

    A line that is indented deeper goes on with what stands above it. What only describes objects and a function type
    have nothing to be asked for.
    """
    assert types == _types(tmp_path, {"shop.ts": TYPESCRIPT, "app.ts": ""}, source, words, "app.ts")


GO = """package shop

type Line struct { Total int }

type Cart struct {
	Lines []*Line
	Owner *Owner
}

type Owner struct { Name string }

func NewCart(n int) (*Cart, error) { return nil, nil }

func (c *Cart) First() *Line { return nil }
"""


@pytest.mark.parametrize(
    ("source", "words", "types"),
    [
        ("package a\n\nfunc f(cart *shop.Cart, n int) {\n\t|\n}\n", "cart", ("Cart",)),
        ("package a\n\nfunc f() {\n\tcart, err := NewCart(1)\n\t|\n}\n", "cart", ("Cart",)),
        ("package a\n\nfunc f() {\n\tcart := &Cart{Owner: nil}\n\t|\n}\n", "cart", ("Cart",)),
        ("package a\n\nfunc f(cart *Cart) {\n\tline := cart.First()\n\t|\n}\n", "line", ("Line",)),
        ("package a\n\nfunc f(cart *Cart) {\n\tfor _, line := range cart.Lines {\n\t\t|\n\t}\n}\n", "line", ("Line",)),
        ("package a\n\nfunc (c *Cart) f() {\n\tc.Owner.x()\n\t|\n}\n", "c.Owner", ("Owner",)),
    ],
)
def test_go(tmp_path: Path, source: str, words: str, types: tuple[str, ...]) -> None:
    """Receivers, parameters, results, composite literals, fields, ranges."""
    assert types == _types(tmp_path, {"shop/shop.go": GO, "a/a.go": ""}, source, words, "a/a.go")


JAVA = """
class Line { int total; }
class Cart { Owner owner; List<Line> lines; Line first() { return null; } }
class Owner { String name; }
"""


@pytest.mark.parametrize(
    ("source", "words", "types"),
    [
        ("class A { void f(Cart cart) {\n  |\n} }", "cart", ("Cart",)),
        ("class A { void f() {\n  var cart = new Cart();\n  |\n} }", "cart", ("Cart",)),
        ("class A { void f(Cart cart) {\n  Line line = cart.first();\n  |\n} }", "line", ("Line",)),
        ("class A { void f(Cart cart) {\n  var line = cart.first();\n  |\n} }", "line", ("Line",)),
        ("class A { void f(Cart cart) {\n  cart.owner.x();\n  |\n} }", "cart.owner", ("Owner",)),
        ("class A { void f(Cart cart) {\n  for (Line line : cart.lines) {\n    |\n  }\n} }", "line", ("Line",)),
    ],
)
def test_java(tmp_path: Path, source: str, words: str, types: tuple[str, ...]) -> None:
    """Types in front of names, `var`, fields, results."""
    assert types == _types(tmp_path, {"Shop.java": JAVA, "A.java": ""}, source, words, "A.java")


def test_what_an_import_brings_and_nothing_uses_yet_comes_before_what_is_used(tmp_path: Path) -> None:
    """Who imports a name is about to use it."""
    files = {"shop.py": SHOP, "app.py": ""}
    source = "from shop import Cart, Owner, Place\n\ndef f():\n    |"
    with indexed(tmp_path, files) as made:
        text, _ = marked(source)
        request = request_at(source, facts=facts_of(text), root=made.root)
        request = replace(request, document=replace(request.document, path=made.root / "app.py"))
        python = Languages.default().by_id("python")
        found = receivers_at(made.lookup, request, made.root, python, unused=("Cart",))
        plain = receivers_at(made.lookup, request, made.root, python)

    assert ["Cart", "Place", "Owner"] == [each.words for each in found]
    assert ["Place", "Owner", "Cart"] == [each.words for each in plain]


def test_names_that_nobody_defines_take_no_place(tmp_path: Path) -> None:
    """However many type parameters and library classes stand nearer, the one class of the workspace is found."""
    parameters = ", ".join(f"p{n}: T{n}" for n in range(20))
    source = f"import {{ Cart }} from './shop';\nfunction f({parameters}) {{\n  |\n}}"
    assert ("Cart",) == _types(tmp_path, {"shop.ts": TYPESCRIPT, "app.ts": ""}, source, "Cart", "app.ts")


def test_a_class_means_what_the_file_that_names_it_means(tmp_path: Path) -> None:
    """Where several have one name, and the cursor's own file does not name it at all."""
    files = {
        "lib/core/app.py": "from ..config import Config\n\nclass App:\n    def settings(self) -> Config: ...\n",
        "lib/config.py": "class Config:\n    def from_file(self): ...\n",
        "tests/other.py": "class Config:\n    def wrong(self): ...\n",
        "tests/test_app.py": "",
    }
    source = "def test_it(app: App):\n    settings = app.settings()\n    |"
    with indexed(tmp_path, files) as made:
        text, _ = marked(source)
        request = request_at(source, facts=facts_of(text), root=made.root)
        request = replace(request, document=replace(request.document, path=made.root / "tests/test_app.py"))
        found = receivers_at(made.lookup, request, made.root, Languages.default().by_id("python"))
        (settings,) = [each for each in found if each.words == "settings"]
        members = made.lookup.members(made.root, settings.types, *settings.asking)

    assert ["from_file"] == [each.name for each in members]


def test_a_head_that_the_index_keeps_no_end_of(tmp_path: Path) -> None:
    """What a function with many parameters returns is read in its text."""
    parameters = ", ".join(f"parameter_{n}: int = {n}" for n in range(20))
    files = {"shop.py": f"class Cart: ...\n\ndef cart({parameters}) -> Cart:\n    return None\n", "app.py": ""}
    assert ("Cart",) == _types(tmp_path, files, "def f():\n    it = cart(1)\n    |", "it", "app.py")


def test_a_fixture_is_the_nearest_conftests(tmp_path: Path) -> None:
    """Not what another file has under that name, however near it is."""
    files = {
        "tests/conftest.py": "import shop\n\ndef cart():\n    cart = shop.Cart()\n    yield cart\n",
        "tests/other.py": "def cart() -> Wrong: ...\n",
        "tests/test_a.py": "",
        "shop.py": SHOP,
    }
    assert ("Cart",) == _types(tmp_path, files, "def test_it(cart):\n    |", "cart", "tests/test_a.py")


@pytest.mark.parametrize(
    ("source", "types"),
    [
        ("import shop\n\ndef f():\n    it = shop.make_owner()\n    |", ("Owner",)),
        ("def f(shop):\n    it = shop.make_owner()\n    |", ()),
    ],
)
def test_functions_of_modules(tmp_path: Path, source: str, types: tuple[str, ...]) -> None:
    """Only of what is imported: anything may have a method of the same name."""
    text = SHOP.replace("shop = Shop()", "")
    assert types == _types(tmp_path, {"shop.py": text, "app.py": ""}, source, "it", "app.py")


def test_a_name_that_is_set_from_itself_in_many_lines_is_followed_in_few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each line leads to all before it, so without a memory the steps would be as many as there are ways back."""
    n_said = 0
    said = Resolver._said

    def counted(self: Resolver, tell: Tell, scope: Scope, depth: int) -> Value:
        nonlocal n_said
        n_said += 1
        return said(self, tell, scope, depth)

    monkeypatch.setattr(Resolver, "_said", counted)
    lines = "".join(f"    text = text.replace('{number}', '')\n" for number in range(60))
    source = f"def bare(text):\n{lines}    text.|"
    text, _ = marked(source)
    request = request_at(source, language="python", facts=facts_of(text, "python"))
    assert [] == receivers_at(NoIndex(), request, Path("/nowhere"), Languages.default().by_path("a.py"))
    assert 0 < n_said < 60 * 8


def test_functions_that_call_each_other_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a parser that descends: every function gives back what any of the others gives."""
    n_read = 0
    given_back = Resolver._given_back

    def counted(self: Resolver, function: Definition, owner: str, depth: int) -> Value:
        nonlocal n_read
        n_read += 1
        return given_back(self, function, owner, depth)

    monkeypatch.setattr(Resolver, "_given_back", counted)
    names = [f"rule_{number}" for number in range(12)]
    functions = "".join(f"def {name}():\n" + "".join(f"    return {other}()\n" for other in names) for name in names)
    source = f"{functions}def use():\n    tree = rule_0()\n    tree.|"
    text, _ = marked(source)
    request = request_at(source, language="python", facts=facts_of(text, "python"))
    assert [] == receivers_at(NoIndex(), request, Path("/nowhere"), Languages.default().by_path("a.py"))
    assert 0 < n_read < 12 * 8


def test_a_module_without_a_word_in_its_name_binds_nothing(tmp_path: Path) -> None:
    """Imported for its effects alone; names beside it are followed as ever."""
    source = "import '..';\nimport { shop } from './shop';\nwindow.cart.add();\nshop.|"
    assert () == _types(tmp_path, {"shop.ts": "export const other = 1;\n"}, source, "window.cart", "main.ts")
