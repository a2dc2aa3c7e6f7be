"""The summary that needs no model: the sentences of turns that state a rule, a wish, a choice or a figure.

It stands in where the model has written nothing, or something that cannot be trusted, and it is what a model's own
summary is checked against.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from codeassistd.chat.facts import facts_in, weight_of
from codeassistd.chat.summary import Entry, Kind
from codeassistd.chat.turn import Turn

__all__ = ["MAX_LETTERS", "extract", "sentences", "shortened"]

MAX_LETTERS = 240
"""Letters of an entry; what goes on is cut between words."""
_MAX_PER_TURN = 8
#: The least weight of what is kept (see `weight_of`): a rule, a wish, or any statement with a name or number in it.
_LEAST = 2
#: Answers are long, and most of what they say is no agreement.
_LEAST_SAID = 6

_FENCE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
#: A sentence ends at its sign before a blank, and at the end of a line; not behind the dot of `e.g.`, `3.11` or `a.py`.
_END = re.compile(
    r"(?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)[.!?\u3002\uff01\uff1f](?=\s|$)\s*|\n+|(?<=[\u3002\uff01\uff1f])"
)
_MARK = re.compile(r"^[ \t]*(?:[-*+>#]+|\d+[.)])[ \t]+", re.MULTILINE)
_DECISION = re.compile(
    r"\b(?:decid\w+|decision|agreed|settled|cho(?:se|sen)|picked|go(?:ing)? with|went with|let's|we(?:'ll| will)|"
    r"we(?:'re| are) (?:using|moving|switching)|switch(?:ed|ing)? to|instead of|from now on|moved to)\b",
    re.IGNORECASE,
)
_CONSTRAINT = re.compile(
    r"\b(?:never|not|n't|cannot|can't|no (?:more|fewer|less|longer) than|at (?:most|least)|limit\w*|max(?:imum)?|"
    r"min(?:imum)?|only|without|avoid|forbid\w*|under|within|below|above|budget|deadline|before|until|exactly)\b"
    r"|n't\b",
    re.IGNORECASE,
)


def extract(turns: Sequence[Turn]) -> tuple[Entry, ...]:
    """The entries of some turns, in order; at most a few for each, those that weigh most."""
    return tuple(entry for turn in turns for entry in _of_turn(turn))


def sentences(text: str) -> list[str]:
    """The sentences of a text, without its code blocks and the marks of lists."""
    pieces: list[str] = []
    plain = _MARK.sub("", _FENCE.sub("\n", text))
    start = 0
    for end in _END.finditer(plain):
        pieces.append(plain[start : end.end()])
        start = end.end()
    pieces.append(plain[start:])
    return [bare for piece in pieces if (bare := piece.strip())]


def _of_turn(turn: Turn) -> Iterator[Entry]:
    found = [(weight, text) for text in sentences(turn.shown) if (weight := _weight(text)) >= _LEAST]
    found += [(weight, text) for text in sentences(turn.said) if (weight := _weight(text)) >= _LEAST_SAID]
    best = sorted(range(len(found)), key=lambda place: (-found[place][0], place))[:_MAX_PER_TURN]
    known: set[frozenset[str]] = set()
    for place in sorted(best):
        text = shortened(found[place][1])
        facts = facts_in(text)
        # An answer repeats what was asked; the user's own words come first and stand.
        if facts and facts in known:
            continue
        known.add(facts)
        yield Entry(_kind_of(text), turn.number, text)


def _kind_of(text: str) -> Kind:
    """The list that a sentence belongs to."""
    if _DECISION.search(text):
        return Kind.DECISION
    return Kind.CONSTRAINT if _CONSTRAINT.search(text) else Kind.REQUIREMENT


def shortened(text: str) -> str:
    """`text` on one line; a long one is cut between words, round its first fact."""
    line = " ".join(text.split())
    if len(line) <= MAX_LETTERS:
        return line
    first = min((line.find(fact) for fact in facts_in(line)), default=0)
    start = max(0, min(first - MAX_LETTERS // 3, len(line) - MAX_LETTERS))
    cut = line[start : start + MAX_LETTERS]
    if start:
        cut = "... " + cut.partition(" ")[2]
    return cut.rpartition(" ")[0] + " ..." if start + MAX_LETTERS < len(line) else cut


def _weight(text: str) -> int:
    # A question asks for something and agrees on nothing, unless it says what must be.
    return weight_of(text) - (2 if text.rstrip().endswith(("?", "\uff1f")) else 0)
