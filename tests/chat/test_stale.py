"""Snippets whose file has changed: out of the window, and in again as they are now."""

from __future__ import annotations

from pathlib import Path

from codeassistd.chat.stale import freshened
from codeassistd.chat.turn import Part, PartKind
from tests.support.chatting import turn

CART = Path("/shop/cart.py")
BEFORE = "def total(items):\n    return sum(items)"
FILE = f"import math\n\n{BEFORE}\n\n\ndef count(items):\n    return len(items)\n"


def chunk(text: str = BEFORE, path: Path = CART, kind: PartKind = PartKind.CHUNK) -> Part:
    return Part(kind, "cart.py, lines 3-4", text, path)


def test_what_still_stands_in_its_file_stays() -> None:
    """Wherever the file has moved it, and whatever else was changed."""
    window = [turn(1, parts=[chunk()])]
    fresh = freshened(window, lambda _: f"# new\n{FILE}")
    assert (tuple(window), (), ()) == (fresh.turns, fresh.changed, fresh.parts)


def test_a_definition_may_lack_the_indentation_of_its_first_line() -> None:
    """Its span begins at its first word."""
    method = "def send(self):\n        return 1"
    file = f"class Mail:\n    {method}\n"
    assert () == freshened([turn(1, parts=[chunk(method)])], lambda _: file).changed
    assert 1 == len(
        freshened([turn(1, parts=[chunk(method)])], lambda _: file.replace("return 1", "return 12")).changed
    )


def test_a_changed_snippet_comes_back_as_it_is_now() -> None:
    """Its old text is gone from the window."""
    fresh = freshened([turn(1, parts=[chunk()]), turn(2)], lambda _: FILE.replace("sum(items)", "math.fsum(items)"))
    [note] = fresh.turns[0].parts
    assert (PartKind.NOTE, "cart.py, lines 3-4 has changed since; its current text is shown later") == (
        note.kind,
        note.text,
    )
    assert [1] == [one.number for one in fresh.changed]
    [now] = fresh.parts
    assert ("cart.py, lines 3-4, as it is now", "def total(items):\n    return math.fsum(items)") == (
        now.label,
        now.text,
    )


def test_a_small_change_of_a_long_snippet_comes_as_a_difference() -> None:
    """The shorter of the two."""
    lines = [f"line_{number} = {number}" for number in range(60)]
    changed = [*lines[:30], "line_30 = 'other'", *lines[31:]]
    fresh = freshened([turn(1, parts=[chunk("\n".join(lines))])], lambda _: "\n".join(changed))
    [now] = fresh.parts
    assert PartKind.DIFF is now.kind
    assert "-line_30 = 30\n+line_30 = 'other'" in now.text
    assert len(now.text.splitlines()) < 10


def test_a_file_that_is_gone_is_told() -> None:
    """There is nothing to show instead."""
    fresh = freshened([turn(1, parts=[chunk()])], lambda _: None)
    assert "cart.py, lines 3-4 is gone since" == fresh.turns[0].parts[0].text
    assert () == fresh.parts


def test_a_snippet_shown_twice_comes_back_once() -> None:
    """In whatever turns it stood."""
    window = [turn(1, parts=[chunk()]), turn(2, parts=[chunk()])]
    assert 1 == len(freshened(window, lambda _: FILE.replace("sum", "max")).parts)


def test_what_quotes_no_file_is_never_stale() -> None:
    """Outputs, differences and outlines are of their time; a file that was cut is still the file."""
    parts = [
        Part(PartKind.OUTPUT, "output of `make`", "all good"),
        Part(PartKind.DIFF, "changed lately in cart.py", "-a\n+b", CART),
        Part(PartKind.OUTLINE, "outline of cart.py", "def total(items)", CART),
        chunk("import math\n\n[... cut here: 2 of 8 lines shown ...]", kind=PartKind.FILE),
    ]
    assert () == freshened([turn(1, parts=parts)], lambda _: FILE).changed
