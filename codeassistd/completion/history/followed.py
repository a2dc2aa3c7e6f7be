"""One suggestion after it was shown: what the next edits say about it. Pure but for its own state.

The text stays in memory for as long as it is followed, and goes nowhere else.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from codeassistd.completion.history.record import Fate
from codeassistd.documents.change import Change

__all__ = ["Followed", "share_left"]

#: From this share on a text that was typed by hand counts as typed as suggested.
_MOST = 0.5
#: Bytes round the place of an accepted text in which it is looked for; it moves with what is written above it.
_NEAR = 400
#: How far repeated letters can make a change seem to lie behind its place.
_MAX_SHIFT = 1000
_WORD = re.compile(rb"\w+|[^\w\s]")


@dataclass(slots=True, eq=False)
class Followed:
    """A suggestion and the place it stands at.

    Attributes:
        at: where its text begins, in bytes of the document as it is now.
        taken: how many bytes of its text are in the document.
        fate: what is known so far.
        is_open: whether the editor may still show it.
    """

    id: str
    text: bytes
    at: int
    taken: int = 0
    fate: Fate = Fate.SHOWN
    is_open: bool = True
    _took_piece: bool = False

    @property
    def cursor(self) -> int:
        """Where the rest of the text would go."""
        return self.at + self.taken

    @property
    def rest(self) -> bytes:
        """What is not in the document yet."""
        return self.text[self.taken :]

    @property
    def share_taken(self) -> float:
        """Share of its letters that are in the document."""
        n_letters = len(b"".join(self.text.split()))
        return len(b"".join(self.text[: self.taken].split())) / n_letters if n_letters else 0.0

    def accept(self) -> None:
        """The editor says that it was accepted; the edit that does it may come before or after."""
        self.fate, self.is_open = Fate.ACCEPTED, False

    def edit(self, change: Change, after: bytes) -> None:
        """The document has changed; `after` is its text now."""
        n_more = self._n_agreeing(change, after)
        if n_more:
            self._take(n_more)
        elif not self.is_open:
            self._shift(change)
        else:
            self.end()
            self._shift(change)

    def end(self) -> None:
        """The suggestion is gone from the screen, for something that the user did instead."""
        if not self.is_open:
            return
        self.is_open = False
        if self._took_piece:
            self.fate = Fate.PARTLY
        else:
            self.fate = Fate.TYPED if self.share_taken >= _MOST else Fate.DISMISSED

    def give_up(self) -> None:
        """The suggestion is gone without the user's doing: replaced by another, or its document was closed."""
        if self.is_open and (self._took_piece or self.share_taken >= _MOST):
            self.end()
        self.is_open = False

    def goes_on_as(self, text: bytes, offset: int) -> bool:
        """Whether another suggestion at `offset` is the rest of this one."""
        return self.is_open and offset == self.cursor and text == self.rest

    def share_left(self, content: bytes) -> float:
        """How much of what was taken is still there near its place."""
        taken = self.text[: self.taken] or self.text
        return share_left(taken, content[max(0, self.at - _NEAR) : self.at + len(taken) + _NEAR])

    def _n_agreeing(self, change: Change, after: bytes) -> int:
        """How many bytes of the rest the change has put in at their place.

        Where letters repeat, a change can be told in several ways, so the text decides. An editor may add a closer to
        a typed opener; that one is not counted.
        """
        cursor, inserted, shift = self.cursor, len(change.inserted), change.start - self.cursor
        if not self.rest or change.removed or not inserted or not 0 <= shift <= _MAX_SHIFT:
            return 0
        if after[cursor : cursor + shift] != after[cursor + inserted : cursor + inserted + shift]:
            return 0
        put_in = after[cursor : cursor + inserted]
        same = _n_same(put_in, self.rest)
        return same if same == inserted or put_in[same:].strip(b")]}>\"'`") == b"" else 0

    def _take(self, n_bytes: int) -> None:
        is_piece = len(b"".join(self.rest[:n_bytes].split())) > 1
        self.taken += n_bytes
        if not self.is_open:
            return
        self._took_piece = self._took_piece or is_piece
        if not self.rest:
            self.is_open = False
            self.fate = Fate.ACCEPTED if self._took_piece else Fate.TYPED
        elif self._took_piece:
            self.fate = Fate.PARTLY

    def _shift(self, change: Change) -> None:
        """Move along with what is written above."""
        if change.removed_end <= self.at:
            self.at += change.growth
        elif change.start < self.at:
            self.at = change.start


def share_left(text: bytes, region: bytes) -> float:
    """The share of the pairs of neighbouring words of `text` that stand in `region`, from 0 to 1.

    Pairs, since single brackets and dots stand everywhere.
    """
    wanted = _pairs(text)
    if not wanted:
        return 1.0 if text.strip() in region else 0.0
    return (wanted & _pairs(region)).total() / wanted.total()


def _pairs(text: bytes) -> Counter[tuple[bytes, bytes]]:
    words = _WORD.findall(text)
    return Counter(pairwise(words))


def _n_same(one: bytes, other: bytes) -> int:
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
