"""What in a sentence must not get lost: identifiers and numbers, and the words that make it a rule."""

from __future__ import annotations

import re

__all__ = ["facts_in", "weight_of"]

#: A name as programs spell it (`max_items`, `Cart.total`, `parseUrl`, `--dry-run`, `/etc/app.toml`, `HTTP2`), or
#: anything in code quotes.
_IDENTIFIER = re.compile(
    r"""
    `(?P<quoted>[^`\n]+)`
    | (?<![\w/])(?:
        --?[A-Za-z][\w-]+                            # an option
        | (?:[~.]{0,2}/)?[\w.-]+(?:/[\w.-]+)+/?      # a path
        | [^\W\d]\w*(?:(?:\.|::|->)[^\W\d]\w*)+(?:\(\))?   # a dotted name, or a file with its suffix
        | [^\W\d]\w*_\w+ | _\w+                      # snake_case
        | [a-z]+[A-Z]\w* | [A-Z]\w*[a-z]\w*[A-Z]\w*  # camelCase, PascalCase
        | (?![KMGT]i?B\b)[A-Z]{2,}\d*\b              # an acronym
        | [^\W\d_]+\d\w*                             # a name with a digit
        | [^\W\d]\w*\(\)                             # a call
    )
    """,
    re.VERBOSE,
)
_UNITS = r"%|(?:[kKMGT]i?)?B|[munµ]?s|min|h|days?|px|[kMG]?Hz"
_NUMBER = re.compile(rf"(?<![\w.])\d[\d_,]*(?:\.\d+)*(?:\s?(?:{_UNITS})(?!\w))?")
#: Of rules and choices; the word alone tells them.
_STRONG = re.compile(
    r"\b(?:must(?:n't)?|shall|never|always|forbidden|required?|requires|decided|decision|agreed|settled|limit(?:ed)?|"
    r"at (?:most|least)|no (?:more|fewer|less|longer) than|only|cannot|can't|may not|not allowed|mandatory|"
    r"maximum|minimum|deadline|chose|chosen|go(?:ing)? with|went with)\b",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:should|need(?:s|ed)?|want(?:s)?|have to|has to|use|uses|using|avoid|without|instead of|keep|prefer|"
    r"expect(?:s|ed)?|support(?:s|ed)?|make sure|ensure|don't|do not|let's|will|under|within|budget)\b",
    re.IGNORECASE,
)
_STRONG_WEIGHT, _WEAK_WEIGHT, _FACT_WEIGHT, _MAX_FACTS = 4, 2, 2, 2


def facts_in(text: str) -> frozenset[str]:
    """The identifiers and numbers of a text, as they are written."""
    names = {found["quoted"] or found[0] for found in _IDENTIFIER.finditer(text)}
    numbers = {found[0].rstrip(",._ ") for found in _NUMBER.finditer(text)}
    return frozenset(names | numbers)


def weight_of(text: str) -> int:
    """How much a sentence matters later: rules before wishes, what has a name or a number before what has none."""
    rule = _STRONG_WEIGHT if _STRONG.search(text) else _WEAK_WEIGHT if _WEAK.search(text) else 0
    return rule + _FACT_WEIGHT * min(len(facts_in(text)), _MAX_FACTS)
