"""Long functions out of the interpreter's own library: real code that lies on every machine."""

from __future__ import annotations

import ast
import random
import sysconfig
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

from codeassistd.errors import UsageError
from codeassistd.evals.long.probe import Kind, Probe
from codeassistd.evals.python_source import tree_of

__all__ = ["LONGEST", "long_functions"]

LONGEST = 0.85
"""Of the context, that a text may take: the rest is for what is written."""
_BYTES_PER_TOKEN = (1.5, 8)
"""What a token of source can have, so that few functions have to be counted."""
_CUT_AT = 0.75
"""Of the function, where the model begins to write."""
_FOREIGN = frozenset({"test", "tests", "idlelib", "lib2to3", "site-packages", "turtledemo", "__pycache__"})


def long_functions(count: Callable[[str], int], n_context: int, n_probes: int, seed: int) -> list[Probe]:
    """Functions that take more than half of a context of `n_context` tokens; fewer where the library has no more.

    Args:
        count: tokens of a text.
        n_context: tokens of the context.
        n_probes: most of them.
        seed: chooses which.

    Raises:
        UsageError: this interpreter comes without the sources of its library.
    """
    folder = Path(sysconfig.get_path("stdlib"))
    paths = sorted(path for path in folder.glob("**/*.py") if not _FOREIGN & set(path.relative_to(folder).parts))
    if not paths:
        raise UsageError(f"there are no sources in {folder}; long functions are taken from the interpreter's own")
    random.Random(seed).shuffle(paths)  # noqa: S311 - a choice of texts, not a secret
    low, high = n_context / 2, n_context * LONGEST
    least, most = low * _BYTES_PER_TOKEN[0], high * _BYTES_PER_TOKEN[1]
    found: list[Probe] = []
    for path in paths:
        for name, lines, n_given in _functions(path, least, most):
            if len(found) < n_probes and low < count("\n".join(lines)) < high:
                title = f"{path.relative_to(folder).as_posix()}:{name}"
                found.append(Probe.of_lines(Kind.LONG, title, lines, n_given, is_settled=False))
                # One of each file, so that no module speaks for all.
                break
        if len(found) == n_probes:
            break
    return found


def _functions(path: Path, least: float, most: float) -> Iterator[tuple[str, list[str], int]]:
    """The functions of a file in that range of bytes: name, lines without the outer indentation, lines to give."""
    try:
        if path.stat().st_size < least:
            return
        source = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return
    tree = tree_of(source)
    lines = source.splitlines()
    for node in () if tree is None else ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            body = lines[node.lineno - 1 : node.end_lineno]
            if least < sum(map(len, body)) < most:
                yield node.name, textwrap.dedent("\n".join(body)).split("\n"), _cut(node)


def _cut(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many lines of a function are given: it is cut before the statement next to a set share of it."""
    n_lines = (function.end_lineno or function.lineno) - function.lineno + 1
    starts = [
        node.lineno - function.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.stmt) and node.lineno > function.lineno
    ]
    return min(starts, key=lambda start: abs(start - _CUT_AT * n_lines), default=n_lines - 1)
