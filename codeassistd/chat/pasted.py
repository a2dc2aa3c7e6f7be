"""What a user pastes into a question: long logs are cut, code and prose are left as they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from codeassistd.chat.tool_output import cut_output, looks_like_output

__all__ = ["cut_pasted"]

#: A line that opens a code block; behind backticks there is no other one, or it is code in a line.
_OPENING = re.compile(r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})")
#: A question is a paragraph or two before or behind what was pasted.
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n)")
_MAX_PROSE_LINES = 5


def cut_pasted(text: str) -> str:
    """A question with the logs in it cut to what tells something: those in code fences, and those without."""
    return "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    lines = text.split("\n")
    start = 0
    for opening, closing in _fenced(lines):
        yield _unfenced("".join(f"{line}\n" for line in lines[start:opening]))
        yield f"{lines[opening]}\n"
        inner = "".join(f"{line}\n" for line in lines[opening + 1 : closing])
        yield _cut(inner) if looks_like_output(inner) else inner
        yield lines[closing] if closing == len(lines) - 1 else f"{lines[closing]}\n"
        start = closing + 1
    yield _unfenced("\n".join(lines[start:]))


def _fenced(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The lines that open and close each code block; a fence that nothing closes opens none."""
    closing: dict[str, list[int]] = {}
    for place, line in enumerate(lines):
        if line.startswith(("```", "~~~")):
            closing.setdefault(line.rstrip(), []).append(place)
    behind = -1
    for place, line in enumerate(lines):
        found = _OPENING.match(line) if place > behind else None
        ends = closing.get(found["fence"], []) if found is not None else []
        next_end = bisect_right(ends, place)
        if next_end < len(ends):
            behind = ends[next_end]
            yield place, behind


def _unfenced(text: str) -> str:
    """The first and the last paragraph are the user's words, if they are short; what lies between may be a log."""
    if not looks_like_output(text):
        return text
    paragraphs = _PARAGRAPHS.split(text)
    first = paragraphs[0] if len(paragraphs) > 1 and _is_prose(paragraphs[0]) else ""
    last = paragraphs[-1] if len(paragraphs) > 1 and _is_prose(paragraphs[-1]) else ""
    middle = text[len(first) : len(text) - len(last)]
    return f"{first}\n\n{_cut(middle)}\n{last}" if first else f"{_cut(middle)}\n{last}"


def _is_prose(paragraph: str) -> bool:
    return paragraph.count("\n") < _MAX_PROSE_LINES and not looks_like_output(paragraph)


def _cut(text: str) -> str:
    return f"{cut_output(text.strip(chr(10))).text}\n"
