"""A repository as the eval reads it: all files that an index would take, with the parser's facts, held in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.errors import UsageError
from codeassistd.index.ignore import survey
from codeassistd.index.imports import OWN_PACKAGE, reaches
from codeassistd.syntax.extract import extract
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text

__all__ = ["Repository", "SourceFile", "read_repository"]

_MAX_BYTES = 300_000
"""Larger files are mostly generated; what is cut from them says nothing about people's code."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file; `path` is relative to the repository, with `/`."""

    path: str
    text: Text
    facts: FileFacts


@dataclass(frozen=True, slots=True)
class Repository:
    """The files by their paths, in order of the paths."""

    root: Path
    files: Mapping[str, SourceFile]
    _reached: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)

    def reached_from(self, path: str) -> frozenset[str]:
        """Paths of the files that the imports of the file `path` can mean, and of those of its package."""
        known = self._reached.get(path)
        if known is None:
            facts = self.files[path].facts
            known = self._reached[path] = frozenset(
                other
                for other in self.files
                if other != path
                and any(reaches(found, facts.language, path, other) for found in (*facts.imports, OWN_PACKAGE))
            )
        return known


def read_repository(root: Path, on_file: Callable[[int, int], None]) -> Repository:
    """Read and parse what is under `root`; `on_file` is told the number of files done and of all.

    Raises:
        UsageError: `root` is not a folder, or nothing in it can be read.
    """
    if not root.is_dir():
        raise UsageError(f"{root} is not a folder; give the root of a repository")
    languages = Languages.default()

    def language_of(path: str) -> str | None:
        language = languages.by_path(path)
        return language.name if language else None

    found = sorted(survey(root, language_of).files.values(), key=lambda file: file.path)
    files: dict[str, SourceFile] = {}
    for number, file in enumerate(found, 1):
        on_file(number, len(found))
        content = _content(root / file.path)
        if content is not None:
            files[file.path] = SourceFile(file.path, Text.of(content), extract(file.language, content))
    if not files:
        raise UsageError(f"{root} has no source files that can be read; give the root of a repository")
    return Repository(root, files)


def _content(path: Path) -> bytes | None:
    """The bytes of a file of a sensible size that is UTF-8; None of any other."""
    try:
        content = path.read_bytes()
        content.decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None
    return content.removeprefix(b"\xef\xbb\xbf") if len(content) <= _MAX_BYTES else None
