"""Wrong guesses that are remembered by what stood before them."""

from __future__ import annotations

from codeassistd.engine.refuted import Refuted

TOKENS = list(range(100, 120))


def test_guesses_are_kept_up_to_one_that_was_wrong_there() -> None:
    """Behind the same eight tokens, of which some may be guesses themselves."""
    refuted = Refuted()
    assert (1, 2, 3) == refuted.before(TOKENS, (1, 2, 3))
    refuted.note([*TOKENS, 1, 2], 3)
    assert (1, 2) == refuted.before(TOKENS, (1, 2, 3, 4))
    assert () == refuted.before([*TOKENS, 1, 2], (3, 4))
    assert (1, 2, 4) == refuted.before(TOKENS, (1, 2, 4))


def test_what_stands_further_back_does_not_matter() -> None:
    """A key typed above changes the prompt and not the place; another token among the eight makes it another place."""
    refuted = Refuted()
    refuted.note(TOKENS, 3)
    assert () == refuted.before([7, 7, *TOKENS[-8:]], (3,))
    assert (3,) == refuted.before([*TOKENS[:-8], 7, *TOKENS[-7:]], (3,))


def test_a_text_that_has_just_begun_is_a_place_too() -> None:
    """With fewer than eight tokens all of them count."""
    refuted = Refuted()
    refuted.note([1, 2], 3)
    assert () == refuted.before([1, 2], (3,))
    assert (3,) == refuted.before([0, 1, 2], (3,))


def test_the_oldest_are_forgotten() -> None:
    """256 are remembered; one that was wrong again counts as new."""
    refuted = Refuted()
    refuted.note([1], 0)
    refuted.note([2], 0)
    for number in range(3, 257):
        refuted.note([number], 0)
    assert () == refuted.before([1], (0,))
    refuted.note([1], 0)
    refuted.note([257], 0)
    assert () == refuted.before([1], (0,))
    assert (0,) == refuted.before([2], (0,))
