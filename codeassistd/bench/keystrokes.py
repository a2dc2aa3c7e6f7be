"""Typing as keys: a stretch of a real file that is taken out of it and typed in again, letter by letter."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.errors import UsageError
from codeassistd.text import PositionEncoding, Text

__all__ = ["TypingScript", "cursor_after", "keys_of", "make_script", "spread"]

# Editors indent by themselves, so a line break brings the next line's indentation with it.
_KEY = re.compile(r"(?:\r\n|\n|\r)[ \t]*|.", re.DOTALL)
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
#: A script starts below the first lines of a file, which are licences and imports in most.
_N_LINES_ABOVE = 10


@dataclass(frozen=True, slots=True)
class TypingScript:
    """One file that is open while a stretch of it is typed.

    Attributes:
        path, language: of the file; the language is an LSP id.
        before, after: what stands round the cursor when the typing begins.
        keys: what each key inserts at the cursor.
        truth: the file's text from the start of the typing to its end, so what is typed and what would be typed next.
    """

    path: Path
    language: str
    before: str
    keys: tuple[str, ...]
    after: str
    truth: str

    def typed(self, n_keys: int) -> str:
        """What the first keys insert."""
        return "".join(self.keys[:n_keys])

    def ahead(self, n_keys: int) -> str:
        """What is typed after the first keys, to the end of the file."""
        return self.truth[len(self.typed(n_keys)) :]


def make_script(path: Path, language: str, content: str, n_keys: int, seed: int) -> TypingScript:
    """A script of `n_keys` keys at a place that the seed chooses: the start of a line that is not blank.

    The typed stretch is missing from the file at first, to the end of its last line; what stands below it is there.

    Raises:
        UsageError: the file is too short.
    """
    starts = [start for start in _line_starts(content)[_N_LINES_ABOVE:] if content[start:].strip()]
    places = [place for start in starts if (place := _first_letter(content, start)) is not None]
    fitting = [place for place in places if _has_keys(content[place:], n_keys)]
    if not fitting:
        raise UsageError(f"{path} is too short to type {n_keys} keys in it; give fewer by --keys, or another file")
    start = random.Random(f"{seed} {path.name}").choice(fitting)  # noqa: S311 - a choice of places, not a secret
    truth = content[start:]
    keys = keys_of(truth)[:n_keys]
    end = start + len("".join(keys))
    line_end = _LINE_BREAK.search(content, end)
    after = content[line_end.start() :] if line_end else ""
    return TypingScript(path, language, content[:start], tuple(keys), after, truth)


def keys_of(text: str) -> list[str]:
    """What each key inserts to write `text`: letters, and line breaks with the indentation after them."""
    return _KEY.findall(text)


def cursor_after(script: TypingScript, n_keys: int) -> tuple[int, int]:
    """Line and character of the cursor after the first keys, in UTF-16 as editors count."""
    text = Text.of(script.before + script.typed(n_keys))
    position = text.position_at(len(text), PositionEncoding.UTF16)
    return position.line, position.character


def spread(paths: Sequence[Path], n_paths: int, seed: int) -> list[Path]:
    """So many of `paths`, chosen by the seed; the order of `paths` does not matter."""
    ordered = sorted(paths)
    return random.Random(seed).sample(ordered, min(n_paths, len(ordered)))  # noqa: S311 - see above


def _line_starts(content: str) -> list[int]:
    return [0, *(found.end() for found in _LINE_BREAK.finditer(content))]


def _first_letter(content: str, start: int) -> int | None:
    """The first letter of the line that starts there; None where the line is blank."""
    end = _LINE_BREAK.search(content, start)
    line = content[start : end.start() if end else len(content)]
    bare = line.lstrip(" \t")
    return start + len(line) - len(bare) if bare.strip() else None


def _has_keys(text: str, n_keys: int) -> bool:
    # The last of them in an iteration that goes no further: a file may be long.
    return next(itertools.islice(_KEY.finditer(text.rstrip()), n_keys - 1, None), None) is not None
