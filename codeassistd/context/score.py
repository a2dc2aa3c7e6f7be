"""Which definitions of other files are worth their tokens: plain values in, an order out.

The index answers by name, and a name alone proves little: a local variable `path` is not the function `path` of some
other file. So what the file imports counts most, then how near the name stands to the cursor, and names that the file
could not see without an import count only as members.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from codeassistd.index.types import Definition
from codeassistd.syntax.facts import FileFacts, Import

__all__ = ["keep", "rank"]

# Ranks are fused as 1 / (offset + rank), so that the first few names differ and the rest hardly does.
_RANK_OFFSET = 8
_IMPORTED_BONUS = 0.2
_MODULE_BONUS = 0.05
# A name with more definitions than this tells nothing about which one is meant.
_MAX_HOMONYMS = 3
_KIND_WEIGHTS: Mapping[str, float] = {"method": 0.7, "field": 0.4}
#: Kinds that another file sees only by importing them.
_NEEDS_IMPORT = frozenset({"constant", "variable"})
_PATH_BORDER = re.compile(r"[/.\\:]+")


def rank(found: Sequence[Definition], names: Sequence[str], facts: FileFacts | None) -> list[Definition]:
    """`found` by worth, the best first; what cannot be meant or is known already is left out.

    Args:
        found: the index's answer, for each name its best definition first.
        names: the names asked for, the nearest to the cursor first.
        facts: of the open file, for its imports and its own definitions.
    """
    imports = facts.imports if facts is not None else ()
    imported_names = {imported.name for imported in imports if imported.name}
    own_names = {symbol.name for symbol in facts.symbols} if facts is not None else set()
    own_heads = {symbol.signature for symbol in facts.symbols} if facts is not None else set()
    places = {name: place for place, name in enumerate(names)}
    homonyms: dict[str, int] = {}
    scored: list[tuple[float, int, Definition]] = []
    for order, definition in enumerate(found):
        homonyms[definition.name] = homonyms.get(definition.name, 0) + 1
        imported = definition.name in imported_names
        from_module = _is_imported(definition.relative, imports)
        if definition.signature in own_heads or (definition.name in own_names and not imported):
            continue
        if definition.kind in _NEEDS_IMPORT and not (imported or from_module):
            continue
        score = _KIND_WEIGHTS.get(definition.kind, 1.0) / (_RANK_OFFSET + places.get(definition.name, len(places)))
        score += _IMPORTED_BONUS * imported + _MODULE_BONUS * from_module
        # Of several with one name only the index's first choice is at full worth.
        scored.append((score / homonyms[definition.name], order, definition))
    scored.sort(key=lambda item: (-item[0], item[1]))
    return [
        definition
        for _, _, definition in scored
        if homonyms[definition.name] <= _MAX_HOMONYMS or definition.name in imported_names
    ]


def keep(chosen: Sequence[Definition], ranked: Sequence[Definition], limit: int) -> list[Definition]:
    """The choice for this prompt: what was chosen before stays in its place, what is new comes behind it.

    A definition that changed on disk is replaced where it stood; one that is gone, or no longer wanted, is dropped.
    Where all places are taken, only the upper half of the ranks pushes anything out, and only what has fallen out of
    the ranks. So the tokens of a prompt's head repeat for as long as they are true.
    """
    places = {_identity(definition): place for place, definition in enumerate(ranked)}
    kept = [ranked[places[_identity(definition)]] for definition in chosen if _identity(definition) in places]
    known = {_identity(definition) for definition in kept}
    new = [definition for definition in ranked if _identity(definition) not in known]
    n_pushing = sum(places[_identity(definition)] < limit // 2 for definition in new)
    n_surplus = max(0, len(kept) + n_pushing - limit)
    fallen = sorted(place for definition in kept if (place := places[_identity(definition)]) >= limit)
    pushed_out = set(fallen[len(fallen) - min(n_surplus, len(fallen)) :])
    kept = [definition for definition in kept if places[_identity(definition)] not in pushed_out][:limit]
    return kept + _by_file(new[: limit - len(kept)])


def _by_file(definitions: Sequence[Definition]) -> list[Definition]:
    """The same, those of one file together and in its order; files in the order of their best."""
    files = {path: place for place, path in enumerate(dict.fromkeys(item.relative for item in definitions))}
    return sorted(definitions, key=lambda item: (files[item.relative], item.line))


def _identity(definition: Definition) -> tuple[str, str]:
    return definition.relative, definition.qualified_name


def _is_imported(relative: str, imports: Collection[Import]) -> bool:
    """Whether an imported module may be the file `relative`, judged by the last words of both."""
    words = [word for word in _PATH_BORDER.split(relative.rpartition(".")[0]) if word]
    if words and words[-1] in {"__init__", "index", "mod"}:
        words.pop()
    if not words:
        return False
    for imported in imports:
        module = [word for word in _PATH_BORDER.split(imported.module) if word]
        if module and (module[-1] == words[-1] or imported.name == words[-1]):
            return True
    return False
