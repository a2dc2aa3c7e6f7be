"""One hole, filled: how near it comes to what the file has there, and whether the file is as good as before. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from codeassistd.evals.fit.spots import Spot
from codeassistd.evals.python_source import parses
from codeassistd.evals.style import Format, format_of
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.soundness import n_faults
from codeassistd.text import Text

__all__ = ["Filled", "filled"]


@dataclass(frozen=True, slots=True)
class Filled:
    """What came for one hole.

    Attributes:
        inserted: what would be shown; None for nothing.
        is_exact: whether it is what the file has; blanks at its ends do not count.
        is_first_line: whether its first line is.
        similarity: to what the file has, from 0 to 1.
        compiles: whether the file parses as well as it is; None where nothing was shown.
        format: of what was shown.
    """

    inserted: str | None
    is_exact: bool
    is_first_line: bool
    similarity: float
    compiles: bool | None
    format: Format | None


def filled(spot: Spot, inserted: str | None, languages: Languages) -> Filled:
    """Judge what came at a hole."""
    if inserted is None:
        return Filled(None, is_exact=False, is_first_line=False, similarity=0.0, compiles=None, format=None)
    mine, truth = inserted.strip(), spot.removed.strip()
    return Filled(
        inserted,
        is_exact=mine == truth,
        is_first_line=mine.partition("\n")[0].rstrip() == truth.partition("\n")[0].rstrip(),
        similarity=SequenceMatcher(None, mine, truth, autojunk=False).ratio(),
        compiles=_compiles(spot, inserted, languages),
        format=format_of(spot.before, inserted, spot.after, spot.removed),
    )


def _compiles(spot: Spot, inserted: str, languages: Languages) -> bool:
    """Whether the grammar finds no more faults than in the file as it is, and Python's own parser none, if it is so."""
    original, final = spot.before + spot.removed + spot.after, spot.before + inserted + spot.after
    if spot.language == "python" and parses(original):
        return parses(final)
    language = languages.by_id(spot.language)
    grammar = None if language is None else languages.grammar(language)
    return grammar is None or n_faults(grammar, Text.of(final)) <= n_faults(grammar, Text.of(original))
