"""Pairs of what the gate knew of a text and whether the text was right, from suggestions at places cut out of files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.completion.evidence import Evidence
from codeassistd.evals.fit.run import Asked

__all__ = ["Pair", "halves", "is_right", "pairs_of"]


@dataclass(frozen=True, slots=True)
class Pair:
    """One suggestion that could have been shown.

    Attributes:
        path: of the file it was made for; files are never split between fitting and judging.
        right: whether it is what the file has.
    """

    path: Path
    evidence: Evidence
    right: bool


def pairs_of(asked: Iterable[Asked]) -> list[Pair]:
    """The suggestions among the answers, judged by the files that their places were cut out of."""
    return [
        Pair(one.spot.path, Evidence.of_table(one.evidence), is_right(one.inserted, one.spot.removed + one.spot.after))
        for one in asked
        if one.inserted is not None and one.evidence
    ]


def is_right(inserted: str, truth: str) -> bool:
    """Whether the first line of a text is what comes next; blanks do not count, and neither does what follows it."""
    line = "".join(inserted.lstrip().partition("\n")[0].split())
    return bool(line) and "".join(truth[: 4 * len(inserted) + 1000].split()).startswith(line)


def halves(pairs: Sequence[Pair]) -> tuple[list[Pair], list[Pair]]:
    """The pairs in two halves, by file: one to fit to, and one to judge by."""
    first = set(sorted({pair.path for pair in pairs})[::2])
    return [pair for pair in pairs if pair.path in first], [pair for pair in pairs if pair.path not in first]
