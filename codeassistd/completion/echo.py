"""The border between what is typed and what the model wrote: the blank left to it, and what it wrote once more."""

from __future__ import annotations

import re

from codeassistd.completion.place import Place

__all__ = ["without_leading_blanks", "without_left_out", "without_typed_start"]

_WORD_AT_END = re.compile(r"\w+$")
# Shorter overlaps of the typed text with the answer are mostly legal: `x = x + 1`, `[0, 0, 0]`.
_MIN_ECHO = 4
_MIN_WORD = 3
_TELLING = re.compile(r"[^\W\d]\w*\s*[(.=\[]")


def without_left_out(text: str, place: Place, left_out: str) -> str:
    """Take off the blank or line break that the prompt left to the model; what did without one must not run on.

    The model went on from `x =` where the document has `x = `. So ` 5` goes on well, and so does `5`; `= 5` would have
    made `x == 5` and fits no more. Where a line break was left to it, anything else belongs to the line above.
    """
    if not left_out:
        return text
    if text.startswith(left_out):
        return text.removeprefix(left_out)
    if "\n" in left_out:
        blanks = text[: len(text) - len(text.lstrip())]
        # As many breaks as there were, or fewer: what follows them begins at the cursor.
        return text[blanks.rfind("\n") + 1 :] if "\n" in blanks or blanks == text else ""
    typed = place.head.removesuffix(left_out)
    if not text or not typed.strip() or text[0].isspace():
        return text
    return "" if _kind(typed[-1]) == _kind(text[0]) else text


def without_typed_start(text: str, place: Place) -> str:
    """Take off what repeats the typed start of the line, or the typed start of a word."""
    head, written = place.head.lstrip(), text.lstrip(" \t")
    if not head.strip() or not written:
        return text
    for start in range(len(head)):
        echo = head[start:]
        if written.startswith(echo) and _is_echo(head, start):
            return written.removeprefix(echo)
    word = _WORD_AT_END.search(head)
    if word is not None and len(word.group()) >= _MIN_WORD and text.startswith(word.group()):
        return text.removeprefix(word.group())
    return text


def without_leading_blanks(text: str, place: Place) -> str:
    """Begin at the cursor: no line breaks on a blank line, no second blank behind a blank, two breaks at most."""
    if place.is_blank_before:
        stripped = text.lstrip()
        first = text[: len(text) - len(stripped)]
        # Blanks of the first line stay: they say where the model meant it to stand.
        return first.rpartition("\n")[2] + stripped
    if place.head[-1:].isspace():
        text = text.lstrip(" \t")
    breaks = re.match(r"(?:[ \t]*\n){3,}", text)
    return text if breaks is None else "\n\n" + text[breaks.end() :]


def _is_echo(head: str, start: int) -> bool:
    """Whether the typed text from `start` on is long and telling enough to be no coincidence in an answer."""
    echo = head[start:]
    if start == 0:
        return len(echo) > 1 and any(letter.isalpha() for letter in echo)
    begins_word = head[start].isalpha() and not (head[start - 1].isalnum() or head[start - 1] == "_")
    return len(echo) >= _MIN_ECHO and begins_word and _TELLING.match(echo) is not None


def _kind(letter: str) -> str:
    if letter.isalnum() or letter == "_":
        return "word"
    return "bracket" if letter in "()[]{}\"'`,;" else "operator"
