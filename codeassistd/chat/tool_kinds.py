"""What the outputs of common tools look like: how each is recognised, and which of its lines tell what went wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["GENERIC", "ToolKind", "kinds_of"]


@dataclass(frozen=True, slots=True)
class ToolKind:
    """One tool.

    Attributes:
        name: as people call it.
        mark: found in a line of its output, and hardly in any other text; None recognises nothing.
        fault: a line that tells of a fault.
        goes_on: a line right behind a fault that belongs to it: a frame, a quoted line, a caret. None: only neighbours.
        n_before, n_after: neighbours of a fault, in lines, that are kept whatever they are.
    """

    name: str
    mark: re.Pattern[str] | None
    fault: re.Pattern[str]
    goes_on: re.Pattern[str] | None = None
    n_before: int = 0
    n_after: int = 0


def kinds_of(lines: Sequence[str]) -> tuple[ToolKind, ...]:
    """The tools whose output this may be; none where nothing is recognised."""
    return tuple(kind for kind in _KINDS if kind.mark is not None and any(kind.mark.search(line) for line in lines))


def _any_of(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns))


_TRACEBACK = r"^\s*(?:[+|] +)*(?:Exception Group )?Traceback \(most recent call last\):"
_RAISED = r"^[\w.]+(?:Error|Exception|Warning|Exit|Interrupt|Group)\b(?::|$)"
_PYTHON = ToolKind(
    "Python traceback", _any_of(_TRACEBACK), _any_of(_TRACEBACK, _RAISED), _any_of(r"^\s+\S", r"^\s*$", _RAISED)
)

_PYTEST = ToolKind(
    "pytest",
    _any_of(
        r"^=+ (?:test session starts|FAILURES|ERRORS|short test summary info)\b.*=+$",
        r"^(?:FAILED|ERROR) \S+\.py(?:::\S+)?",
    ),
    _any_of(
        r"^E\s",
        r"^>\s",
        r"^(?:FAILED|ERROR) ",
        r"^_{3,} .* _{3,}$",
        r"^\S+\.py:\d+: ",
        r"^=+ .*\b(?:failed|passed|errors?)\b.* =+$",
    ),
    n_before=1,
)

_AT_LINE = r"^[^\s:][^:\n]*:\d+(?::\d+)?: "
_COMPILER = ToolKind(
    "gcc or clang",
    _any_of(_AT_LINE + "(?:fatal )?(?:error|warning|note): ", "undefined reference to", "^collect2: error"),
    _any_of(
        _AT_LINE + "(?:fatal )?error: ",
        "undefined reference to",
        "^collect2: error",
        r"^\S*ld(?:\.\w+)?: ",
        r"^make(?:\[\d+\])?: \*\*\*",
    ),
    _any_of(r"^\s*\d* \|", r"^\s+[\^~|]", r"^\s{2,}\S", _AT_LINE + "note: "),
    n_before=1,
)

_PANICKED = r"^thread '.*' (?:\(\d+\) )?panicked at"
_RUST = ToolKind(
    "rustc or cargo",
    _any_of(
        r"^error\[E\d{4}\]: ", r"^\s+--> \S+\.rs:\d+:\d+", "^error: could not compile", _PANICKED, "^test result: "
    ),
    _any_of(r"^error(?:\[E\d+\])?: ", _PANICKED, r"^test .* \.\.\. FAILED", "^test result: FAILED", "^---- .* ----$"),
    _any_of(r"^\s+(?:-->|=|\d*\s*\||\.\.\.)", r"^\d+\s+\|", r"^\.\.\.$", r"^\s*(?:left|right): ", "^(?:note|help): "),
)

_CROSS = r"^\s*[\u2715\u2717\u2716\u25cf] "
_NPM, _TYPESCRIPT = r"^npm (?:ERR!|error)", r"\berror TS\d+: "
_NODE = ToolKind(
    "node",
    _any_of(r"^\s+at .*[(/ ](?:node:|file://|/)?\S+:\d+:\d+\)?$", _NPM, _TYPESCRIPT, _CROSS),
    _any_of(
        r"^\s*(?:Uncaught )?[\w.]*Error(?: \[\w+\])?:",
        _NPM,
        _TYPESCRIPT,
        _CROSS,
        r"^\s*not ok \d+",
    ),
    _any_of(r"^\s+at ", r"^\s+(?:Expected|Received|code|expected|actual|operator)\b", r"^Node\.js v"),
    n_before=3,
)

_GO = ToolKind(
    "go test",
    _any_of(
        r"^\s*--- (?:FAIL|PASS): ",
        r"^(?:FAIL|ok)\s+\S+\s+(?:[\d.]+s|\(cached\)|\[)",
        r"^panic: ",
        r"^\S*\.go:\d+:\d+: ",
    ),
    _any_of(r"^\s*--- FAIL: ", r"^FAIL\b", r"^panic: ", r"^\s*\S*\.go:\d+(?::\d+)?: "),
    _any_of(r"^\s+\S*\.go:\d+", r"^\s{4,}\S", r"^goroutine \d+ \[running\]"),
)

GENERIC = ToolKind(
    "output",
    None,
    re.compile(
        r"(?i)(?<!no )(?<!0 )\b(?:errors?|fatal|failed|failure|exception|panic|segmentation fault|aborted|denied|"
        r"not found|no such file|unable to|cannot|timed? ?out|critical|killed)\b"
    ),
    n_before=2,
    n_after=2,
)
#: The more telling first.
_KINDS: tuple[ToolKind, ...] = (_PYTEST, _RUST, _GO, _COMPILER, _NODE, _PYTHON)
