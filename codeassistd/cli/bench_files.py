"""The files that benchmarks type in: those that are named, or some of this program's own."""

from __future__ import annotations

from pathlib import Path

import codeassistd
from codeassistd.bench.keystrokes import TypingScript, make_script, spread
from codeassistd.cli.editor import language_of
from codeassistd.cli.text_file import read_text_file

__all__ = ["own_files", "script_of"]

#: Of the files that are typed if none are named, and of the places in all files.
_SEED = 1


def script_of(path: Path, n_keys: int) -> TypingScript:
    """So many keys at a place in a file.

    Raises:
        UsageError: there is no such file, it is no text, or too short.
    """
    return make_script(path.absolute(), language_of(path), read_text_file(path), n_keys, _SEED)


def own_files(n_files: int, min_bytes: int) -> list[Path]:
    """So many modules of this program that are at least so long."""
    folder = Path(codeassistd.__file__).parent
    long = [path for path in folder.rglob("*.py") if path.stat().st_size >= min_bytes]
    return spread(long, n_files, _SEED)
