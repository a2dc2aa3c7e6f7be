"""Case 23, item level: half a letter is dropped, a whole one is kept."""

from __future__ import annotations

import pytest

from tests.support.fitting import final, fit_at


@pytest.mark.parametrize("letters", ["🙂", "漢字", "é", "👩‍👩‍👧"])
def test_letters_of_several_bytes_are_kept(letters: str) -> None:
    """Whatever the tokens were, the item holds the letters."""
    assert f'x = "{letters}"' == final('x = "|', f'{letters}"')


@pytest.mark.parametrize("broken", ["ok\ufffd", "ok\ufffd\ufffd", "ok\ufffd more", "ok\x00more", "ok\ufeffmore"])
def test_no_replacement_mark_is_shown(broken: str) -> None:
    """The text ends before what could not be read."""
    assert 'x = "ok' == final('x = "|', broken)


def test_nothing_but_half_a_letter_is_no_item() -> None:
    """There is nothing left to show."""
    assert None is fit_at("x = |", "\ufffd").text
