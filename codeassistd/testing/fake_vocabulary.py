"""The vocabulary of the fake backend: one token per byte, a second set of the same for answers, and control tokens."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["MARKERS", "FakeVocabulary"]

MARKERS = (
    "<eos>",
    "<fim_prefix>",
    "<fim_suffix>",
    "<fim_middle>",
    "<pad>",
    "<repo_name>",
    "<file_sep>",
    "<filename>",
)
"""The control tokens, in the order of their ids; the first one ends an answer."""

_FIM_KEYS = {
    "prefix": "<fim_prefix>",
    "suffix": "<fim_suffix>",
    "middle": "<fim_middle>",
    "pad": "<pad>",
    "repo": "<repo_name>",
    "sep": "<file_sep>",
}

_N_BYTES = 256
_FIRST_ANSWER = _N_BYTES
_FIRST_MARKER = 2 * _N_BYTES


@dataclass(frozen=True, slots=True, weakref_slot=True)
class FakeVocabulary:
    """Implements `engine.backend.Vocabulary`.

    Ids: 0 to 255 are bytes, 256 to 511 the same bytes in an answer, then the markers, then the pieces.

    Attributes:
        markers: the control tokens; leave some out to play a model that lacks them, but keep `<eos>` first.
        declares_fim: the fill-in-middle markers are in the metadata too.
        bos: the spelling of the marker that every prompt must begin with, or empty.
        pieces: tokens of several bytes, used in answers wherever they fit: to split a letter over two tokens, say.
    """

    markers: tuple[str, ...] = MARKERS
    declares_fim: bool = True
    bos: str = ""
    pieces: tuple[bytes, ...] = ()
    _ids: Mapping[str, int] = field(init=False, repr=False, compare=False)
    _split: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ids = {marker: _FIRST_MARKER + index for index, marker in enumerate(self.markers)}
        object.__setattr__(self, "_ids", ids)
        object.__setattr__(self, "_split", re.compile("(" + "|".join(map(re.escape, self.markers)) + ")"))

    @property
    def n_vocab(self) -> int:
        """Number of tokens."""
        return _FIRST_MARKER + len(self.markers) + len(self.pieces)

    @property
    def eos_id(self) -> int:
        """The token that ends an answer."""
        return _FIRST_MARKER

    @property
    def bos_id(self) -> int | None:
        """The token of `bos`."""
        return self._ids.get(self.bos)

    @property
    def metadata_markers(self) -> Mapping[str, int]:
        """The fill-in-middle markers, if `declares_fim`."""
        if not self.declares_fim:
            return {}
        return {key: self._ids[marker] for key, marker in _FIM_KEYS.items() if marker in self._ids}

    def tokenize(self, text: str) -> list[int]:
        """The bytes of `text`; a marker spelled in it is ordinary letters."""
        return list(text.encode("utf-8", "replace"))

    def marker_id(self, marker: str) -> int | None:
        """The id of one of `markers`."""
        return self._ids.get(marker)

    def token_bytes(self, token: int) -> bytes:
        """The byte or the piece; empty for markers."""
        if token < _FIRST_MARKER:
            return bytes((token % _N_BYTES,))
        n_piece = token - _FIRST_MARKER - len(self.markers)
        return self.pieces[n_piece] if n_piece >= 0 else b""

    def is_stop(self, token: int) -> bool:
        """Whether it is a marker."""
        return 0 <= token - _FIRST_MARKER < len(self.markers)

    def prompt_ids(self, text: str) -> list[int]:
        """Ids of a prompt in which markers are spelled out: `<fim_prefix>a = <fim_suffix><fim_middle>`."""
        ids: list[int] = []
        for part in self._split.split(text):
            ids += [self._ids[part]] if part in self._ids else self.tokenize(part)
        return ids

    def answer_ids(self, text: str) -> list[int]:
        """Ids of an answer: pieces where they fit, bytes of the second set, and markers that are spelled out."""
        ids: list[int] = []
        for part in self._split.split(text):
            ids += [self._ids[part]] if part in self._ids else self._answer_bytes(part.encode())
        return ids

    def spell(self, tokens: list[int]) -> str:
        """The text of tokens, markers spelled out."""
        spelled = b"".join(
            self.markers[token - _FIRST_MARKER].encode() if self.is_stop(token) else self.token_bytes(token)
            for token in tokens
        )
        return spelled.decode("utf-8", "replace")

    def n_before_answer(self, tokens: list[int]) -> int:
        """Where the run of answer tokens at the end begins."""
        n_prompt = len(tokens)
        while n_prompt > 0 and self._is_answer(tokens[n_prompt - 1]):
            n_prompt -= 1
        return n_prompt

    def _is_answer(self, token: int) -> bool:
        return _FIRST_ANSWER <= token < _FIRST_MARKER or token >= _FIRST_MARKER + len(self.markers)

    def _answer_bytes(self, data: bytes) -> list[int]:
        ids: list[int] = []
        first_piece = _FIRST_MARKER + len(self.markers)
        start = 0
        while start < len(data):
            fitting = [piece for piece in self.pieces if data.startswith(piece, start)]
            if fitting:
                longest = max(fitting, key=len)
                ids.append(first_piece + self.pieces.index(longest))
                start += len(longest)
            else:
                ids.append(_FIRST_ANSWER + data[start])
                start += 1
        return ids
