"""An answer while it is written: where it ends by itself."""

from __future__ import annotations

import pytest

from codeassistd.chat.looping import loop_start
from codeassistd.chat.reply import Reply


def shown(reply: Reply, pieces: list[str]) -> list[str]:
    return [reply.take(number, piece) for number, piece in enumerate(pieces)]


def test_what_may_begin_the_stop_text_is_held_back() -> None:
    """Until it is known to be something else."""
    reply = Reply("\nUser:")
    assert ["Yes", "", "", "\nUse it."] == shown(reply, ["Yes", "\n", "Use", " it."])
    assert ("Yes\nUse it.", False) == (reply.text, reply.is_over)


def test_the_stop_text_ends_the_answer() -> None:
    """It is not part of it, nor is what follows."""
    reply = Reply("\nUser:")
    assert ["Yes", "", "", ""] == shown(reply, ["Yes", "\nUs", "er: more", "and more"])
    assert ("Yes", True, "") == (reply.text, reply.is_over, reply.finish())


def test_what_was_held_back_is_shown_at_the_end() -> None:
    """Where nothing followed."""
    reply = Reply("\nUser:")
    assert ["Yes", ""] == shown(reply, ["Yes", "\n"])
    assert "\n" == reply.finish()


def test_a_loop_ends_the_answer_and_is_kept_once() -> None:
    """The next prompt need not have it four times."""
    reply = Reply()
    shown(reply, ["It is so. ", *(["The function takes a window of tokens. "] * 20)])
    assert reply.is_over
    assert reply.text.startswith("It is so. The function takes a window of tokens. ")
    assert reply.text.count("The function") <= 4


@pytest.mark.parametrize("piece", ["```\n", "```\n```\n\n", "\n", "  \n"])
def test_empty_fences_and_lines_without_end_are_a_loop(piece: str) -> None:
    """They have no letters to go by, but nobody writes so many of them."""
    start = loop_start("Like this:\n```python\nx = 1\n```\n" + piece * 40)
    assert start is not None
    assert "Like this:\n```python\nx = 1\n```\n" == ("Like this:\n```python\nx = 1\n```\n" + piece * 40)[:start]


@pytest.mark.parametrize(
    "text",
    [
        "a\n" + "\n" * 12,
        "-" * 200,
        "| --- | --- | --- |\n" * 20,
        "0, " * 100,
        "".join(f"item {n} is here\n" for n in range(99)),
    ],
)
def test_rules_tables_and_lists_are_no_loops(text: str) -> None:
    """They repeat few letters, or not exactly."""
    assert loop_start(text) is None
