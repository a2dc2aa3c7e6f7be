"""How many tokens of a prompt definitions from other files get."""

from __future__ import annotations

from codeassistd.context.budget import definition_room, doc_letters


def test_definitions_have_their_share() -> None:
    """More of it where the window has enough beside them; in prompts with pieces of other files half."""
    assert 210 == definition_room(600)
    assert 500 == definition_room(900)
    assert 560 == definition_room(1000)
    assert 1250 == definition_room(2500)


def test_short_prompts_have_no_documentation() -> None:
    """One more definition is worth more."""
    assert 0 == doc_letters(1000)
    assert 120 == doc_letters(2500)
