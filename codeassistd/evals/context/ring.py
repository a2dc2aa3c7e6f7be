"""The baseline that knows no syntax: windows of 64 lines where the user has been lately, as editors' plugins keep them.

Who writes a line has looked at something before. Here that is, the newest first: a place in each file that the open
file imports, then places in the files of its folder. That is kinder than a real history, which is mostly elsewhere.
"""

from __future__ import annotations

import random

from codeassistd.evals.context.case import Case
from codeassistd.evals.context.repository import Repository, SourceFile
from codeassistd.text import Span

__all__ = ["Windows", "recent_windows"]

_N_WINDOWS = 16
_N_LINES = 64

Windows = tuple[tuple[str, str], ...]
"""Path and text of each, the newest first."""


def recent_windows(case: Case, repository: Repository, seed: int) -> Windows:
    """The windows of the ring when the cursor comes to `case`; the same for the same seed."""
    draws = random.Random(f"{seed} {case.file.path} {case.line}")  # noqa: S311 - a choice of places, not a secret
    imported = sorted(repository.reached_from(case.file.path))
    folder = case.file.path.rpartition("/")[0]
    beside = [path for path in repository.files if path.rpartition("/")[0] == folder and path != case.file.path]
    for paths in (imported, beside):
        draws.shuffle(paths)
    paths = list(dict.fromkeys([*imported, *beside]))[:_N_WINDOWS]
    return tuple((path, _window(repository.files[path], draws)) for path in paths)


def _window(file: SourceFile, draws: random.Random) -> str:
    text = file.text
    first = draws.randrange(max(1, text.line_count - _N_LINES))
    return text.slice(Span(text.line_start(first), text.line_start(first + _N_LINES)))
