"""What is kept of the turns that left the window: three lists, each entry with the turn it comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from codeassistd.chat.facts import facts_in, weight_of

__all__ = ["Entry", "Kind", "Memory", "Minutes", "Summary"]

#: Shares of common words from which on two entries say the same, if they hold the same facts.
_ALIKE = 0.8
_WORD = re.compile(r"\w+")


class Kind(StrEnum):
    """Which list an entry belongs to."""

    REQUIREMENT = "requirement"
    """What the user wants."""
    DECISION = "decision"
    """What was chosen."""
    CONSTRAINT = "constraint"
    """What must not be, and limits."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to remember.

    Attributes:
        turn: number of the turn it was said in.
        text: on one line.
    """

    kind: Kind
    turn: int
    text: str


@dataclass(frozen=True, slots=True)
class Summary:
    """The three lists, as one in order of the turns."""

    entries: tuple[Entry, ...] = ()

    def of_kind(self, kind: Kind) -> tuple[Entry, ...]:
        """One of the lists."""
        return tuple(entry for entry in self.entries if entry.kind is kind)

    def merged(self, newer: Iterable[Entry]) -> Summary:
        """With entries of later turns; what says the same as an entry that is there is left out."""
        kept = list(self.entries)
        gists = [_gist(entry) for entry in kept]
        for entry in newer:
            gist = _gist(entry)
            if not any(_is_same(gist, other) for other in gists):
                kept.append(entry)
                gists.append(gist)
        return Summary(tuple(sorted(kept, key=lambda entry: entry.turn)))

    def within(self, n_tokens: int, count: Callable[[str], int]) -> Summary:
        """As much as has room in `n_tokens`; what weighs least is left out first, and of equals the oldest."""
        kept = list(self.entries)
        for lightest in sorted(kept, key=lambda entry: (weight_of(entry.text), entry.turn)):
            if count(Summary(tuple(kept)).text()) <= n_tokens:
                break
            kept.remove(lightest)
        return Summary(tuple(kept))

    def text(self) -> str:
        """The summary as it stands in a prompt; empty if there is nothing to tell."""
        lists = [_list_text(kind, self.of_kind(kind)) for kind in Kind]
        return "\n".join(filter(None, lists))


@dataclass(frozen=True, slots=True)
class Minutes:
    """What is to be remembered of turns that leave the window.

    Attributes:
        through: number of the last of these turns.
        author: `model` or `extract`: who has written it.
    """

    entries: tuple[Entry, ...]
    through: int
    author: str


@dataclass(frozen=True, slots=True)
class Memory:
    """What stands in front of the window.

    Attributes:
        through: number of the last turn that the summary speaks for; the window begins behind it. 0 before any.
        author: `model` or `extract`: who wrote what was added last; empty before any.
    """

    summary: Summary = Summary()
    through: int = 0
    author: str = ""

    def after(self, minutes: Minutes, n_tokens: int, count: Callable[[str], int]) -> Memory:
        """With what some more turns add to it, within `n_tokens`; `count` says how many a text has."""
        summary = self.summary.merged(minutes.entries).within(n_tokens, count)
        return Memory(summary, minutes.through, minutes.author)


def _list_text(kind: Kind, entries: Sequence[Entry]) -> str:
    if not entries:
        return ""
    lines = "".join(f"- (turn {entry.turn}) {entry.text}\n" for entry in entries)
    return f"{kind.value.capitalize()}s:\n{lines}"


@dataclass(frozen=True, slots=True)
class _Gist:
    """What an entry says, to be compared."""

    facts: frozenset[str]
    words: frozenset[str]


def _gist(entry: Entry) -> _Gist:
    return _Gist(facts_in(entry.text), frozenset(_WORD.findall(entry.text.casefold())))


def _is_same(gist: _Gist, other: _Gist) -> bool:
    one, two = gist.words, other.words
    return gist.facts == other.facts and len(one & two) >= _ALIKE * max(len(one | two), 1)
