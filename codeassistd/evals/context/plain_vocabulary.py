"""A vocabulary where no model is at hand: it counts tokens about as those of code models do.

Pieces are cut as GPT-2 and its heirs cut them: a blank goes with the word behind it, a line break with the indentation.
Long words are cut into pieces of some letters, for which a real vocabulary would have its own cuts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import count

from codeassistd.catalogue.profile import FimOrder, Profile

__all__ = ["PlainVocabulary"]

_N_WORD = 7
"""Letters of a word that one token holds: with it the sources of this program take as many tokens as in the starter's
vocabulary."""
_PIECE = re.compile(rf" ?[^\W\d_]{{1,{_N_WORD}}}|[^\W\d_]{{1,{_N_WORD}}}| ?\d|_| ?[^\s\w]{{1,3}}|\s+(?!\S)|\s+")
_MARKERS = ("repo", "file", "prefix", "suffix", "middle")


class PlainVocabulary:
    """Implements `engine.backend.Vocabulary`; ids are given out as pieces are met."""

    def __init__(self) -> None:
        self._ids: dict[str, int] = {}
        self._pieces: list[str] = []
        self._numbers = count(len(_MARKERS))

    @property
    def n_vocab(self) -> int:
        """Pieces met so far, with the markers."""
        return len(_MARKERS) + len(self._pieces)

    @property
    def bos_id(self) -> int | None:
        """None."""
        return None

    @property
    def metadata_markers(self) -> Mapping[str, int]:
        """None are declared: see `profile`."""
        return {}

    def tokenize(self, text: str) -> list[int]:
        """The ids of the text's pieces."""
        return [self._id(piece) for piece in _PIECE.findall(text)]

    def marker_id(self, marker: str) -> int | None:
        """The id of a marker by its name."""
        return _MARKERS.index(marker) if marker in _MARKERS else None

    def token_bytes(self, token: int) -> bytes:
        """The bytes of a piece; empty for a marker."""
        place = token - len(_MARKERS)
        return self._pieces[place].encode() if place >= 0 else b""

    def is_stop(self, token: int) -> bool:
        """Whether it is a marker."""
        return token < len(_MARKERS)

    def profile(self) -> Profile:
        """What most models for filling in have: markers for files and for the three parts, prefix first."""
        repo, file_sep, prefix, suffix, middle = range(len(_MARKERS))
        return Profile(FimOrder.PSM, "none", prefix, suffix, middle, repo=repo, file_sep=file_sep)

    def _id(self, piece: str) -> int:
        known = self._ids.get(piece)
        if known is None:
            known = self._ids[piece] = next(self._numbers)
            self._pieces.append(piece)
        return known
