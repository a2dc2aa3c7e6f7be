"""Texts that are written by a seed: deep brackets and long concatenations, of which only one continuation is right."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from itertools import count as from_zero

from codeassistd.evals.long.probe import Kind, Probe

__all__ = ["bracket_probe", "string_probe"]

_FIRST = ("amber", "birch", "cedar", "delta", "ember", "field", "grove", "heath", "inlet", "jetty", "knoll", "ledge")
_SECOND = ("area", "bound", "count", "depth", "edge", "form", "gap", "hint", "index", "kind", "label", "mass")
_CALLS = ("panel", "group", "stack", "frame", "sheet", "table", "block", "strip")

_N_EXAMPLES = 3
"""Whole literals before the one that is cut: they show how closers stand."""
_DEPTHS = (4, 8, 12, 6, 10, 14)
"""Brackets that are open where the last one is cut, by the number of the probe: small models fail at the deeper."""
_N_AT_ONCE = 4
"""Fields of a concatenation that are added between two looks at its length."""
_STEP = "    "


def bracket_probe(number: int, seed: int, count: Callable[[str], int], n_tokens: int) -> Probe:
    """Literals of nested calls, lists and tables, one bracket a line; the last one is cut where it is deepest.

    Args:
        number: of the probe, from 1; says how deep it is.
        seed: chooses names and brackets.
        count: tokens of a text.
        n_tokens: of the probe, at most, as far as fewer literals before the last one make it so.
    """
    draws = random.Random(f"{seed} brackets {number}")  # noqa: S311 - a choice of texts, not a secret
    names = _names(draws)
    depth = _DEPTHS[(number - 1) % len(_DEPTHS)]
    examples = [[*_nested(names, draws, depth), ""] for _ in range(_N_EXAMPLES)]
    last = _nested(names, draws, depth)
    while examples and count("\n".join(chain(*examples, last))) > n_tokens:
        examples.pop()
    lines = [*chain(*examples), *last]
    return Probe.of_lines(Kind.BRACKETS, f"brackets {number}, {depth} deep", lines, len(lines) - depth, is_settled=True)


def string_probe(number: int, seed: int, count: Callable[[str], int], n_tokens: int) -> Probe:
    """A function that adds one field after the other to a text, by the table above it; the next line is settled.

    Args:
        number: of the probe.
        seed: chooses the names.
        count: tokens of a text.
        n_tokens: of the probe, at least.
    """
    draws = random.Random(f"{seed} strings {number}")  # noqa: S311 - a choice of texts, not a secret
    names = _names(draws)
    # The last fields of the table are not written any more: what comes next has to be found in it.
    n_left = draws.randint(2, 8)
    fields = [next(names) for _ in range(n_left)]
    while count(_concatenation(fields, n_left)) < n_tokens:
        # A few at a time: counting is the slow part.
        fields += [next(names) for _ in range(_N_AT_ONCE)]
    lines = _concatenation(fields, n_left).split("\n")
    return Probe.of_lines(
        Kind.STRINGS, f"strings {number}, {len(fields)} fields", lines, len(lines) - 1, is_settled=True
    )


def _names(draws: random.Random) -> Iterator[str]:
    """Names without an end, none of them twice."""
    pairs = [f"{first}_{second}" for first in _FIRST for second in _SECOND]
    draws.shuffle(pairs)
    for round_number in from_zero():
        yield from (f"{pair}_{round_number}" if round_number else pair for pair in pairs)


def _concatenation(fields: Sequence[str], n_left: int) -> str:
    """A table of all fields, and a function that writes all but the last `n_left`, and one of those."""
    table = [f'{_STEP}"{field}": {number},' for number, field in enumerate(fields, 1)]
    body = [
        f'{_STEP}text = text + "\\"{field}\\": " + str(values["{field}"]) + ",\\n"'
        for field in fields[: len(fields) - n_left + 1]
    ]
    return "\n".join(["WIDTHS = {", *table, "}", "", "", "def report(values):", f'{_STEP}text = "{{\\n"', *body])


def _nested(names: Iterator[str], draws: random.Random, depth: int) -> list[str]:
    """An assignment of a literal that is `depth` brackets deep; its last `depth` lines are the closers."""
    lines: list[str] = []
    closers: list[str] = []
    kind, lead = "call", f"{next(names)} = "
    for level in range(depth):
        opener, closer = _brackets(kind, draws)
        lines.append(f"{_STEP * level}{lead}{opener}")
        closers.append(f"{_STEP * level}{closer}")
        lines.append(f"{_STEP * (level + 1)}{_lead(kind, names)}{draws.randint(10, 99)},")
        lead = _lead(kind, names)
        kind = _other(kind, draws)
    outer, *inner = closers
    return [*lines, *(f"{closer}," for closer in reversed(inner)), outer]


def _brackets(kind: str, draws: random.Random) -> tuple[str, str]:
    if kind == "call":
        return f"{draws.choice(_CALLS)}(", ")"
    return ("[", "]") if kind == "list" else ("{", "}")


def _lead(kind: str, names: Iterator[str]) -> str:
    """What stands before a value in a bracket of this kind."""
    if kind == "list":
        return ""
    return f"{next(names)}=" if kind == "call" else f'"{next(names)}": '


def _other(kind: str, draws: random.Random) -> str:
    kinds: Sequence[str] = ("call", "list", "table")
    return draws.choice([other for other in kinds if other != kind])
