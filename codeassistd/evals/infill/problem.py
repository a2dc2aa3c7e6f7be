"""The problems of a file of the HumanEval infilling benchmark, read as its authors publish it."""

from __future__ import annotations

import gzip
import io
import json
import os
import random
import sys
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.errors import UsageError

__all__ = ["Problem", "choose", "read_problems"]

_GZIP = b"\x1f\x8b"
_MAX_BYTES = 256 * 2**20
"""Ten times what the longest of its files holds: a device has no end, and a packed file may hold a thousand times its
own length."""
_FIELDS = ("task_id", "entry_point", "prompt", "suffix", "canonical_solution", "test")


@dataclass(frozen=True, slots=True)
class Problem:
    """A function with a hole, and its tests.

    Attributes:
        name: as the benchmark has it: `SingleLineInfilling/HumanEval/0/L0`.
        entry_point: name of the function that the tests call.
        prompt, suffix: what stands before and behind the hole.
        solution: what stood in it.
        test: source that defines `check`, which takes the function.
    """

    name: str
    entry_point: str
    prompt: str
    suffix: str
    solution: str
    test: str

    @property
    def after(self) -> str:
        """What an editor shows behind the cursor.

        Where whole lines are missing the benchmark leaves not even their place, while an editor has an empty line
        there: without its end the cursor would stand before the next line's first letter.
        """
        are_lines = self.prompt.endswith("\n") and self.solution.endswith("\n")
        return f"\n{self.suffix}" if are_lines and self.suffix and not self.suffix.startswith("\n") else self.suffix

    def filled(self, inserted: str) -> str:
        """The source with a text in the hole."""
        return self.prompt + inserted + self.after

    def program(self, inserted: str) -> str:
        """What runs to its end if the tests pass."""
        return f"{self.filled(inserted)}\n{self.test}\ncheck({self.entry_point})\n"


def read_problems(path: Path) -> list[Problem]:
    """The problems in order of the file: JSON lines, plain or compressed.

    Raises:
        UsageError: it cannot be read, or is something else.
    """
    try:
        lines = _content(path).decode("utf-8").split("\n")
    except (OSError, EOFError, zlib.error, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read ({_cause(error)}); give a .jsonl or .jsonl.gz file") from error
    problems = [_problem(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not problems:
        raise UsageError(f"{path} is empty; give a file of the HumanEval infilling benchmark")
    return problems


def choose(problems: Sequence[Problem], limit: int, seed: int) -> list[Problem]:
    """At most `limit` of them, chosen by the seed, in order of the file; 0 takes all."""
    if not 0 < limit < len(problems):
        return list(problems)
    draws = random.Random(seed)  # noqa: S311 - a choice of problems, not a secret
    return [problems[place] for place in sorted(draws.sample(range(len(problems)), limit))]


def _content(path: Path) -> bytes:
    """What the file holds, unpacked.

    Raises:
        UsageError: more than such a file can hold.
        OSError: and what else `read_problems` catches.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        content = file.read(_MAX_BYTES + 1)
    if content.startswith(_GZIP):
        with gzip.open(io.BytesIO(content)) as unpacked:
            content = unpacked.read(_MAX_BYTES + 1)
    if len(content) > _MAX_BYTES:
        raise UsageError(f"{path} is longer than any file of the HumanEval infilling benchmark; give one of those")
    return content


def _without_waiting(path: str, flags: int) -> int:
    """Open a pipe that nobody writes to as an empty file, in place of waiting for a writer that may never come."""
    if sys.platform == "win32":
        return os.open(path, flags)
    descriptor = os.open(path, flags | os.O_NONBLOCK)
    os.set_blocking(descriptor, True)
    return descriptor


def _problem(line: str, place: str) -> Problem:
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{place}: this is not JSON; give a file of the HumanEval infilling benchmark") from error
    values = [entry.get(name) if isinstance(entry, dict) else None for name in _FIELDS]
    for name, value in zip(_FIELDS, values, strict=True):
        if not isinstance(value, str) or not _can_be_written(value):
            raise UsageError(f"{place}: it has no text {name!r}; give a file of the HumanEval infilling benchmark")
    return Problem(*map(str, values))


def _can_be_written(text: str) -> bool:
    """Whether it is text at all: JSON's escapes can spell halves of letters, which no file holds."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _cause(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
