"""The summary: three lists with turns, merged without doubles, never over its budget."""

from __future__ import annotations

from codeassistd.chat.summary import Entry, Kind, Memory, Minutes, Summary

PORT = Entry(Kind.REQUIREMENT, 1, "The port must be 8443.")
CHOICE = Entry(Kind.DECISION, 2, "We use Redis.")
LIMIT = Entry(Kind.CONSTRAINT, 3, "At most max_jobs = 4.")


def count(text: str) -> int:
    return len(text.split())


def test_the_three_lists_stand_in_order_with_their_turns() -> None:
    """An empty list has no heading."""
    assert (
        "Requirements:\n- (turn 1) The port must be 8443.\n\nConstraints:\n- (turn 3) At most max_jobs = 4.\n"
        == Summary((PORT, LIMIT)).text()
    )
    assert "" == Summary().text()


def test_what_says_the_same_is_not_said_twice() -> None:
    """But another number makes another fact."""
    again = Entry(Kind.REQUIREMENT, 9, "the port must be 8443!")
    other = Entry(Kind.REQUIREMENT, 9, "The port must be 9443.")
    assert (PORT, CHOICE, other) == Summary((PORT, CHOICE)).merged([again, other]).entries


def test_over_budget_what_weighs_least_goes_first() -> None:
    """So what was said in turn 1 outlives small things of turn 30."""
    small = Entry(Kind.REQUIREMENT, 30, "We would like it nice and tidy if we can.")
    whole = Summary((PORT, CHOICE, LIMIT, small))
    assert (PORT, LIMIT) == whole.within(18, count).entries
    assert () == whole.within(0, count).entries
    assert whole == whole.within(1000, count)


def test_a_memory_speaks_for_all_turns_up_to_one() -> None:
    """With what was remembered before."""
    memory = Memory(Summary((PORT,)), 4, "extract").after(Minutes((LIMIT,), 9, "model"), 1000, count)
    assert Memory(Summary((PORT, LIMIT)), 9, "model") == memory
