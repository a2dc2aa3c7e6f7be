"""The output of a command, cut to what tells something: exit code, faults with their neighbourhood, both ends.

Pure, and the same for the same text. Whoever wants the rest can have it: the full text is kept elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from codeassistd.chat.tool_kinds import GENERIC, ToolKind, kinds_of

__all__ = ["CutOutput", "cut_output", "looks_like_output"]

#: Lines of a cut output, about; a longer one costs more reading than it tells.
_MAX_LINES = 80
_MAX_LETTERS = 8000
_MAX_LINE = 300
_N_FIRST, _N_LAST = 4, 8
#: Lines that belong to one fault, from its beginning and from its end: the frames nearest to it come last in Python.
_N_HEAD, _N_TAIL = 6, 14
#: Shorter texts are left whole.
_SHORT_LINES = 30
#: A text is a log if so many of its lines look like one's.
_LOG_SHARE = 0.5

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_VARYING = re.compile(r"0x[0-9a-fA-F]+|\d+")
_LOG_LINE = re.compile(
    r"^\W{0,2}(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d|\d{10,})"
    r"|^\W{0,2}(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b"
)


@dataclass(frozen=True, slots=True)
class CutOutput:
    """What is left of an output.

    Attributes:
        tools: names of the tools that were recognised.
        n_lines: of the whole output.
        n_left_out: lines that are not in `text`, those counted as repeated among them.
        n_shortened: lines that were too long.
    """

    text: str
    tools: tuple[str, ...]
    n_lines: int
    n_left_out: int
    n_shortened: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return not self.n_left_out and not self.n_shortened


@dataclass(frozen=True, slots=True)
class _Line:
    """A line, and how many in a row said the same."""

    text: str
    n_times: int = 1


def cut_output(text: str, exit_code: int | None = None) -> CutOutput:
    """What of an output a reader needs.

    Args:
        text: as the tool wrote it, colours and carriage returns included.
        exit_code: of the command; None where it is not known.
    """
    whole = _plain_lines(text)
    plain = [_shortened(line) for line in whole]
    kinds = kinds_of(plain)
    lines = _counted(plain)
    kept = _kept(lines, kinds or (GENERIC,)) if len(lines) > _SHORT_LINES else set(range(len(lines)))
    body = list(_told(lines, kept))
    head = [] if exit_code is None else [f"exit code {exit_code}"]
    return CutOutput(
        text="\n".join(head + body),
        tools=tuple(kind.name for kind in kinds),
        n_lines=len(plain),
        n_left_out=len(plain) - len(kept),
        n_shortened=sum(len(line) > _MAX_LINE for line in whole),
    )


def looks_like_output(text: str) -> bool:
    """Whether a pasted text is the output of a tool or a log, and not prose or code."""
    lines = [_shortened(line) for line in _plain_lines(text)]
    filled = [line for line in lines if line.strip()]
    if len(filled) <= _SHORT_LINES:
        return False
    return bool(kinds_of(lines)) or sum(bool(_LOG_LINE.match(line)) for line in filled) >= _LOG_SHARE * len(filled)


def _plain_lines(text: str) -> list[str]:
    """The lines as a terminal would show them at the end, without trailing blank ones."""
    bare = _ESCAPES.sub("", text).replace("\r\n", "\n")
    lines = [_CONTROLS.sub("", line.rpartition("\r")[2]).rstrip() for line in bare.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _shortened(line: str) -> str:
    return line if len(line) <= _MAX_LINE else f"{line[:_MAX_LINE]} ..."


def _counted(lines: Sequence[str]) -> list[_Line]:
    """Lines in a row that differ in numbers alone are one, with their count."""
    counted: list[_Line] = []
    for line in lines:
        if counted and line.strip() and _shape(line) == _shape(counted[-1].text):
            counted[-1] = _Line(counted[-1].text, counted[-1].n_times + 1)
        else:
            counted.append(_Line(line))
    return counted


def _shape(line: str) -> str:
    return _VARYING.sub("0", line)


def _kept(lines: Sequence[_Line], kinds: Sequence[ToolKind]) -> set[int]:
    """The places to keep: both ends, then fault by fault as far as there is room."""
    n_lines = len(lines)
    kept = {*range(_N_FIRST), *range(n_lines - _N_LAST, n_lines)}
    n_letters = sum(len(lines[place].text) for place in kept)
    for block in _faults(lines, kinds):
        new = [place for place in block if place not in kept]
        size = sum(len(lines[place].text) for place in new)
        if len(kept) + len(new) > _MAX_LINES or n_letters + size > _MAX_LETTERS:
            continue
        kept.update(new)
        n_letters += size
    return kept


def _faults(lines: Sequence[_Line], kinds: Sequence[ToolKind]) -> Iterator[list[int]]:
    """The places of each fault with what belongs to it, in order; a fault of the same shape comes once."""
    known: set[str] = set()
    for place, line in enumerate(lines):
        kind = next((kind for kind in kinds if kind.fault.search(line.text)), None)
        if kind is None or _shape(line.text) in known:
            continue
        if not line.text.lstrip().startswith("Traceback"):
            known.add(_shape(line.text))
        yield _block(lines, place, kind)


def _block(lines: Sequence[_Line], place: int, kind: ToolKind) -> list[int]:
    end = place + 1
    while kind.goes_on is not None and end < len(lines) and kind.goes_on.match(lines[end].text):
        end += 1
    end = max(end, min(len(lines), place + 1 + kind.n_after))
    start = max(0, place - kind.n_before)
    block = list(range(start, end))
    return block if len(block) <= _N_HEAD + _N_TAIL else block[:_N_HEAD] + block[-_N_TAIL:]


def _told(lines: Sequence[_Line], kept: set[int]) -> Iterator[str]:
    n_gone = 0
    for place, line in enumerate(lines):
        if place not in kept:
            n_gone += line.n_times
            continue
        if n_gone:
            yield _left_out(n_gone)
            n_gone = 0
        yield line.text
        if line.n_times > 1:
            yield f"[{line.n_times - 1} more like this line]"
    if n_gone:
        yield _left_out(n_gone)


def _left_out(n_lines: int) -> str:
    return f"[... {n_lines} line{'s' if n_lines > 1 else ''} left out ...]"
