"""Which definitions are worth their tokens."""

from __future__ import annotations

import pytest

from codeassistd.context.receivers.near import Receiver
from codeassistd.context.score import Candidates, names_in, rank, words_of
from codeassistd.context.wanted import Wanted
from codeassistd.index.types import Definition, FoundChunk
from codeassistd.syntax.facts import FileFacts, Import
from tests.support.prompts import ROOT, definition, facts_of


def names(definitions: list[Definition]) -> list[str]:
    return [item.qualified_name for item in definitions]


def ranked(found: list[Definition], *near: str, facts: FileFacts | None = None) -> list[Definition]:
    return rank(Candidates(found), Wanted(near=near), facts, "cart.py")


def chunk(text: str) -> FoundChunk:
    return FoundChunk(ROOT / "other.py", "other.py", "python", "", 0, 1, text)


def test_the_nearest_name_comes_first() -> None:
    """Where nothing else tells them apart."""
    found = [definition("far", "def far()"), definition("near", "def near()")]

    assert ["near", "far"] == names(ranked(found, "near", "far"))


def test_a_member_is_worth_less_than_a_function_and_a_field_less_than_that() -> None:
    """Their names are shared by many."""
    found = [
        definition("A.field", "field: int", kind="field"),
        definition("A.method", "def method(self)", kind="method"),
        definition("function", "def function()"),
    ]

    assert ["function", "A.method", "A.field"] == names(ranked(found, "field", "method", "function"))


def test_a_field_that_can_be_called_is_worth_as_much_as_a_method() -> None:
    """As interfaces write their functions down; a field that only holds something comes behind."""
    found = [
        definition("Door.height", "height: number", kind="field"),
        definition("Door.shut", "shut: (hard: boolean) => void", kind="field"),
    ]

    assert ["Door.shut", "Door.height"] == names(rank(Candidates(members=found), Wanted(), None, "a.ts"))


@pytest.mark.parametrize("name", ["__init__", "constructor", "#bolt"])
def test_what_no_other_class_calls_by_its_name_is_left_out(name: str) -> None:
    """Neither what the language calls by itself, nor what is a class's own."""
    members = [definition(f"Door.{name}", f"{name}()", kind="method"), definition("Door.shut", "shut()", kind="method")]

    assert ["Door.shut"] == names(rank(Candidates(members=members), Wanted(), None, "a.ts"))


def test_what_only_a_test_runner_calls_is_left_out_of_exports() -> None:
    """A class for tests is none of those."""
    exports = [
        definition("TestDoor", "func TestDoor(t *testing.T)"),
        definition("test_door", "def test_door()"),
        definition("TestClient", "class TestClient", kind="class"),
        definition("Testify", "func Testify()"),
    ]

    assert ["TestClient", "Testify"] == names(rank(Candidates(exports=exports), Wanted(), None, "a.go"))


def test_a_member_that_the_file_uses_is_behind_its_like() -> None:
    """The file shows already how it is called."""
    members = [definition("Door.open", "def open(self)"), definition("Door.shut", "def shut(self)")]
    facts = facts_of("def f(door):\n    door.open()\n")

    assert ["Door.shut", "Door.open"] == names(rank(Candidates(members=members), Wanted(), facts, "cart.py"))
    assert ["Door.open", "Door.shut"] == names(rank(Candidates(members=members), Wanted(), None, "cart.py"))


def test_an_import_that_is_not_used_yet_comes_before_all() -> None:
    """Who imports a name is about to use it."""
    found = [definition("near", "def near()"), definition("used", "def used()"), definition("unused", "def unused()")]
    wanted = Wanted(near=("near",), unused=("unused",), imported=("used",))

    assert ["unused", "near", "used"] == names(rank(Candidates(found), wanted, None, "cart.py"))


def test_a_constant_that_is_not_imported_cannot_be_meant() -> None:
    """Nor a variable of another file; an import of the name or of its module makes it known."""
    found = [definition("LIMIT", "LIMIT = 1", "pkg/limits.py", kind="constant")]
    by_module = FileFacts("python", imports=(Import("pkg", "limits", "", 0),))

    assert [] == ranked(found, "LIMIT")
    assert found == rank(Candidates(found), Wanted(("LIMIT",), imported=("LIMIT",)), None, "cart.py")
    assert found == ranked(found, "LIMIT", facts=by_module)


def test_a_name_with_many_definitions_tells_nothing() -> None:
    """Unless the file imports it; then the index's first answer is the one."""
    found = [definition("run", f"def run(a{number})", f"m{number}.py") for number in range(4)]

    assert [] == ranked(found, "run")
    assert "m0.py" == rank(Candidates(found), Wanted(unused=("run",)), None, "cart.py")[0].relative


def test_a_copy_of_what_the_file_defines_is_left_out() -> None:
    """Its own definition is what is meant."""
    facts = facts_of("def area(w, h):\n    return w * h\n")

    assert [] == ranked([definition("area", "def area(w, h)"), definition("area", "def area(r)")], "area", facts=facts)


def test_members_that_the_workspace_uses_often_come_first() -> None:
    """Where nothing at the cursor tells them apart; what the language calls by itself is left out."""
    members = [
        definition("Cart.__init__", "def __init__(self)", kind="method"),
        definition("Cart.rare", "def rare(self)", kind="method"),
        definition("Cart.often", "def often(self)", kind="method"),
    ]
    candidates = Candidates(members=members, frequencies={"rare": 1, "often": 9})

    assert ["Cart.often", "Cart.rare"] == names(rank(candidates, Wanted(), None, "cart.py"))


def test_what_alike_code_uses_comes_first() -> None:
    """Who writes the same thing again calls the same things."""
    members = [
        definition("Cart.first", "def first(self)", kind="method"),
        definition("Cart.second", "def second(self)", kind="method"),
    ]
    candidates = Candidates(members=members, chunks=[chunk("cart.second()")])

    assert ["Cart.second", "Cart.first"] == names(rank(candidates, Wanted(), None, "cart.py"))


def test_a_name_that_shares_words_with_those_near_comes_first() -> None:
    """A line about lines is likely to call `split_lines`."""
    members = [
        definition("Segment.apply_style", "def apply_style(self)", kind="method"),
        definition("Segment.split_lines", "def split_lines(self)", kind="method"),
    ]

    assert ["Segment.split_lines", "Segment.apply_style"] == names(
        rank(Candidates(members=members), Wanted(near=("lines",)), None, "cart.py")
    )


def test_names_of_alike_code_are_those_that_are_not_known() -> None:
    """The most used first."""
    chunks = [chunk("alpha(beta)"), chunk("beta(known)")]

    assert ["beta", "alpha"] == names_in(chunks, {"known"})


def test_names_are_cut_into_words() -> None:
    """At case and underscore."""
    assert {"split", "lines"} == words_of("split_lines")
    assert {"http", "server", "error"} == words_of("HTTPServerError")


def test_members_of_what_is_nearest_come_first() -> None:
    """A class that the source leads to before one that only a name is like; private ones behind, but for one's own."""
    members = [
        definition("Shop._hidden", "def _hidden(self)", kind="method"),
        definition("Shop.open", "def open(self)", kind="method"),
        definition("Cart.add", "def add(self)", kind="method"),
        definition("Cart._sum", "def _sum(self)", kind="method"),
    ]
    receivers = [Receiver("self", ("Cart",)), Receiver("shop", ("Nothing",))]

    assert ["Cart.add", "Cart._sum", "Shop.open", "Shop._hidden"] == names(
        rank(Candidates(members=members, receivers=receivers), Wanted(), None, "cart.py")
    )


def test_what_alike_code_asks_of_such_a_receiver_comes_first() -> None:
    """Of a receiver of another name it proves nothing."""
    members = [definition(f"Shop.{name}", f"def {name}(self)", kind="method") for name in ("open", "close", "sell")]
    candidates = Candidates(
        members=members, receivers=[Receiver("self.shop", ("Shop",))], chunks=[chunk("door.open()\nshop.close()")]
    )

    assert ["Shop.close", "Shop.open", "Shop.sell"] == names(rank(candidates, Wanted(), None, "cart.py"))


@pytest.mark.parametrize(
    ("imported", "used"),
    [
        (Import("./util.js", "", "util", 0), "util.zip_up(a)"),
        (Import("shop.util", "", "", 0), "util.zip_up(a)"),
        (Import("example.org/shop/util", "", "", 0), "util.zip_up(a)"),
    ],
)
def test_what_alike_code_asks_of_a_module_of_the_same_name_comes_first(imported: Import, used: str) -> None:
    """One among hundreds of functions that a whole module offers."""
    exports = [definition(name, f"function {name}(a)") for name in ("add_up", "zip_up", "sum_up")]
    candidates = Candidates(exports=exports, chunks=[chunk(f"return other.add_up(a) + {used} + sum_up(a)")])

    assert ["zip_up", "add_up", "sum_up"] == names(rank(candidates, Wanted(modules=(imported,)), None, "cart.ts"))
