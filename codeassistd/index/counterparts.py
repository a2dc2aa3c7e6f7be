"""Which files belong together as test and tested, judged by their names alone.

Most test runners find tests by such names, so the habits are few: a word for "test" or "spec" in front of the tested
file's name or behind it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["counterparts", "is_test", "stem_of"]

_FRONT = re.compile(r"^tests?_|^test(?=[A-Z])|^Tests?(?=[A-Z])")
_BEHIND = re.compile(r"[._-](?:tests?|specs?)$|(?<=[a-z0-9])(?:Tests?|TestCase|Specs?|IT)$")
_SIGNS = re.compile(r"[._-]+")


def stem_of(path: str) -> str:
    """What a test and the file it is about have in common: the name without its ending and its word for a test."""
    name = _bare(path)
    return _SIGNS.sub("", _BEHIND.sub("", _FRONT.sub("", name)) or name).casefold()


def is_test(path: str) -> bool:
    """Whether a file's name says that it is a test."""
    name = _bare(path)
    return bool(_FRONT.search(name) or _BEHIND.search(name))


def counterparts(asking: str, candidates: Iterable[str]) -> list[str]:
    """Those of `candidates` on the other side of `asking`, the closest first.

    Tests often stand in a tree of their own that repeats the folders of the tested files, so the folders that both
    paths name count, not the way from one to the other.
    """
    others = [path for path in candidates if path != asking and is_test(path) != is_test(asking)]
    own = set(_folders(asking))
    return sorted(others, key=lambda path: (-len(own.intersection(_folders(path))), path.count("/"), path))


def _folders(path: str) -> list[str]:
    return path.split("/")[:-1]


def _bare(path: str) -> str:
    """The file's name without its ending; a declaration file's has two."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0].removesuffix(".d") or name
