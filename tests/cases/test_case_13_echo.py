"""Case 13, item level: the answer repeats what is typed already."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at


def test_the_typed_call_stands_there_once() -> None:
    """The echo of the typed start is taken off."""
    assert 'log.warn("low")' == final("log.warn(|", 'log.warn("low")')


@pytest.mark.parametrize(
    ("marked", "raw", "expected"),
    [
        ('log.warn("l|', 'log.warn("low")', 'log.warn("low")'),
        ("    log.warn(|", "    log.warn(x)", "    log.warn(x)"),
        ("    result = log.warn(|", "log.warn(x)", "    result = log.warn(x)"),
        ("    return self.na|", "self.name", "    return self.name"),
        ("    return self.name|", "name.strip()", "    return self.name.strip()"),
        ("pri|", "print(x)", "print(x)"),
        ("log.warn(|)", 'log.warn("low")', 'log.warn("low")'),
        # What may stand twice stays.
        ("x = |", "x + 1", "x = x + 1"),
        ("m = [0, |", "0, 0]", "m = [0, 0, 0]"),
        ("f(a, |", "a + b)", "f(a, a + b)"),
        ("if not (|", "(a or b) and c)", "if not ((a or b) and c)"),
    ],
)
def test_only_a_telling_echo_is_taken_off(marked: str, raw: str, expected: str) -> None:
    """An echo is the whole typed start, or a call or attribute of it, or the word that is being typed."""
    assert expected == final(marked, raw)


def test_accepting_word_by_word_ends_in_the_same_text() -> None:
    """An editor takes a suggestion's words from its start, so the text holds new letters only."""
    text = fit_at("log.warn(|", 'log.warn("low")').text

    assert '"low")' == text
