"""Runs a model's chat template in a child process, which is ended where it takes too long or too much."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["RunTemplate", "TemplateLimits", "Written", "run_template"]

_CHILD = Path(__file__).with_name("template_child.py")
_NEEDED = ("SYSTEMROOT",)
"""Without it no Python starts on Windows; all other variables may hold secrets."""
_ENDLESS = "it does not come to an end"


@dataclass(frozen=True, slots=True)
class Written:
    """What a template wrote round one conversation, or why it did not; one of the two is empty."""

    text: str = ""
    fault: str = ""


@dataclass(frozen=True, slots=True)
class TemplateLimits:
    """What a template may use for all that it is asked at once.

    Attributes:
        cpu_s: processor time in seconds, the start of the child included; real templates take a few hundredths.
        wall_s: time by the clock; much more, since a busy machine is slow.
        memory_bytes: address space.
        max_letters: of one conversation without its contents.
    """

    cpu_s: float = 3.0
    wall_s: float = 60.0
    memory_bytes: int = 512 * 2**20
    max_letters: int = 200_000


RunTemplate = Callable[[str, Mapping[str, str], Sequence[Sequence[Mapping[str, str]]]], list[Written]]
"""Writes conversations by a template's source, with variables: as many results as conversations."""


def run_template(
    source: str,
    variables: Mapping[str, str],
    conversations: Sequence[Sequence[Mapping[str, str]]],
    limits: TemplateLimits | None = None,
) -> list[Written]:
    """Have a template write each of some conversations; blocks, but for no longer than `limits` allow.

    Args:
        source: of the template.
        variables: that it may use beside the messages.
        conversations: messages as templates know them, `{role, content}`.
        limits: what it may use; the usual ones if not given.
    """
    most = limits or TemplateLimits()
    asked = {
        "source": source,
        "variables": dict(variables),
        "conversations": [[dict(message) for message in messages] for messages in conversations],
        "cpu_s": most.cpu_s,
        "memory_bytes": most.memory_bytes,
        "max_letters": most.max_letters,
    }
    try:
        output, ended = _told(json.dumps(asked).encode(), most.wall_s)
    except OSError as error:
        output, ended = b"", f"it cannot be tried: {error.strerror}"
    written = [Written(**answer) for answer in _whole_lines(output)]
    return [*written, *[Written(fault=ended)] * (len(conversations) - len(written))]


def _told(asked: bytes, wall_s: float) -> tuple[bytes, str]:
    """What the child has written by its end, and what that end means for what it has not."""
    try:
        done = subprocess.run(
            (sys.executable, "-I", "-B", str(_CHILD)),
            input=asked,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={name: os.environ[name] for name in _NEEDED if name in os.environ},
            timeout=wall_s,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired as late:
        return late.stdout or b"", _ENDLESS
    # A signal ends what has used up its time; of anything else its memory is the likeliest cause.
    return done.stdout, _ENDLESS if done.returncode < 0 else f"its process failed with exit code {done.returncode}"


def _whole_lines(output: bytes) -> Iterator[dict[str, str]]:
    for line in output.splitlines(keepends=True):
        if line.endswith(b"\n"):
            yield json.loads(line)
