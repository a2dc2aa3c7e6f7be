"""Which facts of the open document its prompts are made from while it is typed in."""

from __future__ import annotations

from dataclasses import replace

from codeassistd.catalogue.profile import FimOrder
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.steady_facts import BROKEN_LINES, FRESH_LINES, SteadyFacts
from codeassistd.context.types import ContextRequest
from codeassistd.syntax.facts import FileFacts
from tests.support.prompts import VOCABULARY, FakeLookup, facts_of, profile, request_at

HEAD = "class Cart:\n    def add(self, item):\n        self.items.append(item)\n"
TAIL = "\n\n    def total(self):\n        return 0\n"
BROKEN = facts_of("(((")


def at(typed: str, facts: FileFacts | None) -> ContextRequest:
    """A request in `Cart.add`, behind what was typed there."""
    return request_at(f"{HEAD}        {typed}|{TAIL}", facts=facts)


def names(facts: FileFacts | None) -> list[str]:
    """Of all its definitions."""
    return [] if facts is None else [symbol.qualified_name for symbol in facts.symbols]


WHOLE = facts_of(f"{HEAD}        x{TAIL}")


def test_facts_stay_while_the_cursor_does() -> None:
    """Newer ones are not taken for each letter, whether they are better or worse."""
    steady = SteadyFacts()
    assert steady.of(at("", facts=WHOLE)) is WHOLE
    better = facts_of(f"{HEAD}        self.{TAIL}")
    assert [names(WHOLE)] * 3 == [
        names(steady.of(at(typed, facts=facts)))
        for typed, facts in (("self.", better), ("self.add(", BROKEN), ("self.add(", None))
    ]


def test_they_move_along_with_what_is_typed() -> None:
    """So what stands behind the cursor is where it was found, and the cursor in the definition that it is in."""
    steady = SteadyFacts()
    steady.of(at("x", facts=WHOLE))
    typed = "xä = 1\n        b = 2"
    moved, parsed = steady.of(at(typed, facts=BROKEN)), facts_of(f"{HEAD}        {typed}{TAIL}")

    assert moved is not None
    assert (parsed.symbols, parsed.outline) == (moved.symbols, moved.outline)


def test_newer_ones_are_taken_some_lines_on() -> None:
    """Later where they lack the definition that is being typed in: it will be back."""
    steady = SteadyFacts()
    steady.of(at("", facts=WHOLE))
    line = "x = 1\n        "
    newer = facts_of(f"{HEAD}        {line * FRESH_LINES}{TAIL}\n\nX = 1\n")
    assert "X" not in names(steady.of(at(line * (FRESH_LINES - 1), facts=newer)))
    assert names(WHOLE) == names(steady.of(at(line * FRESH_LINES, facts=BROKEN)))
    assert steady.of(at(line * FRESH_LINES, facts=newer)) is newer
    assert steady.of(at(line * (FRESH_LINES + BROKEN_LINES), facts=BROKEN)) is BROKEN


def test_another_definition_has_the_newest_ones() -> None:
    """However near it stands."""
    steady = SteadyFacts()
    steady.of(at("", facts=WHOLE))
    newer = facts_of(f"{HEAD}{TAIL}")
    below = request_at(f"{HEAD}        {TAIL.replace('0', '|')}", facts=newer)
    assert steady.of(below) is newer


def test_what_was_not_typed_has_the_newest_ones() -> None:
    """A large paste, and a document that was closed and opened again."""
    steady = SteadyFacts()
    steady.of(at("", facts=WHOLE))
    pasted = at("x" * 2000, facts=BROKEN)
    assert steady.of(pasted) is BROKEN
    request = at("", facts=WHOLE)
    steady.forget(request.client, request.document.uri)
    assert steady.of(request) is WHOLE


def test_each_editor_has_its_own() -> None:
    """What another one has typed in the same file is not in this one's text."""
    steady = SteadyFacts()
    steady.of(at("", facts=WHOLE))
    assert steady.of(replace(at("", facts=BROKEN), client="s2")) is BROKEN


def test_a_bracket_that_is_still_open_moves_nothing_in_the_prompt() -> None:
    """The parser loses all of the class with it, and its outline; the model reads the letter alone."""
    above = "".join(f"def helper_{n}(value):\n    return value + {n}\n\n\n" for n in range(30))
    builder = ContextBuilder(FakeLookup())

    def prompt(typed: str) -> tuple[int, ...]:
        source = f"{above}{HEAD}        {typed}|{TAIL}"
        request = request_at(source, settings=ContextSettings(max_tokens=1000), facts=facts_of(source.replace("|", "")))
        return builder.build(request, VOCABULARY, profile(FimOrder.PREFIX)).ids

    first = prompt("self")
    assert "# def helper_" in VOCABULARY.spell(list(first))
    for typed in ("self.", "self.add", "self.add(", "self.add(item"):
        assert list(first) == list(prompt(typed))[: len(first)], typed
