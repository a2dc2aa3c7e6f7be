"""Which definitions a prompt gets, and which stay while the user types: values in, values out.

A part that the engine has read already is worth more than a slightly better one that it has not. So what was chosen
stays where it stood, and what is new comes behind it; a definition that changed is replaced in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeassistd.context.holders import group_of
from codeassistd.context.score import identity
from codeassistd.index.types import Definition

__all__ = ["Allowance", "keep", "refresh"]


@dataclass(frozen=True, slots=True)
class Allowance:
    """What a choice may take.

    Attributes:
        n_tokens, n_definitions: most of each.
        size_behind: tokens of a definition that is written behind another: less where both are of one file or class,
            whose name stands there already; behind None it is the first.
    """

    n_tokens: int
    n_definitions: int
    size_behind: Callable[[Definition | None, Definition], int]

    def size(self, definitions: Sequence[Definition]) -> int:
        """Tokens of `definitions` in this order."""
        before = (None, *definitions)
        return sum(self.size_behind(*pair) for pair in zip(before, definitions, strict=False))

    def fill(self, kept: Sequence[Definition], ranked: Sequence[Definition]) -> list[Definition]:
        """`kept`, and behind it what fits of `ranked`, the best first; those of one file and class stand together."""
        room = self.n_tokens - self.size(kept)
        new: dict[tuple[str, str], list[Definition]] = {}
        files: dict[str, Definition] = {}
        n_new = 0
        for each in ranked:
            if len(kept) + n_new >= self.n_definitions:
                break
            group = (each.relative, group_of(each))
            like = new[group][-1] if group in new else files.get(each.relative)
            size = self.size_behind(like, each)
            if size <= room:
                room -= size
                n_new += 1
                files.setdefault(each.relative, each)
                new.setdefault(group, []).append(each)
        in_order = sorted(new.items(), key=lambda item: list(files).index(item[0][0]))
        return [*kept, *(each for _, run in in_order for each in sorted(run, key=lambda each: each.line))]


def refresh(chosen: Sequence[Definition], found: Sequence[Definition]) -> list[Definition]:
    """`chosen` as the index has it now: what changed in its place, what is gone left out."""
    now = {identity(each): each for each in found}
    return [now[identity(each)] for each in chosen if identity(each) in now]


def keep(
    chosen: Sequence[Definition], ranked: Sequence[Definition], allowance: Allowance, pushing: float
) -> list[Definition]:
    """The choice for this prompt.

    Args:
        chosen: the choice before.
        ranked: what may be chosen now, the best first.
        allowance: what it may take.
        pushing: the share of the best that may push out what has fallen out of the best.
    """
    best = allowance.fill([], ranked)
    best_keys = {identity(each) for each in best}
    by_rank = [each for each in ranked if identity(each) in best_keys]
    kept = refresh(chosen, ranked)
    known = {identity(each) for each in kept}
    strong = [each for each in by_rank[: round(len(by_rank) * pushing)] if identity(each) not in known]
    # The last of the fallen leaves first: what stands before it is not read again.
    fallen = [each for each in kept if identity(each) not in best_keys]
    while fallen and not _fit([*kept, *strong], allowance):
        kept.remove(fallen.pop())
    while kept and not _fit(kept, allowance):
        kept.pop()
    known = {identity(each) for each in kept}
    return allowance.fill(kept, [each for each in by_rank if identity(each) not in known])


def _fit(definitions: Sequence[Definition], allowance: Allowance) -> bool:
    return len(definitions) <= allowance.n_definitions and allowance.size(definitions) <= allowance.n_tokens
