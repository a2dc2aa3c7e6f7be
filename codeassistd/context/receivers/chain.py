"""An expression as a chain of steps from a name: `shop.cart(1).lines[0]` is `shop`, `.cart`, `()`, `.lines`, `[]`.

Read by words, without a parse, so that broken code and any language will do: names are joined by `.`, `->`, `::`, `?.`
or `!.`, and whatever stands in brackets is skipped. What is computed from several values has no chain.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["CALL", "ITEM", "Chain", "beginning_at", "chain_at", "closing"]

CALL = "()"
"""The step that calls what is before it, or makes an object of a class."""
ITEM = "[]"
"""The step that takes one thing out of what is before it."""

_PREFIX = re.compile(r"\s*(?:(?:await|new|yield|from|try|copy|move|mut)\b|&&?(?=\w)|\*(?=\w)|!)\s*")
_NAME = re.compile(r"\s*(?P<name>[$@]?[^\W\d]\w*)")
_STEP = re.compile(r"\s*(?:\?\.|!\.|\.|->|::)\s*(?P<name>#?[^\W\d]\w*)")
_TYPE_ARGUMENTS = re.compile(r"(?:::)?<[\w\s,.:<>\[\]|&?]{1,80}>(?=\s*[({])")
#: What makes another value of the chain before it.
_OPERATOR = re.compile(r"\s*(?:[-+*/%^<>]|==|!=|&(?!&)|\|(?!\|)|(?:is|in|not|instanceof)\b)")
_OPENERS = {"(": ")", "[": "]", "{": "}"}
_QUOTES = frozenset("\"'`")
_MAX_STEPS = 8
_MAX_BRACKET = 4000


@dataclass(frozen=True, slots=True)
class Chain:
    """The name that an expression begins with, and the steps from it: `.name`, `()` or `[]`.

    Attributes:
        end: where in the text it ends.
    """

    name: str
    steps: tuple[str, ...]
    end: int

    @property
    def words(self) -> str:
        """As it would be written."""
        return self.name + "".join(self.steps)


def chain_at(text: str, start: int) -> Chain | None:
    """The chain that begins at `start`; None where something else stands there, or more is done with it."""
    chain = beginning_at(text, start)
    return None if chain is None or _OPERATOR.match(text, chain.end) else chain


def beginning_at(text: str, start: int) -> Chain | None:
    """The chain that begins at `start`, whatever is done with its value; None where something else stands there."""
    while (prefix := _PREFIX.match(text, start)) is not None and prefix.end() > start:
        start = prefix.end()
    first = _NAME.match(text, start)
    if first is None:
        return None
    steps: list[str] = []
    end = first.end()
    while len(steps) < _MAX_STEPS:
        step = _STEP.match(text, end)
        if step is not None:
            steps.append(f".{step['name']}")
            end = step.end()
            continue
        arguments = _TYPE_ARGUMENTS.match(text, end)
        begin = arguments.end() if arguments is not None else end
        opener = text[begin : begin + 1]
        # A brace calls only what is written as one word with it, as in Go: `Cart{}`.
        if opener not in _OPENERS or (opener == "{" and not text[begin - 1].isalnum()):
            break
        steps.append(ITEM if opener == "[" else CALL)
        end = closing(text, begin)
    return Chain(first["name"], tuple(steps), end)


def closing(text: str, start: int) -> int:
    """Where the bracket that opens at `start` has ended; the text's end where it does not, or is very long."""
    expected: list[str] = []
    end = min(len(text), start + _MAX_BRACKET)
    quote = ""
    place = start
    while place < end:
        letter = text[place]
        if quote:
            if letter == "\\":
                place += 1
            elif letter == quote:
                quote = ""
        elif letter in _QUOTES:
            quote = letter
        elif letter in _OPENERS:
            expected.append(_OPENERS[letter])
        elif expected and letter == expected[-1]:
            expected.pop()
            if not expected:
                return place + 1
        place += 1
    return end
