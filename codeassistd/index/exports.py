"""What a file gets from the files that it imports as a whole: their definitions outside of everything."""

from __future__ import annotations

import re
from collections.abc import Iterator

from codeassistd.index.imports import reaches
from codeassistd.index.ranking import Asking
from codeassistd.index.read_store import DefinitionRow
from codeassistd.index.view import View

__all__ = ["exports"]

_WORDS = re.compile(r"[\w-]+")


def exports(view: View, asking: Asking, limit: int) -> list[DefinitionRow]:
    """The first `limit` definitions of the files that are imported, in order of the imports and of their texts."""
    found: list[DefinitionRow] = []
    for path in _reached(view, asking):
        rows = [row for row in view.top_level(path) if view.is_current(row)]
        found += rows[: limit - len(found)]
        if len(found) == limit:
            break
    return found


def _reached(view: View, asking: Asking) -> Iterator[str]:
    """The files that are imported, each once; the nearest first where an import can mean several."""
    paths = [path for path, language in view.store.files(view.root) if asking.understands(language)]
    seen = {asking.path}
    for imported in asking.imports:
        # Most paths share no word with the import, and can be passed over without a closer look.
        words = {*_WORDS.findall(imported.module)[-2:], *_WORDS.findall(imported.name)}
        near = (path for path in paths if path not in seen and not words.isdisjoint(_names(path)))
        reached = [path for path in near if reaches(imported, asking.language, asking.path, path)]
        reached.sort(key=lambda path: asking.rank("", "", path, 0))
        seen.update(reached)
        yield from reached


def _names(path: str) -> tuple[str, str]:
    """The name of a file without its endings, and that of its folder."""
    folder, _, name = path.rpartition("/")
    return name.partition(".")[0], folder.rpartition("/")[2]
