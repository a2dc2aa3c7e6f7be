"""Real text to read: sources of the interpreter's own library, as one long row of tokens."""

from __future__ import annotations

import sysconfig
from collections.abc import Sequence
from pathlib import Path

from codeassistd.engine.backend import Vocabulary
from codeassistd.errors import UsageError

__all__ = ["Corpus", "library_file"]

_FILES = ("argparse.py", "difflib.py", "inspect.py", "mailbox.py", "pickletools.py", "smtplib.py", "tarfile.py")


class Corpus:
    """Hands out stretches that were not handed out before, so that no cache can know them."""

    def __init__(self, tokens: Sequence[int]) -> None:
        self._tokens = tokens
        self._start = 0
        self._round = 0

    @classmethod
    def of_library(cls, vocabulary: Vocabulary) -> Corpus:
        """The corpus in a model's tokens."""
        return cls([token for name in _FILES for token in vocabulary.tokenize(library_file(name).read_text("utf-8"))])

    def take(self, n_tokens: int) -> tuple[int, ...]:
        """The next tokens; after the end it begins anew, a token further on, so that no start comes twice.

        Raises:
            ValueError: the corpus is shorter than that.
        """
        if self._start + n_tokens > len(self._tokens):
            self._round += 1
            self._start = self._round
        if self._start + n_tokens > len(self._tokens):
            raise ValueError(f"the corpus has {len(self._tokens)} tokens, {n_tokens} are wanted")
        taken = tuple(self._tokens[self._start : self._start + n_tokens])
        self._start += n_tokens
        return taken


def library_file(name: str) -> Path:
    """A source file of the interpreter's library.

    Raises:
        UsageError: this interpreter comes without sources.
    """
    path = Path(sysconfig.get_path("stdlib")) / name
    if not path.is_file():
        raise UsageError(f"there is no {path}; the engine is measured on the interpreter's own sources")
    return path
