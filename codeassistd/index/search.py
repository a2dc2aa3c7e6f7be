"""Full-text search over pieces of files at the size of a function: the rarer a word, the more it counts.

Stored pieces are ranked by SQLite's bm25; those of open documents, which are in no table, by the same formula.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from codeassistd.index.ranking import Asking, kin
from codeassistd.index.read_store import MatchRow
from codeassistd.index.types import FoundChunk
from codeassistd.index.view import View
from codeassistd.index.words import asked_for

__all__ = ["search"]

_Group = tuple[str, ...]

#: Words that are looked for: the rarest of those asked for, since each costs time in proportion to its places.
_MAX_GROUPS = 16
#: A word in a larger share of all pieces tells little; it is looked for only where there is no better one.
_COMMON_SHARE = 0.1
#: A word in fewer pieces than this is never called common.
_FEW = 50
#: Stored pieces to ask for, for each that is wanted: some are of files that have changed.
_SPARE = 2
#: The least that a word counts for, as in SQLite's bm25, however common it is.
_MIN_WEIGHT = 1e-6


def search(view: View, words: Sequence[str], asking: Asking, limit: int) -> list[FoundChunk]:
    """See `IndexLookup.search`."""
    weights = _telling(view, asked_for(words))
    if not weights or limit <= 0:
        return []
    languages = kin(asking.language) if asking.language else frozenset[str]()
    but = {*view.open_files, asking.path}
    rows = view.store.matching(view.root, weights, but, languages, limit * _SPARE)
    rows += _shown(view, weights, asking)
    rows.sort(key=lambda row: (-row.score, row.path, row.line))
    best: list[FoundChunk] = []
    for row in rows:
        if len(best) == limit:
            break
        text = view.text(row)
        if text:
            place = (view.root / row.path, row.path, row.language, row.name, row.line, row.end_line)
            best.append(FoundChunk(*place, text, row.score))
    return best


def _telling(view: View, groups: Sequence[_Group]) -> Mapping[_Group, float]:
    """The words to look for, with what each counts for: the rarest, without common ones as far as there are others."""
    if not groups:
        return {}
    n_chunks = view.store.n_chunks()
    n_holding = view.store.n_holding({word for group in groups for word in group})
    n_by_group = {group: min(n_holding.get(word, 0) for word in group) for group in groups}
    rarest = sorted(groups, key=lambda group: n_by_group[group])[:_MAX_GROUPS]
    # What nothing stored holds may stand in an open document, so it is kept, but is no reason to drop a common word.
    unknown = [group for group in rarest if not n_by_group[group]]
    known = [group for group in rarest if n_by_group[group]]
    rare = [group for group in known if n_by_group[group] <= max(_FEW, n_chunks * _COMMON_SHARE)]
    return {group: _weight(n_by_group[group], n_chunks) for group in (*unknown, *(rare or known[:1]))}


def _weight(n_holding: int, n_chunks: int) -> float:
    """The inverse document frequency of bm25."""
    return max(_MIN_WEIGHT, math.log((max(n_chunks, n_holding) - n_holding + 0.5) / (n_holding + 0.5)))


def _shown(view: View, weights: Mapping[_Group, float], asking: Asking) -> Iterator[MatchRow]:
    """Pieces of open documents; bm25 of a text of middling length that holds each word once is the sum of weights."""
    for path, file in view.open_files.items():
        language = file.facts.language
        if path == asking.path or not asking.understands(language):
            continue
        for chunk, held in file.chunks():
            score = sum(weight for group, weight in weights.items() if held.issuperset(group))
            if score:
                start, end = chunk.start, chunk.end
                yield MatchRow(score, chunk.name, start, end, chunk.line, chunk.end_line, path, language, -1, -1)
