"""Which definitions are worth their tokens, and which stay while the user types."""

from __future__ import annotations

from codeassistd.context.score import keep, rank
from codeassistd.index.types import Definition
from codeassistd.syntax.facts import FileFacts, Import
from tests.support.prompts import definition, facts_of


def names(definitions: list[Definition]) -> list[str]:
    return [item.qualified_name for item in definitions]


def test_the_nearest_name_comes_first() -> None:
    """Where nothing else tells them apart."""
    found = [definition("far", "def far()"), definition("near", "def near()")]

    assert ["near", "far"] == names(rank(found, ["near", "far"], None))


def test_a_member_is_worth_less_than_a_function_and_a_field_less_than_that() -> None:
    """Their names are shared by many."""
    found = [
        definition("A.field", "field: int", kind="field"),
        definition("A.method", "def method(self)", kind="method"),
        definition("function", "def function()"),
    ]

    assert ["function", "A.method", "A.field"] == names(rank(found, ["field", "method", "function"], None))


def test_a_constant_that_is_not_imported_cannot_be_meant() -> None:
    """Nor a variable of another file; an import of the name or of its module makes it known."""
    found = [definition("LIMIT", "LIMIT = 1", "pkg/limits.py", kind="constant")]
    by_name = FileFacts("python", imports=(Import("pkg.limits", "LIMIT", "", 0),))
    by_module = FileFacts("python", imports=(Import("pkg", "limits", "", 0),))
    ranked = [rank(found, ["LIMIT"], facts) for facts in (None, by_name, by_module)]

    assert [[], found, found] == ranked


def test_a_name_with_many_definitions_tells_nothing() -> None:
    """Unless the file imports it; then the index's first answer is the one."""
    found = [definition("run", f"def run(a{number})", f"m{number}.py") for number in range(4)]
    imported = FileFacts("python", imports=(Import("m0", "run", "", 0),))

    assert [] == rank(found, ["run"], None)
    assert "m0.py" == rank(found, ["run"], imported)[0].relative


def test_a_copy_of_what_the_file_defines_is_left_out() -> None:
    """Its own definition is what is meant."""
    facts = facts_of("def area(w, h):\n    return w * h\n")

    assert [] == rank([definition("area", "def area(w, h)"), definition("area", "def area(r)")], ["area"], facts)


def test_what_was_chosen_stays_in_its_place() -> None:
    """A better one comes behind it."""
    old, new = definition("old", "def old()", "old.py"), definition("new", "def new()", "new.py")

    assert [old, new] == keep([old], [new, old], 8)


def test_a_changed_definition_is_replaced_where_it_stood() -> None:
    """And one that is gone is dropped."""
    first, gone, last = (definition(name, f"def {name}()", f"{name}.py") for name in ("first", "gone", "last"))
    changed = definition("first", "def first(x)", "first.py")

    assert [changed, last] == keep([first, gone, last], [last, changed], 8)


def test_a_full_choice_yields_to_the_upper_half_of_the_ranks_only() -> None:
    """What has fallen out of the ranks makes room; what has not stays."""
    old = [definition(f"old{number}", f"def old{number}()", f"old{number}.py") for number in range(4)]
    new = definition("new", "def new()", "new.py")

    assert [*old[:3], new] == keep(old, [new, *old], 4)
    assert old == keep(old, [*old[:3], new, old[3]], 4)


def test_definitions_of_one_file_stand_together() -> None:
    """New ones in the order of their file."""
    one = Definition("b", "b", "function", "def b()", "", definition("b", "").path, "x.py", 9)
    two = definition("c", "def c()", "y.py")
    three = Definition("a", "a", "function", "def a()", "", definition("a", "").path, "x.py", 3)

    assert [three, one, two] == keep([], [one, two, three], 8)
