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
