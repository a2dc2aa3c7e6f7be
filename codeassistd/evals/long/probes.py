"""The texts of one run, of all kinds."""

from __future__ import annotations

from codeassistd.engine.backend import Vocabulary
from codeassistd.evals.long.library import LONGEST, long_functions
from codeassistd.evals.long.probe import Probe
from codeassistd.evals.long.written import bracket_probe, string_probe

__all__ = ["make_probes"]

_SHARE = 0.5
"""Of the context, that a text needs to count as long."""


def make_probes(vocabulary: Vocabulary, n_context: int, n_each: int, seed: int) -> list[Probe]:
    """At most `n_each` texts of each kind; the same for the same seed, vocabulary, context and interpreter.

    Args:
        vocabulary: says how many tokens a text takes.
        n_context: tokens that the model's context holds: long functions and concatenations take more than half of it.
        n_each: texts of each kind; there may be fewer long functions in the interpreter's library.
        seed: chooses them.

    Raises:
        UsageError: this interpreter comes without the sources of its library.
    """

    def count(text: str) -> int:
        return len(vocabulary.tokenize(text))

    return [
        *long_functions(count, n_context, n_each, seed),
        *(bracket_probe(number, seed, count, int(n_context * LONGEST)) for number in range(1, n_each + 1)),
        *(string_probe(number, seed, count, int(n_context * _SHARE)) for number in range(1, n_each + 1)),
    ]
