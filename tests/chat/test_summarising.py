"""What is believed of a summary that a model wrote, and what stands in for the rest."""

from __future__ import annotations

from codeassistd.chat.minutes import minutes_from
from codeassistd.chat.summarising import believed, completed, grammar_for, parsed, transcript
from codeassistd.chat.summary import Entry, Kind
from codeassistd.chat.turn import Turn

TURNS = (
    Turn(4, "The port must be 8443.", "The port must be 8443.", said="Noted."),
    Turn(5, "Never call delete_all().", "Never call delete_all().", said="I will not."),
    Turn(6, "Thanks!", "Thanks!", said="You are welcome."),
)


def test_minutes_are_read_into_the_three_lists() -> None:
    """A line that was cut off in its middle counts for nothing."""
    written = (
        "Requirements:\n- (turn 4) port 8443\nDecisions:\nConstraints:\n- (turn 5)  no  delete_all()\n- (turn 5) cut"
    )
    assert (
        Entry(Kind.REQUIREMENT, 4, "port 8443"),
        Entry(Kind.CONSTRAINT, 5, "no delete_all()"),
    ) == parsed(written)


def test_only_what_was_said_in_its_turn_is_believed() -> None:
    """Neither another number, nor the right one in the wrong turn, nor words without any fact."""
    right = Entry(Kind.REQUIREMENT, 4, "port 8443")
    wrong = (
        Entry(Kind.REQUIREMENT, 4, "port 9443"),
        Entry(Kind.REQUIREMENT, 5, "port 8443"),
        Entry(Kind.REQUIREMENT, 99, "port 8443"),
        Entry(Kind.DECISION, 6, "be nice"),
    )
    assert (right,) == believed([right, *wrong], TURNS)


def test_no_turn_gets_lost() -> None:
    """What the model has left out comes from the extract, and what it has told stands in its words."""
    told = Entry(Kind.REQUIREMENT, 4, "port 8443")
    assert (told, Entry(Kind.CONSTRAINT, 5, "Never call delete_all().")) == completed([told], TURNS)


def test_nonsense_gives_the_extract() -> None:
    """And it says so."""
    minutes = minutes_from("Requirements:\n- (turn 4) I love cheese_cake\n", TURNS)
    assert ("extract", 6) == (minutes.author, minutes.through)
    assert ["The port must be 8443.", "Never call delete_all()."] == [entry.text for entry in minutes.entries]
    assert "model" == minutes_from("Requirements:\n- (turn 4) port 8443\n", TURNS).author


def test_the_grammar_allows_these_turns_alone() -> None:
    """And three lists in order."""
    grammar = grammar_for(TURNS)
    assert 'number ::= "4" | "5" | "6"\n' in grammar
    assert grammar.startswith(
        'root ::= "Requirements:\\n" item{0,8} "Decisions:\\n" item{0,8} "Constraints:\\n" item{0,8}\n'
    )


def test_a_transcript_has_room_whatever_was_said() -> None:
    """Its sides are cut in the middle, and code is left out."""
    long = Turn(7, "first " * 400 + "last", "first " * 400 + "last", said="```\ncode = 1\n```\nSo be it.")
    text = transcript([long], 60, lambda text: len(text.split()))
    assert len(text.split()) <= 60
    assert text.startswith("[turn 7] user: first first")
    assert "... " in text
    assert text.endswith("[turn 7] assistant: [code] So be it.")


def test_a_line_of_nothing_but_backticks_is_read_once() -> None:
    """One of 200,000 took minutes, on the thread that all conversations share."""
    ticks = "`" * 200_000
    assert "[turn 1] user: " in transcript([Turn(1, ticks, ticks)], 100, len)
