"""Which of several definitions of one name is meant, judged by who asks: what it imports, then how near it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from codeassistd.index.imports import reaches
from codeassistd.syntax.facts import Import

__all__ = ["Asking", "kin"]

#: Languages whose files use each other's names; a name means nothing across other borders.
_FAMILIES = (frozenset({"c", "cpp"}), frozenset({"javascript", "typescript", "tsx"}), frozenset({"java", "kotlin"}))
#: What a use of a name most often means, best first; kinds that are not named come last.
_KINDS = (
    "class",
    "interface",
    "type",
    "enum",
    "function",
    "method",
    "macro",
    "module",
    "constant",
    "field",
    "variable",
)
_KIND_RANKS = {kind: rank for rank, kind in enumerate(_KINDS)}


_WORDS = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Asking:
    """Who asks: the file's path in the workspace, its language, and what it imports; empty where nobody is known.

    Made for one question, and remembers for it which files the imports reach, and how far files are.
    """

    path: str = ""
    language: str = ""
    imports: Sequence[Import] = ()
    _reaching: dict[str, tuple[Import, ...]] = field(default_factory=dict, compare=False, repr=False)
    _steps: dict[str, int] = field(default_factory=dict, compare=False, repr=False)
    _handing: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    def understands(self, language: str) -> bool:
        """Whether names of a file in `language` can be meant."""
        return language == self.language or not self.language or language in kin(self.language)

    def rank(self, name: str, kind: str, path: str, line: int) -> tuple[int, int, int, str, int]:
        """The place of a definition among others of its name; smaller is better.

        What stands in the same file, or is named by an import, beats what is in a file that an import reaches or in the
        folder of a package that one does, and that beats the rest. Then the closeness of the paths counts, then the
        kind. The path and line at the end make the order the same each time.
        """
        reaching = self.reaching(path)
        # Most files are reached by no import, and most questions are about hundreds of definitions.
        named = reaching and any(name in {found.name, found.alias} for found in reaching)
        import_rank = 0 if named or path == self.path else 1 if reaching or self._is_packaged(name, path) else 2
        steps = self._steps.get(path)
        if steps is None:
            steps = self._steps[path] = _steps_between(self.path, path)
        return import_rank, steps, _KIND_RANKS.get(kind, len(_KIND_RANKS)), path, line

    def _is_packaged(self, name: str, path: str) -> bool:
        """Whether a file lies in the folder of a package that the name may come from: packages hand much on."""
        return any(package in f"/{path}" for package in self._packages(name))

    def _packages(self, name: str) -> tuple[str, ...]:
        known = self._handing.get(name)
        if known is None:
            known = self._handing[name] = tuple(
                f"/{'/'.join(words)}/"
                for found in self.imports
                if found.name in {name, "", "*"} and (words := _WORDS.findall(found.module))
            )
        return known

    def reaching(self, path: str) -> tuple[Import, ...]:
        """The imports that can mean the file `path`."""
        known = self._reaching.get(path)
        if known is None:
            known = tuple(found for found in self.imports if reaches(found, self.language, self.path, path))
            self._reaching[path] = known
        return known


def kin(language: str) -> frozenset[str]:
    """The languages that share their names with `language`, itself among them."""
    return next((family for family in _FAMILIES if language in family), frozenset({language}))


def _steps_between(left: str, right: str) -> int:
    """Folders to go up and down on the way from one file to the other."""
    one, other = left.split("/")[:-1], right.split("/")[:-1]
    n_common = next((n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]), None)
    if n_common is None:
        n_common = min(len(one), len(other))
    return len(one) + len(other) - 2 * n_common
