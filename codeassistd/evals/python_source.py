"""Source that a model wrote, as Python's own parser sees it; nothing of it is run, and nothing is said of it."""

from __future__ import annotations

import ast
import warnings

__all__ = ["parses", "tree_of"]


def tree_of(source: str) -> ast.Module | None:
    """The tree; None where it is no Python, or too deep for the parser."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def parses(source: str) -> bool:
    """Whether it is Python."""
    return tree_of(source) is not None
