"""Pasted logs are cut in a question, and nothing else is."""

from __future__ import annotations

from codeassistd.chat.pasted import cut_pasted

LOG = "\n".join(f"2026-01-01 12:00:00 INFO served page{'s' * n}" for n in range(60))
CODE = "\n".join(f"def function_{n}(): return {n}" for n in range(100))


def test_a_fenced_log_is_cut_and_its_fences_stay() -> None:
    """With the words round it as they are."""
    cut = cut_pasted(f"Why?\n```\n{LOG}\n```\nThanks.")
    assert cut.startswith("Why?\n```\n2026-01-01 12:00:00 INFO served page\n")
    assert "line" in cut
    assert "left out ...]" in cut
    assert cut.endswith("\n```\nThanks.")
    assert len(cut) < len(LOG) / 2


def test_fenced_code_is_left_whole() -> None:
    """However long it is."""
    asked = f"Review this:\n```python\n{CODE}\n```\n"
    assert asked == cut_pasted(asked)


def test_a_log_without_fences_is_cut_between_the_users_words() -> None:
    """The question before or behind it stays."""
    before = cut_pasted(f"What is wrong here?\n\n{LOG}")
    behind = cut_pasted(f"{LOG}\n\nWhat is wrong here?")
    assert before.startswith("What is wrong here?\n\n2026")
    assert behind.startswith("2026")
    assert behind.rstrip().endswith("What is wrong here?")
    assert max(len(before), len(behind)) < len(LOG) / 2


def test_prose_is_left_alone() -> None:
    """Also where it is long."""
    prose = "\n\n".join(f"Paragraph {n} tells a story." for n in range(80))
    assert prose == cut_pasted(prose)


def test_a_fence_that_nothing_closes_is_none() -> None:
    """What comes behind it is looked at as if it were not there."""
    cut = cut_pasted(f"Why?\n\n```\n{LOG}\n")
    assert cut.startswith("Why?\n\n```\n2026")
    assert len(cut) < len(LOG) / 2


def test_a_block_ends_at_its_own_fence() -> None:
    """Shorter and other ones may stand in it, and three backticks round a word in a line are no fence."""
    cut = cut_pasted(f"````\n```\n{LOG}\n````\n```x```\n~~~\n{CODE}\n~~~")
    log, end, rest = cut.partition("\n````\n")
    assert log.startswith("````\n```\n2026-01-01")
    assert len(log) < len(LOG) / 2
    assert (f"```x```\n~~~\n{CODE}\n~~~", "\n````\n") == (rest, end)


def test_many_fences_that_nothing_closes_are_looked_at_once() -> None:
    """A paste of 2 MB with one at each line would take hours otherwise."""
    for line in ("```x", "```"):
        asked = "\n".join(f"{line}{'`' * (n % 50)}{n}" for n in range(60_000))
        assert asked == cut_pasted(asked)
    closed = "```\n" * 60_000
    assert closed == cut_pasted(closed)
