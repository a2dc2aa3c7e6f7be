"""Where to stop a running answer: at the end of the line or of the block, at too many lines, or in a loop.

Each token that is not generated is time that the user does not wait. Judged on the raw text, before it is made to fit,
so these rules are coarse: what they let through is cut by the pipeline.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from codeassistd.completion.balance import CLOSERS, scan
from codeassistd.completion.line_loop import loops_at_end
from codeassistd.completion.open_block import may_end_open
from codeassistd.completion.place import Place, lead, opens_block
from codeassistd.completion.repetition import loop_start
from codeassistd.syntax.languages import Language

__all__ = ["Extent", "Shape", "stop_at"]

# A model that only breaks lines has nothing to say.
_MAX_LEADING_BREAKS = 4
# Two blank lines part definitions in most styles; one belongs to bodies.
_MAX_BLANK_LINES = 1
#: A line that opens a fence, as chats do before code.
_FENCE = re.compile(r"\s*(?:```|~~~)[^\n`]*(?P<end>\n)?")
#: What has members, of which a suggestion is one.
_MEMBERS_HEAD = re.compile(
    r"^\s*(?!for\b|if\b|while\b|with\b)(?:[\w<>\[\]]+\s+)*?(?:class|interface|struct|trait|impl|enum|object|module|protocol|extension|record)\b"
)
#: Words that end a block and begin the next one of the same statement: another suggestion.
_BETWEEN = frozenset(
    {"else", "elif", "elsif", "elseif", "when", "in", "case", "rescue", "ensure", "except", "catch", "finally", ";;"}
)


class Extent(StrEnum):
    """What is wanted."""

    LINE = "line"
    STATEMENT = "statement"
    """A line, and the lines up to the closers of the brackets that the answer itself opened."""
    BLOCK = "block"
    PARAGRAPH = "paragraph"
    """Lines of prose up to a blank one, or to the end of the string or comment that they stand in."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How much is wanted.

    Attributes:
        max_lines: most lines.
        why: the rule that decided.
    """

    extent: Extent
    max_lines: int
    why: str


def stop_at(raw: str, place: Place, shape: Shape) -> int | None:
    """How much of `raw`, all that was generated so far, is the answer, if nothing after it can belong to it.

    Returns:
        The length of the answer; None to go on.
    """
    fence = _FENCE.match(raw)
    if fence is not None:
        # The code stands below the fence, and nothing can be said before that line has ended.
        kept = stop_at(raw[fence.end() :], place, shape) if fence["end"] else None
        return None if kept is None else fence.end() + kept
    body = raw.lstrip()
    blanks = raw[: len(raw) - len(body)]
    if not body:
        return 0 if blanks.count("\n") > _MAX_LEADING_BREAKS else None
    # The blanks before the first word on its line belong to that line.
    start = blanks.rfind("\n") + 1
    lines = raw[start:].split("\n")
    if shape.extent is Extent.BLOCK:
        # On a blank line the first line is the one that the cursor stands on; elsewhere only an unbroken one is.
        n_own = 1 if place.is_blank_before or start == 0 else 0
        kept = _block_lines(lines, place, shape.max_lines, n_own)
    elif shape.extent is Extent.PARAGRAPH:
        kept = _paragraph_lines(lines, place, shape.max_lines)
    else:
        kept = _statement_lines(lines, place, 1 if shape.extent is Extent.LINE else shape.max_lines)
    if kept is not None:
        return start + len("\n".join(lines[:kept]))
    # What is worth keeping of it is cut out by the pipeline, which also tells that it did.
    return len(raw) if loops_at_end(lines[-1]) else None


def _statement_lines(lines: list[str], place: Place, max_lines: int) -> int | None:
    """How many of `lines` are one statement; None while its brackets are open. The last one is still being written."""
    for n_lines in range(1, len(lines)):
        openers = scan("\n".join(lines[:n_lines]), place.language).openers
        if not openers or n_lines == max_lines:
            return n_lines
        if openers == "{" and may_end_open("\n".join(lines[:n_lines]), place):
            # The body of the block is another suggestion.
            return n_lines
    return None


def _paragraph_lines(lines: list[str], place: Place, max_lines: int) -> int | None:
    """How many of `lines` are a paragraph; None while it goes on. The last one is still being written."""
    language = place.language
    ends = [] if language is None else [end for _, end in (*language.block_comments, *language.long_strings)]
    for index, line in enumerate(lines[:-1]):
        if index == max_lines or (index > 0 and not line.strip()):
            return index
        if any(end in line for end in ends):
            return index + 1
    start = loop_start(lines[:-1])
    return start if start < len(lines) - 1 else None


def _may_end_block(line: str, language: Language | None, *, is_whole: bool) -> bool:
    """Whether `line` is the last of its block: a closer, or what may still become one."""
    if line[0] in CLOSERS:
        return True
    ends = frozenset[str]() if language is None else language.block_closers - _BETWEEN
    return line in ends or (not is_whole and any(end.startswith(line) for end in ends))


def _block_lines(lines: list[str], place: Place, max_lines: int, n_own: int) -> int | None:
    """How many of `lines` belong to the block; None while all of them may. The first `n_own` do in any case."""
    opener = place.line_above if place.is_blank_before else place.head
    floor = place.style.columns(lead(opener)) + 1
    n_blank = 0
    # The last line is still being written: its first letter is enough to see a dedent, but not to see a loop.
    for index, line in enumerate(lines):
        if index == max_lines or n_blank > _MAX_BLANK_LINES:
            return index - n_blank
        if not line.strip():
            n_blank += 1
            continue
        n_blank = 0
        if index >= n_own and place.style.columns(lead(line)) < floor:
            is_whole = index < len(lines) - 1
            if not _may_end_block(line.strip(), place.language, is_whole=is_whole):
                return index
            if is_whole:
                return index + 1
    member = _second_member(lines[:-1], opener, place)
    if member is not None:
        return member
    start = loop_start(lines[:-1])
    return start if start < len(lines) - 1 else None


def _second_member(lines: list[str], opener: str, place: Place) -> int | None:
    """How many lines of a class's body are its first method, with what stands before it; None if no other begins."""
    if not lines or _MEMBERS_HEAD.search(opener) is None:
        return None
    columns = [place.style.columns(lead(line)) for line in lines]
    if place.is_blank_before:
        columns[0] += place.indent
    said = [index for index, line in enumerate(lines) if line.strip()]
    body = min((columns[index] for index in said), default=0)
    heads = [index for index in said if columns[index] == body and opens_block(lines[index], place.language)]
    if len(heads) < 2:  # noqa: PLR2004 - the second one
        return None
    # Decorators and comments right above it are its own.
    end = heads[1]
    while end > 0 and lines[end - 1].strip() and columns[end - 1] == body and _leads_in(lines[end - 1], place):
        end -= 1
    return len("\n".join(lines[:end]).rstrip().split("\n"))


def _leads_in(line: str, place: Place) -> bool:
    """Whether a line belongs to the definition below it: a decorator or a comment."""
    mark = "@" if place.language is None else place.language.comment
    return line.lstrip().startswith(("@", mark or "@"))
