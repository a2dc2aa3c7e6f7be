"""Cursors in real files, each in a document with a hole: what an editor shows while that place is being written."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from codeassistd.documents.secrets import is_secret
from codeassistd.syntax.languages import Language, Languages

__all__ = ["Kind", "Spot", "choose_spots", "source_files"]

#: Smaller ones have no room for a hole, larger ones are mostly written by machines.
_MIN_BYTES, _MAX_BYTES = 400, 400_000
_MAX_LINE = 2_000
#: Folders of other people's code, and of what is made by machines.
_FOREIGN = frozenset(
    {"node_modules", "__pycache__", "vendor", "third_party", "dist", "build", "target", "site-packages"}
)
#: How often a place is looked for before the turn goes on, and how many turns in a row may be in vain.
_TRIES = 20
_MAX_MISSES = 100
_CLOSER_OF = {"(": ")", "[": "]", "{": "}"}
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Kind(StrEnum):
    """Where in a line the cursor stands, and what is missing behind it."""

    LINE_START = "line start"
    """Behind the indentation of a line that is not written yet."""
    AFTER_OPENER = "after an opener"
    """At the end of the head of a block whose body is not written yet."""
    MIDDLE = "middle of a line"
    """Behind some word of a line; the rest of it is not written yet."""
    IN_BRACKETS = "inside brackets"
    """Between brackets that the editor has closed, with nothing in them."""
    LINE_END = "end of a line"
    """Behind a line that is complete."""


@dataclass(frozen=True, slots=True)
class Spot:
    """One cursor.

    Attributes:
        language: an LSP id.
        line: of the cursor, from one, in the document as in the file.
        before, after: the document round the cursor.
        removed: what the file has between them.
    """

    path: Path
    language: str
    kind: Kind
    line: int
    before: str
    after: str
    removed: str


def source_files(roots: Iterable[Path], languages: Languages) -> list[Path]:
    """The files of known languages under `roots`, without hidden and foreign folders and what may hold secrets."""
    found = set[Path]()
    for root in roots:
        for path in [root] if root.is_file() else root.rglob("*"):
            parts = path.relative_to(root).parts[:-1]
            if any(part.startswith(".") or part in _FOREIGN for part in parts) or is_secret(path):
                continue
            if languages.by_path(path) is not None and path.is_file():
                found.add(path.resolve())
    return sorted(found)


def choose_spots(
    paths: Sequence[Path], limit: int, seed: int, languages: Languages, kinds: Sequence[Kind] = tuple(Kind)
) -> list[Spot]:
    """`limit` cursors of these kinds, or fewer where there are not enough files.

    The kinds take turns, and so do the languages, as far as their files go.
    """
    chance = random.Random(seed)  # noqa: S311 - a choice of places, not a secret
    by_language: dict[str, list[Path]] = {}
    for path in paths:
        language = languages.by_path(path)
        if language is not None:
            by_language.setdefault(language.name, []).append(path)
    spots: dict[tuple[Path, int, Kind], Spot] = {}
    turns = itertools.cycle((name, kind) for name in sorted(by_language) for kind in kinds)
    n_misses = 0
    while by_language and len(spots) < limit and n_misses < _MAX_MISSES:
        name, kind = next(turns)
        language = languages.by_id(name)
        found = (
            None if language is None else _spot_in(chance.choice(by_language[name]), language, kind, chance)
            for _ in range(_TRIES)
        )
        spot = next((spot for spot in found if spot and (spot.path, spot.line, kind) not in spots), None)
        n_misses = n_misses + 1 if spot is None else 0
        if spot is not None:
            spots[spot.path, spot.line, kind] = spot
    return list(spots.values())


def _spot_in(path: Path, language: Language, kind: Kind, chance: random.Random) -> Spot | None:
    """A cursor in one file; None where it has no such place, or is not worth one."""
    content = path.read_bytes()
    if not _MIN_BYTES <= len(content) <= _MAX_BYTES:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    lines = text.splitlines(keepends=True)
    if max(map(len, lines)) > _MAX_LINE:
        return None
    numbers = [number for number, line in enumerate(lines) if line.strip()]
    chance.shuffle(numbers)
    for number in numbers:
        for start, end in _HOLES[kind](lines, number, language, chance):
            offset = sum(map(len, lines[:number]))
            name = language.lsp_ids[0] if language.lsp_ids else language.name
            hole = text[offset + start : offset + end]
            return Spot(path, name, kind, number + 1, text[: offset + start], text[offset + end :], hole)
    return None


_Hole = Iterator[tuple[int, int]]


def _line_start(lines: list[str], number: int, language: Language, chance: random.Random) -> _Hole:
    del language, chance
    line = lines[number]
    body = line.rstrip("\r\n")
    indent = len(body) - len(body.lstrip())
    if body.lstrip()[:1] not in set(_CLOSER_OF.values()):
        yield indent, len(body)


def _after_opener(lines: list[str], number: int, language: Language, chance: random.Random) -> _Hole:
    """The head stays; lines that are deeper than it are the body, which is missing."""
    del chance
    head = lines[number].rstrip("\r\n")
    if re.search(language.block_head, head) is None:
        return
    depth = len(head) - len(head.lstrip())
    end = length = len(lines[number])
    for line in lines[number + 1 :]:
        if line.strip() and len(line) - len(line.lstrip()) <= depth:
            break
        length += len(line)
        if line.strip():
            end = length
    if end > len(lines[number]):
        # The line break before the closer, or before what follows, stays.
        yield len(head), end - (len(lines[number]) - len(head))


def _middle(lines: list[str], number: int, language: Language, chance: random.Random) -> _Hole:
    del language
    body = lines[number].rstrip("\r\n")
    ends = [token.end() for token in _TOKEN.finditer(body)][:-1]
    if len(ends) > 1:
        yield chance.choice(ends), len(body)


def _in_brackets(lines: list[str], number: int, language: Language, chance: random.Random) -> _Hole:
    del language
    body = lines[number].rstrip("\r\n")
    pairs = [
        (match.end(), close)
        for match in re.finditer(r"[(\[{]", body)
        if (close := _closer(body, match.start())) is not None and close > match.end()
    ]
    if pairs:
        yield chance.choice(pairs)


def _line_end(lines: list[str], number: int, language: Language, chance: random.Random) -> _Hole:
    del language, chance
    body = lines[number].rstrip("\r\n")
    yield len(body), len(body)


_HOLES: dict[Kind, Callable[[list[str], int, Language, random.Random], _Hole]] = {
    Kind.LINE_START: _line_start,
    Kind.AFTER_OPENER: _after_opener,
    Kind.MIDDLE: _middle,
    Kind.IN_BRACKETS: _in_brackets,
    Kind.LINE_END: _line_end,
}


def _closer(line: str, start: int) -> int | None:
    """Where the bracket at `start` is closed on its line; strings are not told from code."""
    opener, closer, depth = line[start], _CLOSER_OF[line[start]], 0
    for place in range(start, len(line)):
        depth += (line[place] == opener) - (line[place] == closer)
        if depth == 0:
            return place
    return None
