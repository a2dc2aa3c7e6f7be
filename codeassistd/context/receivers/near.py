"""The names near a cursor that something may be asked of, and the classes they are objects of, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.context.receivers.chain import Chain, chain_at
from codeassistd.context.receivers.resolver import Resolver
from codeassistd.context.receivers.tells import Tell, tells_in
from codeassistd.context.receivers.value import NOBODY, Scope
from codeassistd.context.types import ContextRequest
from codeassistd.context.wanted import scopes_at
from codeassistd.index.types import IndexLookup
from codeassistd.syntax.facts import CLASS_KINDS, FUNCTION_KINDS, FileFacts, Import, Symbol
from codeassistd.syntax.languages import Language
from codeassistd.text import Span

__all__ = ["Receiver", "receivers_at"]

_MAX_CHAINS = 64
_MAX_RECEIVERS = 12
"""Names that are followed to their classes: each costs some questions to the index."""
_MAX_BYTES = 16_384
"""Of the functions round the cursor, before it; what is further up tells little about this line."""
_N_LINES_OUTSIDE = 20
"""Lines that are read where the cursor is in no function."""
_USED = re.compile(r"(?<![\w.])(?=[^\W\d]\w*\s*(?:\??\.|!\.|->|::|\[|\()\s*)")
_PARAMETER = re.compile(r"[(,]\s*[*&]*([^\W\d]\w*)\s*(?=[,)=])")


@dataclass(frozen=True, slots=True)
class Receiver:
    """A name or chain that members can follow, and the classes that have them.

    Attributes:
        asking: who asks the index for those classes, by a path and its imports.
    """

    words: str
    types: tuple[str, ...]
    asking: tuple[Path | None, Sequence[Import]] = (None, ())


def receivers_at(lookup: IndexLookup, request: ContextRequest, root: Path, language: Language | None) -> list[Receiver]:
    """What the code at the cursor of `request` can ask something of."""
    facts = request.facts
    if facts is None:
        return []
    resolver = Resolver.of(lookup, request, root, language)
    surroundings = _surroundings(request, facts, language)
    found: dict[str, Receiver] = {}
    chains = list(_chains(surroundings))[:_MAX_CHAINS]
    resolver.expect([chain.name for chain in chains])
    for chain in chains:
        if chain.words in found:
            continue
        value = resolver.plain(resolver.value(chain, surroundings.scope))
        if value != NOBODY and value.types:
            found[chain.words] = Receiver(chain.words, value.types, resolver.asking(value.types[0]))
        if len(found) == _MAX_RECEIVERS:
            break
    return list(found.values())


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The text of the functions round the cursor, from the start of the outermost to the cursor."""

    text: str
    scope: Scope
    head: str
    attributes: Sequence[Tell]
    imported: Sequence[tuple[int, str]]


def _surroundings(request: ContextRequest, facts: FileFacts, language: Language | None) -> _Surroundings:
    text, offset = request.document.text, request.offset
    scopes = scopes_at(facts, text, offset)
    functions = [symbol for symbol in scopes if symbol.kind in FUNCTION_KINDS]
    holder = next((symbol for symbol in scopes if symbol.kind in CLASS_KINDS), None)
    start = functions[-1].span.start if functions else text.line_start(max(0, text.line_of(offset) - _N_LINES_OUTSIDE))
    start = text.letter_start(max(start, offset - _MAX_BYTES))
    before = text.slice(Span(start, offset))
    owner = holder.name if holder is not None else _owner(functions)
    inside = ""
    if holder is not None:
        span = holder.span
        inside = text.slice(Span(span.start, min(span.end, span.start + _MAX_BYTES)))
    head = functions[0].signature if functions else ""
    imported = [
        (text.line_start(each.line) - start, each.alias or each.name)
        for each in facts.imports
        if each.name not in {"", "*"}
    ]
    scope = Scope(tells_in(before, language), owner, parameters=frozenset(_PARAMETER.findall(head)))
    return _Surroundings(before, scope, head, tells_in(inside, language), imported)


def _owner(functions: Sequence[Symbol]) -> str:
    """The type that a method belongs to which stands outside of it, as in Go."""
    return next((symbol.parent.rpartition(".")[2] for symbol in functions if symbol.parent), "")


def _chains(surroundings: _Surroundings) -> Iterator[Chain]:
    """Names in the order in which the next line may be about them."""
    text = surroundings.text
    told = {tell.name: tell.start for tell in surroundings.scope.tells if not tell.name.startswith(".")}
    used: dict[str, tuple[int, Chain]] = {}
    for match in _USED.finditer(text):
        chain = chain_at(text, match.start())
        if chain is None:
            continue
        # What stands before the last dot is asked for something.
        n_steps = max((place for place, step in enumerate(chain.steps) if step[0] == "."), default=0)
        shorter = Chain(chain.name, chain.steps[:n_steps], match.start())
        used[shorter.words] = match.start(), shorter
    places = [(start, Chain(name, (), start)) for name, start in told.items()]
    places += used.values()
    places += [(start, Chain(name, (), start)) for start, name in surroundings.imported if 0 <= start < len(text)]
    yield from (chain for _, chain in sorted(places, key=lambda item: -item[0]))
    for name in _PARAMETER.findall(surroundings.head):
        yield Chain(name, (), 0)
    if surroundings.scope.owner:
        for tell in surroundings.attributes:
            if tell.name.startswith("."):
                yield Chain("self", (tell.name,), 0)
        yield Chain("super", (), 0)
    yield from (Chain(name, (), 0) for start, name in reversed(surroundings.imported) if start < 0)
