"""The summary that needs no model: rules, wishes, choices and figures of a turn, in the user's words."""

from __future__ import annotations

from codeassistd.chat.extract import MAX_LETTERS, extract, sentences, shortened
from codeassistd.chat.summary import Entry, Kind
from codeassistd.chat.turn import Turn


def turn(asked: str, said: str = "", number: int = 3) -> Turn:
    return Turn(number, asked, asked, said=said)


def test_each_kind_of_statement_goes_into_its_list() -> None:
    """With the turn it comes from; small talk is left out."""
    entries = extract(
        [turn("Hi! The export must write UTF-8. We decided to use `polars`. Never touch legacy_export.py.")]
    )
    assert (
        Entry(Kind.REQUIREMENT, 3, "The export must write UTF-8."),
        Entry(Kind.DECISION, 3, "We decided to use `polars`."),
        Entry(Kind.CONSTRAINT, 3, "Never touch legacy_export.py."),
    ) == entries


def test_a_statement_with_a_number_needs_no_signal_word() -> None:
    """In other languages there is none that we know."""
    assert ["Der Dienst lauscht auf Port 7443 und heißt order_gateway."] == [
        entry.text for entry in extract([turn("Der Dienst lauscht auf Port 7443 und heißt order_gateway. Danke!")])
    ]


def test_code_and_logs_are_no_sentences() -> None:
    """What stands in fences states nothing."""
    asked = "Look at this:\n```python\nMUST_NOT = 12  # never use this_name\n```\nIt needs max_items = 40."
    assert ["It needs max_items = 40."] == [entry.text for entry in extract([turn(asked)])]


def test_what_an_answer_repeats_is_kept_once() -> None:
    """The user's own words come first and stand."""
    entries = extract([turn("It must use port 8443.", "Understood: it must always use port 8443 then.")])
    assert ["It must use port 8443."] == [entry.text for entry in entries]


def test_sentences_end_at_signs_and_lines_but_not_inside_names() -> None:
    """Neither at the dot of a file, of a version, or of e.g."""
    assert ["Edit a.py, e.g. line 3.11 of it.", "Then run it!", "first", "second"] == sentences(
        "Edit a.py, e.g. line 3.11 of it. Then run it!\n- first\n2. second"
    )


def test_long_sentences_are_cut_round_their_first_fact() -> None:
    """Between words, and with the fact in it."""
    text = "word " * 80 + "the limit is max_batch_size and not more " + "word " * 80
    cut = shortened(text)
    assert "max_batch_size" in cut
    assert len(cut) <= MAX_LETTERS + len("... ") + len(" ...")
    assert cut.startswith("... ")
    assert cut.endswith(" ...")


def test_a_pasted_log_counts_as_far_as_it_is_shown() -> None:
    """What was cut out of it told nothing then, and tells nothing later."""
    rule = "The port must be 8443."
    asked = f"{rule}\n" + "12:00:00 INFO page_1 must be served\n" * 3
    [entry] = extract([Turn(3, asked, rule)])
    assert (3, rule) == (entry.turn, entry.text)
