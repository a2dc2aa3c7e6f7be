"""What a file gets from the files that it imports as a whole: what they define outside of everything, or hand on."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from codeassistd.index.ranking import Asking
from codeassistd.index.read_store import DefinitionRow
from codeassistd.index.view import View
from codeassistd.syntax.facts import Import

__all__ = ["exports"]

_WORDS = re.compile(r"[\w-]+")
_FRONTS = frozenset({"__init__", "index", "mod", "lib"})
"""Files that stand for their folder: what they import, others can have from them."""
_MAX_HOPS = 2
"""Files on the way from the one that hands a definition on to the one that has it."""


def exports(view: View, asking: Asking, limit: int) -> list[DefinitionRow]:
    """The first `limit` definitions of the files that are imported, in order of the imports and of their texts."""
    found: dict[tuple[str, str, int], DefinitionRow] = {}
    files = _Files(view, asking)
    for path in files.reached(asking):
        for row in files.offered(path, _MAX_HOPS):
            if view.is_current(row):
                found.setdefault((row.path, row.name, row.line), row)
            if len(found) == limit:
                return list(found.values())
    return list(found.values())


@dataclass(frozen=True)
class _Files:
    """The files that one question can reach; not slotted, since what is cached lies in its dict."""

    view: View
    asking: Asking

    @cached_property
    def _by_word(self) -> Mapping[str, Sequence[str]]:
        """Paths by the name of the file without its endings, and by that of its folder."""
        found = defaultdict[str, list[str]](list)
        for path, language in self.view.store.files(self.view.root):
            if self.asking.understands(language):
                for word in {_stem(path), path.rpartition("/")[0].rpartition("/")[2]}:
                    found[word].append(path)
        return found

    def reached(self, asking: Asking) -> Iterator[str]:
        """The files that are imported, each once; the nearest first where an import can mean several."""
        seen = {asking.path}
        for imported in asking.imports:
            # Most paths share no word with the import, and need no closer look.
            words = {*_WORDS.findall(imported.module)[-2:], *_WORDS.findall(imported.name)}
            if not words:
                words = {asking.path.rpartition("/")[0].rpartition("/")[2]}
            near = dict.fromkeys(path for word in words for path in self._by_word.get(word, ()))
            reached = [path for path in near if path not in seen and imported in asking.reaching(path)]
            reached.sort(key=lambda path: asking.rank("", "", path, 0))
            seen.update(reached)
            yield from reached

    def offered(self, path: str, n_hops: int) -> Iterator[DefinitionRow]:
        """What a file defines outside of everything, then what it has from others and hands on."""
        yield from self.view.top_level(path)
        handed_on = [each for each in self.view.imports(path) if _is_handed_on(each, path)] if n_hops else []
        if not handed_on:
            return
        there = Asking(path, self.asking.language, handed_on)
        for other in self.reached(there):
            names = {each.name for each in there.reaching(other)}
            for row in self.offered(other, n_hops - 1):
                if row.name in names or "*" in names:
                    yield row


def _is_handed_on(imported: Import, path: str) -> bool:
    """Whether others can have an imported name from the file: by its place, or since it is imported under its name."""
    return imported.name != "" and (_stem(path) in _FRONTS or imported.name in {imported.alias, "*"})


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]
