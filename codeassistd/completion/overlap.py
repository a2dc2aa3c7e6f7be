"""The border between the suggestion and the text after the cursor: nothing of it may stand there twice.

Only an overlap at the very end of the answer is taken off, and only if the document is the better for it: brackets and
strings are counted with each of the possible cuts in place, and the longest of the best is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from codeassistd.completion.balance import CLOSERS, PAIRS, Scan, scan
from codeassistd.completion.open_block import lacks_brace, may_end_open
from codeassistd.completion.place import Place, lead

__all__ = [
    "broken_before_closers",
    "without_block_end",
    "without_doubled_line",
    "without_line_overlap",
    "without_open_end",
    "without_second_call",
    "without_stray_closers",
    "without_swallowing_comment",
    "without_tail_overlap",
]

_N_LINES_AFTER = 40
_LONG_QUOTES = ('"""', "'''")
#: What an editor puts behind the cursor by itself, and what stands between arguments and statements.
_BORDER = frozenset(")]}>\"'`;,:")
_SEPARATORS = frozenset(";,:")
_CALLED = re.compile(r"\w*(?=\()")
# A single line that equals the next one by chance is short.
_MIN_DOUBLED_LINE = 8


def without_line_overlap(text: str, place: Place) -> str:
    """Take off last lines that stand below already; drop an answer that only begins to write down what stands below."""
    if place.rest:
        return text
    below = [line.rstrip() for line in place.below if line.strip()]
    first, *others = text.split("\n")
    lines = [(place.head + first).rstrip(), *(line.rstrip() for line in others)]
    for length in range(min(len(lines), len(below)), 0, -1):
        if lines[-length:] == below[:length] and lines[-length].strip():
            return "\n".join([first, *others][: len(lines) - length]).rstrip("\n")
    written = [line for line in lines if line.strip()]
    if written and below and written[0] == below[0] and _is_doubled(written, below):
        return ""
    return text


def without_tail_overlap(text: str, place: Place) -> str:
    """Take off the end of the answer that stands behind the cursor already: closers, separators or the whole rest."""
    rest = place.rest
    if not rest or not text:
        return text
    n_before = len(_scan_on("", place).strays)

    def badness(cut: str) -> tuple[int, bool, int]:
        found = _scan_on(cut, place)
        n_strays = len(found.strays)
        # A bracket too many that the document has without us is not mended by eating one that the answer needs.
        return max(n_before, n_strays) + found.n_faults - n_strays, _doubles(cut, rest, place), -len(cut)

    return min(_cuts(text, rest, place), key=badness)


def without_second_call(text: str, place: Place) -> str:
    """Keep of a call no more than its name where what the name is called with stands behind the cursor already."""
    call = _CALLED.match(text)
    if call is None or not place.rest.startswith("("):
        return text
    name = call.group()
    return name if _is_word(f"{place.head}{name}"[-1:]) else text


def without_doubled_line(text: str, place: Place) -> str:
    """Drop an answer that makes the cursor's line, with what stands behind the cursor, the same as a neighbour."""
    if not place.rest or "\n" in text:
        return text
    line = f"{place.head}{text}{place.tail}".strip()
    is_doubled = line in {place.line_above.strip(), place.line_below.strip()}
    return "" if is_doubled and len(line) >= _MIN_DOUBLED_LINE and any(map(str.isalpha, line)) else text


def without_stray_closers(text: str, place: Place) -> str:
    """Cut at a closing bracket that closes nothing in the whole document."""
    if not place.knows_start or _n_faults(text, place) <= _n_faults("", place):
        return text
    strays = [stray - len(place.head) for stray in place.scanned(text).strays if stray >= len(place.head)]
    if not strays:
        return text
    cut = text[: strays[0]]
    return cut if _n_faults(cut, place) < _n_faults(text, place) else text


def without_block_end(text: str, place: Place) -> str:
    """Take off a closing brace that closes the block round the cursor, where the next line does that already."""
    body = text.rstrip()
    if place.rest or not body.endswith("}") or not place.line_below.lstrip().startswith("}") or lacks_brace(place):
        return text
    if len(body) - 1 not in _own_strays(body, place):
        return text
    return body[:-1].rstrip()


def without_swallowing_comment(text: str, place: Place) -> str:
    """Cut off a comment that what stands behind the cursor would become a part of."""
    mark = place.language.comment if place.language is not None else ""
    if not mark or not place.rest or place.rest.startswith(mark):
        return text
    start = place.scanned(text).comment
    if start is None or start < len(place.head) or not _is_mark_alone(place.head + text, start):
        return text
    return text[: start - len(place.head)].rstrip(" \t")


def without_open_end(text: str, place: Place) -> str:
    """Keep as many lines as close what they open: their strings, and all brackets but that of a block that may wait."""
    lines = text.split("\n")
    before = _open("", place)
    for n_lines in range(len(lines), 0, -1):
        kept = "\n".join(lines[:n_lines])
        if kept.rstrip().endswith("{") and place.rest[:1] in {")", "]"}:
            # Nothing can be written between the two without breaking the line.
            continue
        allowed = Counter("{" if kept.rstrip().endswith("{") and may_end_open(kept, place) else "")
        if _open(kept, place) <= before + allowed:
            return kept
    return ""


def broken_before_closers(text: str, place: Place) -> str:
    """Give the closers behind the cursor a line of their own, below a block of several lines."""
    head, last = place.head.rstrip(), text.rstrip().rpartition("\n")[2].lstrip()
    # A body behind an arrow brings its own braces, and the closers behind it follow its last one.
    opens = head[-1:] in {"", *PAIRS} or (head.endswith("=>") and last[:1] not in CLOSERS)
    if "\n" not in text or not opens or place.rest[:1] not in CLOSERS or not text.strip():
        return text
    return f"{text.rstrip()}\n{lead(place.head)}"


def _cuts(text: str, rest: str, place: Place) -> Iterator[str]:
    """The answer, and what it may be cut to."""
    yield text
    body = text.rstrip()
    for length in range(1, min(len(rest), len(body)) + 1):
        overlap = rest[:length]
        if body.endswith(overlap) and (set(overlap) <= _BORDER | {" "} or _is_whole(body, rest, length)):
            yield body[: len(body) - length]
    # `dx, dy);` before `)`: the bracket that the document has already, and all that was written behind it.
    for stray in _own_strays(text, place)[:1]:
        if rest.startswith(text[stray]):
            yield text[:stray]


def _is_whole(body: str, rest: str, length: int) -> bool:
    """Whether the overlap is all of the rest, and begins where a word of the answer begins."""
    if length != len(rest):
        return False
    before = body[len(body) - length - 1 : len(body) - length]
    return not (_is_word(before) and _is_word(rest[:1]))


def _doubles(cut: str, rest: str, place: Place) -> bool:
    """Whether the same separator, bracket or rest of the line would stand there twice.

    Brackets count in comments and strings, too: people close there what they open.
    """
    end = cut.rstrip()
    if end[-1:] in CLOSERS and rest[:1] in CLOSERS:
        return _n_strays(place.head + cut + place.tail) > _n_strays(place.head + place.tail)
    if end[-1:] == rest[:1] and (end[-1:] in _SEPARATORS or rest.startswith(_LONG_QUOTES)):
        return True
    if end[-1:] == rest[:1] == ">":
        return end.count(">") > end.count("<") + end.count("->") + end.count("=>")
    return any(_is_word(letter) for letter in rest) and end.endswith(rest) and _is_whole(end, rest, len(rest))


def _n_strays(line: str) -> int:
    """Closing brackets of a line that close nothing in it, whatever they stand in."""
    n_open, n_strays = Counter[str](), 0
    for letter in line:
        if letter in PAIRS:
            n_open[PAIRS[letter]] += 1
        elif letter in CLOSERS:
            n_strays += not n_open[letter]
            n_open[letter] = max(0, n_open[letter] - 1)
    return n_strays


def _is_doubled(written: list[str], below: list[str]) -> bool:
    """Whether the first lines of both say enough to be the same text, not the same bracket."""
    if len(written) > 1 and len(below) > 1 and written[1] == below[1]:
        return True
    return len(written[0].strip()) >= _MIN_DOUBLED_LINE


def _own_strays(text: str, place: Place) -> Sequence[int]:
    """Closing brackets of the answer that close nothing in it."""
    return scan(text, place.language, "", place.scanned().inside).strays


def _n_faults(text: str, place: Place) -> int:
    return _scan_on(text, place).n_faults


def _scan_on(text: str, place: Place) -> Scan:
    """The document from the cursor's line on with `text` in it."""
    after = "\n".join([place.tail, *place.below[:_N_LINES_AFTER]])
    return place.scanned(text + after)


def _open(text: str, place: Place) -> Counter[str]:
    """Brackets and strings that are open at the end of the cursor's line, or of the last line of `text`, by kind."""
    found = place.scanned(text + place.tail)
    return Counter({**Counter(found.openers), "string": found.n_open_strings + bool(found.inside)})


def _is_mark_alone(text: str, start: int) -> bool:
    """Whether a comment mark is one, and not a part of something else, such as `${name#prefix}`."""
    before = text[start - 1 : start]
    return not before or before.isspace() or before in "()[]{};,"


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"
