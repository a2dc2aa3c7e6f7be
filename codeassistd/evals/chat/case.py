"""The scripted conversations: facts and what is talked about while they get older, read from two files."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import Any

from codeassistd.errors import UsageError

__all__ = ["N_TURNS", "TRUTH", "Case", "Exchange", "read_cases"]

TRUTH = Path(__file__).parent.parent / "truth" / "chat"
"""Where the conversations lie."""
N_TURNS = 20
"""The turn that needs the fact."""
_N_OPENERS = 3
_KINDS = frozenset({"requirement", "decision", "constraint"})


@dataclass(frozen=True, slots=True)
class Exchange:
    """What the user asks and what is answered."""

    asked: str
    said: str


@dataclass(frozen=True, slots=True)
class Case:
    """One conversation.

    Attributes:
        exchanges: the turns before the last one.
        question: the last turn's.
        stated_in: number of the turn that states the fact.
        kind: requirement, decision or constraint.
        must: the identifier or number that has to stand in the last prompt.
    """

    name: str
    exchanges: tuple[Exchange, ...]
    question: str
    stated_in: int
    kind: str
    must: str


def read_cases(folder: Path = TRUTH) -> list[Case]:
    """All conversations, in the order of the file.

    Raises:
        UsageError: a file cannot be read, or a conversation is not what it should be.
    """
    pools = {pool["name"]: pool for pool in _table(folder / "pools.toml")["pool"]}
    pastes = [path.read_text("utf-8") for path in sorted((folder / "paste").glob("*.txt"))]
    if not pastes:
        raise UsageError(f"there is nothing to paste in {folder / 'paste'}")
    cases = [_case(row, pools, pastes) for row in _table(folder / "facts.toml")["conversation"]]
    for case in cases:
        _check(case)
    return cases


def _case(row: Mapping[str, Any], pools: Mapping[str, Mapping[str, Any]], pastes: Sequence[str]) -> Case:
    pool = pools.get(row["pool"])
    if pool is None:
        raise UsageError(f"conversation {row['name']}: there is no pool {row['pool']}")
    stated_in = int(row["turn"])
    early = _exchanges(pool["opener"])
    early[stated_in - 1] = Exchange(row["asked"].strip(), row["said"].strip())
    return Case(
        name=row["name"],
        exchanges=(*early, *_with_pastes(_exchanges(pool["turn"]), pastes)),
        question=row["question"].strip(),
        stated_in=stated_in,
        kind=row["kind"],
        must=row["must"],
    )


def _exchanges(rows: Sequence[Mapping[str, str]]) -> list[Exchange]:
    return [Exchange(row["asked"].strip(), row["said"].strip()) for row in rows]


def _with_pastes(exchanges: Sequence[Exchange], pastes: Sequence[str]) -> list[Exchange]:
    """Every second exchange with the next file behind the question."""
    files = cycle(pastes)
    return [
        Exchange(f"{one.asked}\n```python\n{next(files)}```", one.said) if place % 2 else one
        for place, one in enumerate(exchanges)
    ]


def _check(case: Case) -> None:
    """A case is only worth something if the fact is said once, early, and nowhere else."""
    what = f"conversation {case.name}"
    if case.kind not in _KINDS or not 1 <= case.stated_in <= _N_OPENERS or len(case.exchanges) != N_TURNS - 1:
        raise UsageError(f"{what}: it needs a kind, a turn of 1 to {_N_OPENERS}, and {N_TURNS} turns in all")
    holding = [
        number for number, exchange in enumerate(case.exchanges, 1) if case.must in f"{exchange.asked}\n{exchange.said}"
    ]
    if holding != [case.stated_in] or case.must in case.question:
        raise UsageError(f"{what}: {case.must} must stand in turn {case.stated_in} and nowhere else")


def _table(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
