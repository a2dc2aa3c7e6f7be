"""What a user pastes into a question: long logs are cut, code and prose are left as they are."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeassistd.chat.tool_output import cut_output, looks_like_output

__all__ = ["cut_pasted"]

_FENCED = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n(?P<text>.*?)^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
#: A question is a paragraph or two before or behind what was pasted.
_PARAGRAPHS = re.compile(r"(\n[ \t]*\n)")
_MAX_PROSE_LINES = 5


def cut_pasted(text: str) -> str:
    """A question with the logs in it cut to what tells something: those in code fences, and those without."""
    return "".join(_pieces(text))


def _pieces(text: str) -> Iterator[str]:
    start = 0
    for fenced in _FENCED.finditer(text):
        yield _unfenced(text[start : fenced.start()])
        yield fenced[0][: fenced.start("text") - fenced.start()]
        yield _cut(fenced["text"]) if looks_like_output(fenced["text"]) else fenced["text"]
        yield fenced[0][fenced.end("text") - fenced.start() :]
        start = fenced.end()
    yield _unfenced(text[start:])


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
