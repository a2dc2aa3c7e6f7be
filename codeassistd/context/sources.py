"""Where definitions come from: asks the index for what a cursor's surroundings want, and keeps the choice steady.

The choice is made anew when the cursor comes into another definition of the document or some lines away; in between it
stays as it is, but for what changes on disk or vanishes from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from codeassistd.context.by_document import ByDocument, DocumentKey
from codeassistd.context.choice import Allowance, keep, refresh
from codeassistd.context.holders import holder_of
from codeassistd.context.receivers.near import Receiver, receivers_at
from codeassistd.context.score import Candidates, Identity, identity, names_in, scored
from codeassistd.context.types import ContextRequest
from codeassistd.context.wanted import returned_types, scope_at, wanted_at
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.types import Definition, IndexLookup
from codeassistd.syntax.languages import Language

__all__ = ["DefinitionSource"]

FRESH_LINES = 4
"""Lines that the cursor may move within one scope before the choice is looked at again. Each new choice makes the model
read on from the first change; this way typing pays for one at most every few lines."""
PUSHING_SHARE = 0.5
"""Share of the best that may push others out while the cursor stays in one scope."""
_MAX_EXPORTS = 400
#: Classes whose members are asked for, those of receivers first.
_MAX_TYPES = 24
_N_SEARCHED = 12
_MAX_ALIKE = 16


@dataclass(frozen=True, slots=True)
class _Choice:
    """What was chosen for one document, where the cursor stood, and what it rests on.

    Attributes:
        stamps: size and time of each file that lends something; None where a file is not there.
        edits: in other documents, whose unsaved texts count too.
        scores: the worth of each when it was chosen last.
    """

    root: Path
    scope: str
    line: int
    n_tokens: int
    definitions: tuple[Definition, ...]
    stamps: tuple[tuple[int, int] | None, ...]
    edits: tuple[Edit, ...]
    scores: Mapping[Identity, float]

    def holds(self) -> bool:
        """Whether all its files are as they were: then the index need not be asked again."""
        return None not in self.stamps and self.stamps == _stamps(self.definitions)


class DefinitionSource:
    """Definitions from other files for the code near the cursor; remembers its choice for each client's document."""

    def __init__(self, lookup: IndexLookup) -> None:
        self._lookup = lookup
        self._choices = ByDocument[_Choice]()

    def definitions(
        self, request: ContextRequest, language: Language | None, allowance: Allowance
    ) -> tuple[Definition, ...]:
        """As many as `allowance` has room for, in the order in which they should stand.

        What was chosen is asked for again when one of its files, or an open document, has changed.
        """
        if request.root is None or allowance.n_definitions == 0:
            return ()
        key = (request.client, request.document.uri)
        text = request.document.text
        line, scope = text.line_of(request.offset), scope_at(request.facts, text, request.offset)
        known = self._choices.get(key)
        if known is not None and known.root != request.root:
            known = None
        if known is not None and known.scope == scope and abs(known.line - line) < FRESH_LINES:
            if (known.n_tokens, known.edits) == (allowance.n_tokens, _edits_of_others(request)) and known.holds():
                return known.definitions
            definitions = tuple(self._again(request, request.root, known.definitions))
            definitions = tuple(keep(definitions, definitions, allowance, 0))
            self._note(key, request, scope, known.line, allowance, definitions, known.scores)
            return definitions
        found = self._scored(request, request.root, language)
        ranked = [each for each, _ in found]
        scores = {identity(each): score for each, score in found}
        chosen = known.definitions if known is not None else ()
        pushing = 1.0
        if known is not None and known.scope == scope:
            # What an earlier line of the same scope asked for may be of use again: it only leaves if it must.
            pushing = PUSHING_SHARE
            ranked += [each for each in self._again(request, request.root, chosen) if identity(each) not in scores]
            scores = {**known.scores, **scores}
        definitions = tuple(keep(chosen, ranked, allowance, pushing))
        self._note(key, request, scope, line, allowance, definitions, scores)
        return definitions

    def scores(self, request: ContextRequest) -> Mapping[Identity, float]:
        """The worth of each definition that was chosen last for the document of `request`."""
        known = self._choices.get((request.client, request.document.uri))
        return known.scores if known is not None else {}

    def _scored(self, request: ContextRequest, root: Path, language: Language | None) -> list[tuple[Definition, float]]:
        document = request.document
        lookup = self._lookup.seen_by(request.client)
        imports = request.facts.imports if request.facts is not None else ()
        wanted = wanted_at(document.text, request.offset, request.facts, language)
        chunks = lookup.search(root, wanted.near[:_N_SEARCHED], document.path, _MAX_ALIKE) if wanted.near else []
        own = request.facts.symbols if request.facts is not None else ()
        alike = names_in(chunks, {*wanted.names, *(symbol.name for symbol in own)})
        named = lookup.definitions(root, [*wanted.names, *alike], document.path, imports)
        near = set(wanted.near)
        receivers = receivers_at(lookup, request, root, language, wanted.unused)
        named_near = [each for each in named if each.name in near]
        members = _members(lookup, root, receivers, [*wanted.types, *returned_types(named_near)], request)
        exports = lookup.exports(root, wanted.modules, document.path, _MAX_EXPORTS) if wanted.modules else []
        names = dict.fromkeys(each.name for each in [*members, *exports])
        candidates = Candidates(named, members, exports, lookup.frequencies(root, list(names)), chunks, receivers)
        asking = (
            document.path.relative_to(root).as_posix() if document.path and document.path.is_relative_to(root) else ""
        )
        return scored(candidates, wanted, request.facts, asking)

    def _again(self, request: ContextRequest, root: Path, chosen: Sequence[Definition]) -> list[Definition]:
        """What was chosen, as it is now."""
        if not chosen:
            return []
        lookup = self._lookup.seen_by(request.client)
        path = request.document.path
        imports = request.facts.imports if request.facts is not None else ()
        names = dict.fromkeys(each.name for each in chosen)
        holders = dict.fromkeys(holder.rpartition(".")[2] for each in chosen if (holder := holder_of(each)))
        found = lookup.definitions(root, list(names), path, imports)
        if holders:
            found += lookup.members(root, list(holders), path, imports)
        return refresh(chosen, found)

    def _note(  # noqa: PLR0917 - one choice, spelled out once
        self,
        key: DocumentKey,
        request: ContextRequest,
        scope: str,
        line: int,
        allowance: Allowance,
        definitions: tuple[Definition, ...],
        scores: Mapping[Identity, float],
    ) -> None:
        if request.root is None:
            return
        chosen = {key: scores[key] for key in map(identity, definitions) if key in scores}
        choice = _Choice(
            request.root,
            scope,
            line,
            allowance.n_tokens,
            definitions,
            _stamps(definitions),
            _edits_of_others(request),
            chosen,
        )
        self._choices.put(key, choice)


def _members(
    lookup: IndexLookup, root: Path, receivers: Sequence[Receiver], guessed: Sequence[str], request: ContextRequest
) -> list[Definition]:
    """Of the classes of receivers, then of those that may be meant; each as it is meant by the file that names it."""
    imports = request.facts.imports if request.facts is not None else ()
    own = (request.document.path, imports)
    told = {name: each.asking for each in reversed(receivers) for name in each.types}
    found: list[Definition] = []
    asked = {name: told[name] for each in receivers for name in each.types} | {
        name: own for name in guessed if name not in told
    }
    # Classes in a row that one file names are one question.
    for (path, its_imports), names in groupby(list(asked)[:_MAX_TYPES], key=lambda name: asked[name]):
        found += lookup.members(root, list(names), path, its_imports)
    return found


def _edits_of_others(request: ContextRequest) -> tuple[Edit, ...]:
    return tuple(edit for edit in request.edits if edit.uri != request.document.uri)


def _stamps(definitions: Sequence[Definition]) -> tuple[tuple[int, int] | None, ...]:
    return tuple(map(_stamp, dict.fromkeys(each.path for each in definitions)))


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        info = path.lstat()
    except OSError:
        return None
    return info.st_size, info.st_mtime_ns
