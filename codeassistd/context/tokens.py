r"""Token ids of texts, kept by chunk, so that one typed letter costs the tokens of its own line.

A prompt is the concatenation of its chunks' ids, so chunks may only meet where the vocabulary would not have joined
them into one token. Two kinds of vocabulary are in use: some join a line break with the indentation that follows it
(GPT-2 and its heirs: `\n   ` is one token), others with the punctuation before it (`);\n`). `Seam` names the side on
which a cut is safe, and `TokenCache` finds out which by asking the vocabulary. Blank lines always stay with their
neighbour, since runs of line breaks are joined by all of them.
"""

from __future__ import annotations

import re
from enum import StrEnum

from codeassistd.engine.backend import Vocabulary

__all__ = ["Seam", "TokenCache"]

#: Lines as they occur in sources: a block, blank lines, a dedent, brackets and letters at line ends.
_PROBES = (
    "def area(self):\n    return self.w * 2\n\n    def next",
    "for (;;) {\n\t\tif (a[i]) {\n\t\t\tcall(b);\n\t\t}\n\t}\n}\n",
    'names = {\n  "one": 1,\n  "two": 2\n}\n\n\nclass Shape:\n    pass\n',
)
_GENERATION_CHARS = 1_000_000


class Seam(StrEnum):
    """Where one chunk may end and the next begin."""

    BEFORE_BREAK = "before the line break"
    AFTER_BREAK = "after the line break"

    def chunks(self, text: str) -> list[str]:
        """The chunks of `text`, which joined give `text` again; none for an empty text."""
        return [chunk for chunk in _SEAMS[self].split(text) if chunk]


_SEAMS = {
    Seam.BEFORE_BREAK: re.compile(r"(?<=\S)(?=\n)"),
    Seam.AFTER_BREAK: re.compile(r"(?<=\n)(?=[^\S\n]*\S)"),
}


class TokenCache:
    """Ids of chunks in one vocabulary.

    Bounded by letters: two generations of at most a million letters each, the older one forgotten as a whole. Belongs
    to one thread.
    """

    def __init__(self, vocabulary: Vocabulary, generation_chars: int = _GENERATION_CHARS) -> None:
        self._vocabulary = vocabulary
        self._generation_chars = generation_chars
        self._young: dict[str, tuple[int, ...]] = {}
        self._old: dict[str, tuple[int, ...]] = {}
        self._young_chars = 0
        self.seam = _find_seam(vocabulary)

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary that the ids belong to."""
        return self._vocabulary

    def chunks(self, text: str) -> list[str]:
        """The chunks of `text`, cut at this vocabulary's seam."""
        return self.seam.chunks(text)

    def ids(self, text: str) -> list[int]:
        """Ids of `text`, chunk by chunk."""
        return [token for chunk in self.chunks(text) for token in self.chunk_ids(chunk)]

    def count(self, text: str) -> int:
        """Number of tokens of `text`."""
        return sum(len(self.chunk_ids(chunk)) for chunk in self.chunks(text))

    def chunk_ids(self, chunk: str) -> tuple[int, ...]:
        """Ids of one chunk, tokenised at its first use only."""
        ids = self._young.get(chunk)
        if ids is not None:
            return ids
        ids = self._old.pop(chunk, None)
        if ids is None:
            ids = tuple(self._vocabulary.tokenize(chunk))
        if self._young_chars + len(chunk) > self._generation_chars:
            self._old, self._young, self._young_chars = self._young, {}, 0
        self._young[chunk] = ids
        self._young_chars += len(chunk)
        return ids

    def joined_end(self, text: str) -> str:
        """The end of `text` that the vocabulary would put into the token of what may follow; empty where it would not.

        That is a blank before a word, or line breaks before an indentation. A model that was never shown such a word
        without its blank writes badly after a prompt that ends in one, and one that was never shown an indentation
        behind a line break of its own takes such a break for the start of a line that has none.
        """
        n_breaks = len(text) - len(text.rstrip("\n"))
        ends = ["\n" * (n + 1) for n in range(n_breaks)] or ([" "] if text.endswith(" ") else [])
        with_it = self._vocabulary.tokenize(text + ("    x" if n_breaks else "x")) if ends else []
        typed = self._vocabulary.tokenize(text)
        if with_it[: len(typed)] == typed:
            return ""
        for end in ends:
            without = self._vocabulary.tokenize(text.removesuffix(end))
            if with_it[: len(without)] == without:
                return end
        return ""


def _find_seam(vocabulary: Vocabulary) -> Seam:
    """The seam at which chunks give the ids of the whole text; where both do, the one after the line break."""

    def n_wrong(seam: Seam) -> int:
        return sum(
            [token for chunk in seam.chunks(probe) for token in vocabulary.tokenize(chunk)]
            != vocabulary.tokenize(probe)
            for probe in _PROBES
        )

    return min((Seam.AFTER_BREAK, Seam.BEFORE_BREAK), key=n_wrong)
