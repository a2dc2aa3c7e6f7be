"""Whether one model may guess for another: its tokens must mean the same, number by number.

Two vocabularies of one size can differ, and two of different sizes can be the same but for unused rows at the end. So
the content decides, over the ids that both have; ids that only one has are never handed to the other.
"""

from __future__ import annotations

from typing import Protocol

__all__ = ["HasEntries", "TokenEntry", "vocabulary_difference"]

TokenEntry = tuple[bytes, int, bool]
"""A token: its text in the file, its flags, and whether it ends a text."""


class HasEntries(Protocol):
    """A vocabulary that shows its tokens."""

    @property
    def n_vocab(self) -> int:
        """Number of tokens."""

    def entry(self, token: int) -> TokenEntry:
        """What a token is."""


def vocabulary_difference(main: HasEntries, draft: HasEntries) -> str:
    """The first difference of two vocabularies over the ids that both have, in one line; empty if there is none."""
    for token in range(min(main.n_vocab, draft.n_vocab)):
        ours, theirs = main.entry(token), draft.entry(token)
        if ours == theirs:
            continue
        if ours[0] != theirs[0]:
            return f"token {token} is {_shown(theirs)} there and {_shown(ours)} in the main model"
        return f"token {token} ({_shown(ours)}) is a special one in one of the models and not in the other"
    return ""


def _shown(entry: TokenEntry) -> str:
    return repr(entry[0].decode("utf-8", "replace"))
