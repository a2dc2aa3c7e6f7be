"""What is typed to find out what a key costs: a function of the file, letter by letter, and out again."""

from __future__ import annotations

from itertools import islice, pairwise

from codeassistd.bench.index.edits import versions
from codeassistd.syntax.extract import extract
from codeassistd.text import Text

SOURCE = """\
def one():
    return 1


class A:
    def two(self):
        return 2

    def three(self):
        return 3
"""


def test_a_function_is_typed_letter_by_letter_and_taken_out() -> None:
    """Each version has one letter more than the one before; the last key at a place takes out all of it."""
    text = Text.of(SOURCE)
    typed = list(islice(versions(text, extract("python", text.content), 12), 12))

    assert [f"{'def one():'[:n]}{SOURCE}" for n in range(1, 11)] == [str(version) for version in typed[:10]]
    assert (f"def one():\n{SOURCE}", SOURCE) == (str(typed[10]), str(typed[11]))


def test_it_is_typed_whole_in_front_of_one_at_the_same_depth() -> None:
    """So in the end the file is as good as before, with one function more."""
    text = Text.of(SOURCE)
    typed = [str(version) for version in islice(versions(text, extract("python", text.content), 1000), 300)]
    whole = [before for before, version in pairwise(typed) if version == SOURCE][:8]

    one = "def one():\n    return 1\n"
    two = "    def two(self):\n        return 2\n"
    three = "    def three(self):\n        return 3\n"
    assert [one + SOURCE] * 3 == whole[:3]
    assert [SOURCE.replace(two, three + two)] * 3 == whole[3:6]
    assert [SOURCE.replace(three, three + three), SOURCE.replace(three, two + three)] == whole[6:]


def test_where_there_is_no_function_a_plain_line_is_typed() -> None:
    """At the start of the file."""
    text = Text.of("x = 1\n")
    typed = list(islice(versions(text, extract("python", text.content), 3), 3))

    assert ["ax = 1\n", "alx = 1\n", "x = 1\n"] == [str(version) for version in typed]
