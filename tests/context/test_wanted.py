"""What a cursor's surroundings ask the index for."""

from __future__ import annotations

import pytest

from codeassistd.context.wanted import Wanted, returned_types, scope_at, wanted_at
from codeassistd.index.imports import OWN_PACKAGE
from codeassistd.syntax.facts import Import
from codeassistd.syntax.languages import Languages
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text
from tests.support.prompts import definition, facts_of


def wanted(source: str, language: str = "python") -> Wanted:
    text, offset = marked(source, "|")
    facts = facts_of(text, language)
    return wanted_at(Text.of(text), offset, facts, Languages.default().by_id(language))


def test_imports_that_nothing_uses_are_told_apart() -> None:
    """A name inside of a longer one is no use."""
    found = wanted("from a import alpha, beta, gamma\nbeta()\ntest_gamma()\n|")

    assert (("gamma", "alpha"), ("beta",)) == (found.unused, found.imported)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f(client: Client):\n    |\n", "Client"),
        ("def f():\n    client = Client(1)\n    |\n", "Client"),
        ("def f():\n    with Session() as s:\n        |\n", "Session"),
        ("class A(Base):\n    def f(self):\n        |\n", "Base"),
        ("class A:\n    def a(self):\n        self.x = Door()\n\n    def b(self):\n        |\n", "Door"),
        ("from a import Thing\n\ndef f():\n    |\n", "Thing"),
        ("def f(session):\n    |\n", "Session"),
        ("def f():\n    http_client.get()\n    |\n", "HttpClient"),
    ],
)
def test_classes_of_receivers(source: str, expected: str) -> None:
    """By annotation, construction, base, attribute, import, and by what a variable is called."""
    assert expected in wanted(source).types


@pytest.mark.parametrize(
    ("source", "language", "expected"),
    [
        ("function f(door: Door) {\n  |\n}\n", "typescript", "Door"),
        ("class A extends Base {\n  f() {\n    |\n  }\n}\n", "typescript", "Base"),
        ("class A {\n  void f() {\n    Door door = make();\n    |\n  }\n}\n", "java", "Door"),
        ("func f(d *shop.Door) {\n\t|\n}\n", "go", "Door"),
        ("fn f(door: &mut Door) {\n    |\n}\n", "rust", "Door"),
    ],
)
def test_classes_in_other_languages(source: str, language: str, expected: str) -> None:
    """The same facts, written differently."""
    assert expected in wanted(source, language).types


def test_classes_of_the_file_itself_lead_to_their_bases() -> None:
    """The open file shows its own members."""
    found = wanted("class Own(Base):\n    pass\n\ndef f(own: Own):\n    |\n")

    assert "Base" in found.types
    assert "Own" not in found.types


def test_modules_are_asked_for_as_a_whole() -> None:
    """Also one that is imported as a name of its package, and a package that comes with its module; a class is none."""
    found = wanted("import os.path\nfrom . import utils\nfrom .models import Thing\nutils.x()\n|")

    outer = Import("os", "", "", 0)
    assert (Import(".utils", "", "", 1), Import("os.path", "", "", 0), outer) == found.modules


def test_a_package_that_needs_no_import_comes_first() -> None:
    """In Go and its like; elsewhere nothing is seen without an import."""
    text, offset = marked('package shop\n\nimport "fmt"\n\nfunc f() {\n\t|\n}\n')
    go, python = (Languages.default().by_id(name) for name in ("go", "python"))
    modules = wanted_at(Text.of(text), offset, facts_of(text, "go"), go).modules

    assert (OWN_PACKAGE, "fmt") == (modules[0], modules[1].module.strip('"'))
    assert () == wanted_at(Text.of("x\n"), 1, facts_of("x\n"), python).modules


def test_what_a_function_says_it_returns() -> None:
    """Before its name or behind its parameters, never the types of the parameters."""
    assert ("Door",) == returned_types([definition("make", "def make(key: Key) -> Door")])
    assert ("Door",) == returned_types([definition("make", "public Door make(Key key)")])
    assert () == returned_types([definition("LIMIT", "LIMIT: Number", kind="constant")])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class A:\n    def f(self):\n        x\n        |\n", "A.f"),
        ("def f():\n    x\n\n|\n", ""),
        ("def f():\n    def g():\n        x\n\n    |\n        y\n", "f"),
        ("def f():\n    x(|\n", "f"),
        ("|", ""),
    ],
)
def test_the_scope_of_a_cursor(source: str, expected: str) -> None:
    """A line that is indented still belongs to the body above, and one that is not does not, whatever stands below."""
    text, offset = marked(source, "|")

    assert expected == scope_at(facts_of(text), Text.of(text), offset)
