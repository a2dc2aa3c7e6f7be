"""Drafters that are always right, always wrong or now one and now the other, and steps that always pay."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from codeassistd.engine.drafter import NO_DRAFT, Draft, Drafter, MakeDrafters
from codeassistd.engine.lookup_drafter import SHORTEST_MATCH, lookup_only
from codeassistd.engine.request import GenerateRequest
from codeassistd.engine.step_costs import StepCosts
from tests.support.chance_backend import ChanceBackend, written

__all__ = ["DRAFTERS", "EveryStepPays", "Prophet", "drafters"]

DRAFTERS = ("none", "right", "wrong", "random", "lookup")


class EveryStepPays(StepCosts):
    """Steps cost the same whatever they read, so every guess with the least chance is tried."""

    def __call__(self, n_tokens: int) -> float:
        """Always the same."""
        del n_tokens
        return 1.0


@dataclass(frozen=True)
class Prophet:
    """Knows what will be written, and says something that depends on it."""

    name: str
    truth: tuple[int, ...]
    n_prompt: int
    twist: Callable[[tuple[int, ...]], tuple[int, ...]]

    def propose(self, tokens: Sequence[int], n_max: int) -> Draft:
        """The next tokens of the truth, twisted."""
        n_output = len(tokens) - self.n_prompt
        guess = self.twist(self.truth[n_output : n_output + n_max])
        return Draft(guess, self.name, SHORTEST_MATCH) if guess else NO_DRAFT


def drafters(kind: str, backend: ChanceBackend, seed: int = 0) -> MakeDrafters:
    """Drafters of one of the kinds in `DRAFTERS`."""
    rng = random.Random(seed)

    def wrong(truth: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(token + 1 for token in truth)

    def mixed(truth: tuple[int, ...]) -> tuple[int, ...]:
        guess = tuple(token if rng.random() < 0.7 else rng.randrange(512) for token in truth)
        return guess[: rng.randrange(len(guess) + 1)]

    twists = {"right": tuple[int, ...], "wrong": wrong, "random": mixed}

    def make(request: GenerateRequest) -> tuple[Drafter, ...]:
        if kind == "none":
            return ()
        if kind == "lookup":
            return lookup_only(request)
        return (Prophet(kind, written(backend, request).ids, len(request.prompt), twists[kind]),)

    return make
