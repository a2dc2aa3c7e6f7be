"""The names near a cursor that something may be asked of, and the classes they are objects of, the likeliest first."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from codeassistd.context.receivers.chain import Chain, beginning_at, chain_at
from codeassistd.context.receivers.resolver import Resolver
from codeassistd.context.receivers.tells import tells_in
from codeassistd.context.receivers.value import Scope
from codeassistd.context.types import ContextRequest
from codeassistd.context.wanted import scopes_at
from codeassistd.index.types import IndexLookup
from codeassistd.syntax.facts import CLASS_KINDS, FUNCTION_KINDS, FileFacts, Import, Symbol
from codeassistd.syntax.languages import Language
from codeassistd.text import Span, Text

__all__ = ["Receiver", "receivers_at"]

_MAX_CHAINS = 64
_MAX_RECEIVERS = 12
"""Classes, or sets of them, that are followed to from names: each costs some questions to the index."""
_MAX_BYTES = 16_384
"""Of the functions round the cursor, before it; what is further up tells little about this line."""
_MAX_UNFINISHED = 1000
"""Letters above the cursor in which an expression may have begun that goes on at it."""
_N_LINES_OUTSIDE = 20
"""Lines that are read where the cursor is in no function."""
_ITSELF = frozenset({"self", "this"})
_USED = re.compile(r"(?<![\w.#])(?=[^\W\d]\w*\s*(?:\??\.|!\.|->|::|\[|\()\s*)")
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


def receivers_at(
    lookup: IndexLookup, request: ContextRequest, root: Path, language: Language | None, unused: Collection[str] = ()
) -> list[Receiver]:
    """What the code at the cursor of `request` can ask something of.

    Args:
        lookup: answers for the workspace.
        request: the cursor.
        root: the workspace.
        language: of the open file.
        unused: names that it imports and does not use yet.
    """
    facts = request.facts
    if facts is None:
        return []
    resolver = Resolver.of(lookup, request, root, language)
    surroundings = _surroundings(request, facts, language)
    found: list[Receiver] = []
    unfinished = _unfinished(surroundings.text)
    chains = [*unfinished, *islice(_chains(surroundings, unused), _MAX_CHAINS)]
    resolver.expect([chain.name for chain in chains])
    for chain in _first_of_each(chains):
        value = resolver.plain(resolver.value(chain, surroundings.scope))
        # What goes on with a list is mostly given a function that asks its items.
        items = value.items if chain in unfinished else ()
        # Names that nobody here defines, as those of type parameters, would take the places of others.
        found += [
            Receiver(chain.words, types, resolver.asking(types[0]))
            for types in map(resolver.known, (value.types, items))
            if types and (not value.is_class or resolver.has_statics(types))
        ]
        if len({each.types for each in found}) >= _MAX_RECEIVERS:
            break
    return found


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """The text of the functions round the cursor, from the start of the outermost to the cursor."""

    text: str
    scope: Scope
    heads: str
    attributes: Sequence[str]
    imported: Sequence[tuple[int, str]]


def _surroundings(request: ContextRequest, facts: FileFacts, language: Language | None) -> _Surroundings:
    text, offset = request.document.text, request.offset
    scopes = scopes_at(facts, text, offset)
    functions = [symbol for symbol in scopes if symbol.kind in FUNCTION_KINDS]
    holder = next((symbol for symbol in scopes if symbol.kind in CLASS_KINDS), None)
    start = functions[-1].span.start if functions else text.line_start(max(0, text.line_of(offset) - _N_LINES_OUTSIDE))
    start = text.letter_start(max(start, offset - _MAX_BYTES))
    before = text.slice(Span(start, offset))
    owner = holder.name if holder is not None else _owner(functions, facts)
    heads = "".join(f"{symbol.signature}\n" for symbol in functions)
    imported = [
        (text.line_start(each.line) - start, each.alias or each.name)
        for each in facts.imports
        if each.name not in {"", "*"}
    ]
    scope = Scope(tells_in(before, language), owner, parameters=frozenset(_PARAMETER.findall(heads)))
    attributes = _attributes(text, holder, facts, language) if holder is not None else []
    return _Surroundings(before, scope, heads, attributes, imported)


def _first_of_each(chains: Sequence[Chain]) -> list[Chain]:
    """The chains without those that were written before."""
    first: dict[str, Chain] = {}
    for chain in chains:
        first.setdefault(chain.words, chain)
    return list(first.values())


def _owner(functions: Sequence[Symbol], facts: FileFacts) -> str:
    """The type that a method belongs to which stands outside of it, as in Go."""
    local = {symbol.qualified_name for symbol in facts.symbols if symbol.kind in FUNCTION_KINDS}
    parents = (symbol.parent for symbol in functions if symbol.parent and symbol.parent not in local)
    return next((parent.rpartition(".")[2] for parent in parents), "")


def _attributes(text: Text, holder: Symbol, facts: FileFacts, language: Language | None) -> list[str]:
    """The attributes that a class sets or declares."""
    inside = text.slice(Span(holder.span.start, min(holder.span.end, holder.span.start + _MAX_BYTES)))
    found = {tell.name: None for tell in tells_in(inside, language) if tell.name.startswith(".")}
    declared = (each for each in facts.symbols if each.kind == "field" and each.parent == holder.qualified_name)
    return list(found | {f".{each.name}": None for each in declared})


def _unfinished(text: str) -> list[Chain]:
    """The expression above the cursor that a line goes on with which is indented deeper; none or one."""
    above = text.rstrip()
    indent = len(text) - len(above) - 1 - text[len(above) :].rfind("\n")
    found: list[Chain] = []
    for match in _USED.finditer(above, max(0, len(above) - _MAX_UNFINISHED)):
        chain = chain_at(above, match.start())
        if chain is not None and chain.end == len(above) and _is_whole(chain, above):
            line = above[above.rfind("\n", 0, match.start()) + 1 : match.start()]
            # The last one: a call that is not closed yet has all in it.
            found = [replace(chain, end=len(text))] if len(line) - len(line.lstrip()) < indent else []
    return found


def _is_whole(chain: Chain, text: str) -> bool:
    """Whether a chain that ends with `text` has all its brackets closed, judged by its last letter."""
    return text.endswith((")", "]")) or (chain.steps[-1:] != () and chain.steps[-1].startswith("."))


def _chains(surroundings: _Surroundings, unused: Collection[str]) -> Iterator[Chain]:
    """Names in the order in which the next line may be about them."""
    text = surroundings.text
    told = {tell.name: tell.start for tell in surroundings.scope.tells if not tell.name.startswith(".")}
    used: dict[str, tuple[int, Chain]] = {}
    for match in _USED.finditer(text):
        chain = beginning_at(text, match.start())
        if chain is None:
            continue
        # What stands before the last dot is asked for something.
        n_steps = max((place for place, step in enumerate(chain.steps) if step[0] == "."), default=0)
        shorter = Chain(chain.name, chain.steps[:n_steps], match.start())
        used[shorter.words] = match.start(), shorter
        if chain.name in _ITSELF:
            used[chain.name] = match.start(), Chain(chain.name, (), match.start())
    places = [(start, Chain(name, (), start)) for name, start in told.items()]
    places += used.values()
    places += [(start, Chain(name, (), start)) for start, name in surroundings.imported if 0 <= start < len(text)]
    yield from (chain for _, chain in sorted(places, key=lambda item: -item[0]))
    for name in _PARAMETER.findall(surroundings.heads):
        yield Chain(name, (), 0)
    if surroundings.scope.owner:
        for name in surroundings.attributes:
            yield Chain("self", (name,), 0)
        yield Chain("self", (), 0)
    above = [name for start, name in reversed(surroundings.imported) if start < 0]
    yield from (Chain(name, (), 0) for name in sorted(above, key=lambda name: name not in unused))
