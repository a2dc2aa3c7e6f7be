"""Names of a language's own objects: a `copy` that the repository defines is seldom the one that is called."""

from __future__ import annotations

import builtins
import io
import logging
from pathlib import Path

__all__ = ["built_in"]

_PYTHON = frozenset(dir(builtins)).union(
    *map(dir, (str, bytes, list, dict, set, tuple, int, float, io.TextIOWrapper, io.BytesIO, Path, logging.Logger))
)
_OF_OBJECTS = """
    assign create defineProperty defineProperties entries freeze fromEntries getOwnPropertyDescriptor isFrozen
    getOwnPropertyNames getPrototypeOf hasOwn hasOwnProperty is keys values toString valueOf toJSON construct ownKeys
    deleteProperty apply bind call length name
    all allSettled any race reject resolve then catch finally next return throw
    isArray from of at concat copyWithin every fill filter find findIndex findLast findLastIndex flat flatMap forEach
    includes indexOf join lastIndexOf map pop push reduce reduceRight reverse shift slice some sort splice toReversed
    toSorted unshift with add clear delete get has set size
    charAt charCodeAt codePointAt endsWith localeCompare match matchAll normalize padEnd padStart repeat replace
    replaceAll search split startsWith substring toLowerCase toUpperCase trim trimEnd trimStart exec test
    message stack cause parse stringify log warn error info debug isInteger isFinite isNaN toFixed
    abs ceil floor max min pow random round sqrt now getTime
    emit on once addEventListener removeEventListener dispatchEvent abort signal aborted
"""
_JAVASCRIPT = frozenset(_OF_OBJECTS.split())
_NAMES = {"python": _PYTHON} | dict.fromkeys(("javascript", "typescript", "tsx"), _JAVASCRIPT)


def built_in(language: str) -> frozenset[str]:
    """The names that a line of `language` is more likely to have from the language than from its repository."""
    # Of other languages only what all of them have in common with Python is known, as `append` and `copy`.
    return _NAMES.get(language, _PYTHON)
