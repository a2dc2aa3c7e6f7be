"""Bytes of tokens to letters, one token at a time.

A token may end in the middle of a letter, so bytes wait here until their letter is whole. Bytes that can never become
a letter are dropped, as is a half letter at the end: what comes out never holds U+FFFD.
"""

from __future__ import annotations

import codecs

__all__ = ["Utf8Stream"]

_REPLACEMENT = "\ufffd"

_new_decoder = codecs.getincrementaldecoder("utf-8")


class Utf8Stream:
    """The letters of one sequence; give it each token's bytes in order."""

    __slots__ = ("_decoder",)

    def __init__(self) -> None:
        self._decoder = _new_decoder(errors="ignore")

    def feed(self, data: bytes) -> str:
        """The letters that `data` completes; empty while a letter is still open."""
        text = self._decoder.decode(data)
        # A model can spell the replacement mark itself; in code it is always the trace of an encoding fault.
        return text.replace(_REPLACEMENT, "") if _REPLACEMENT in text else text
