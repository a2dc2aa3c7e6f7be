"""Loops within a line: `0, 0, 0, 0, ...`, `((((((`, the same few words over and over.

A run is a unit that follows upon itself without a break, the last time perhaps only in part. Code repeats itself for
good reasons (rows of zeros, paths that climb, rules of dashes), so how often a unit may follow upon itself depends on
how short it is. Judged on what the model wrote alone: what the user typed was meant.
"""

from __future__ import annotations

import re
from itertools import chain, pairwise

from codeassistd.completion.place import Place

__all__ = ["loop_in_line", "loops_at_end", "without_line_loop"]

# How often a unit of at most so many letters may stand in a row. One more begun is a loop.
_MAX_TIMES = (
    # A number's zeros: 1000000000000, and the zeros at the end of an empty UUID.
    (1, 16),
    # `0, ` is a row of a chess board, `\x00` of eight bytes; `../` climbs less far.
    (4, 8),
    # Names and calls in a list: `None, ` and `False, `; the groups of an empty UUID are four and a bit.
    (24, 5),
    # Three long equal pieces on one line are no style of anybody's.
    (120, 3),
)
# Arrays of four dimensions exist (images in a batch), those of five hardly.
_MAX_OPENERS = 4
# A rule of dashes is as wide as a line of the strictest style, and complete there.
_MAX_RULE = 80
# What rules and table borders are drawn of; such a unit says nothing, so only the width of its run counts.
_RULE_LETTERS = r"[-=~_*#^.+<>|/\\\s\u2500-\u257f]"


def _run(min_length: int, max_length: int, times: int) -> re.Pattern[str]:
    """A unit that stands `times` in a row, and its first letter once more; the shortest such unit."""
    unit = rf"(?P<unit>(?P<first>.).{{{min_length - 1},{max_length - 1}}}?)"
    return re.compile(rf"{unit}(?P=unit){{{times - 1}}}(?P=first)")


_TIERS = tuple((shorter + 1, length, times) for (shorter, _), (length, times) in pairwise(((0, 0), *_MAX_TIMES)))
_TIMES_OF_PERIOD = tuple((period, times) for first, last, times in _TIERS for period in range(first, last + 1))
_RUNS = tuple(_run(*tier) for tier in _TIERS)
_OPENERS = re.compile(rf"(?P<unit>[(\[{{])(?P=unit){{{_MAX_OPENERS}}}")
_RULE = re.compile(rf"{_RULE_LETTERS}{{{_MAX_RULE}}}(?={_RULE_LETTERS})")
_ONLY_RULE = re.compile(rf"{_RULE_LETTERS}+\Z")
_LETTER = re.compile(r"[^\W\d_]")
_IN_WORD = re.compile(r"[\w.]")
_WORD_AT_END = re.compile(r"[\w.]+\Z")
# What parts the units of a run, and is left at the end of the one that is kept.
_SEPARATORS = " \t,;.+-*/|&=<>"


def without_line_loop(text: str, place: Place) -> str:
    """Keep one unit of the loop; nothing of it where whole lines stand before it, or where it is but a number."""
    del place
    lines = text.split("\n")
    for index, line in enumerate(lines):
        kept = loop_in_line(line)
        if kept is None:
            continue
        before = "\n".join(lines[:index])
        if before.strip():
            return before
        text = "\n".join([*lines[:index], line[:kept]])
        return text if _LETTER.search(text) or _ONLY_RULE.match(line[:kept]) else ""
    return text


def loop_in_line(line: str) -> int | None:
    """How much of a line is worth keeping if it goes round in a loop; None if it does not."""
    found = chain.from_iterable(run.finditer(line) for run in (*_RUNS, _OPENERS))
    ends = [_end_of_first(line, run) for run in found if not _ONLY_RULE.match(run["unit"])]
    ends += [rule.end() for rule in _RULE.finditer(line) if not rule.group().isspace()]
    return min(ends, default=None)


def loops_at_end(line: str) -> bool:
    """Whether a line that is still being written goes round in a loop; asked for each token, so it looks at its end."""
    if _OPENERS.search(line[-_MAX_OPENERS - 1 :]) or _ends_in_rule(line):
        return True
    return any(_repeats_at_end(line, period, times) for period, times in _TIMES_OF_PERIOD)


def _repeats_at_end(line: str, period: int, times: int) -> bool:
    length = period * times + 1
    if len(line) < length or line[-1] != line[-1 - period]:
        return False
    run = line[-length:]
    return run[period:] == run[:-period] and not _ONLY_RULE.match(run)


def _ends_in_rule(line: str) -> bool:
    end = line[-_MAX_RULE - 1 :]
    return _RULE.match(end) is not None and not end.isspace()


def _end_of_first(line: str, run: re.Match[str]) -> int:
    """Where the first unit of a run ends, without what parts it from the next, and never within a word."""
    end = run.end("unit")
    word = _WORD_AT_END.search(line[:end])
    if word is not None and _IN_WORD.match(line, end):
        # `100000...` is no number that anybody meant, nor is any part of it.
        end = word.start()
    return len(line[:end].rstrip(_SEPARATORS))
