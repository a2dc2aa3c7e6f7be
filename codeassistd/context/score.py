"""Which definitions of other files are worth their tokens: plain values in, an order out.

The index answers by name, and a name alone proves little: a local variable `path` is not the function `path` of some
other file. So several ways of looking each give a rank, and the ranks are fused: 1 / (offset + rank), weighted, added
up. That needs no common scale, and what two ways agree on comes before what one alone puts first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from codeassistd.context.receivers.near import Receiver
from codeassistd.context.wanted import Wanted
from codeassistd.index.types import Definition, FoundChunk
from codeassistd.syntax.facts import FUNCTION_KINDS, FileFacts, Import

__all__ = ["Candidates", "Identity", "identity", "rank", "scored"]

RANK_OFFSET = 8
"""So that the first few ranks differ and the rest hardly does."""
UNUSED_WEIGHT = 9.0
"""This weight and those below are about what a conditional logit says of 355 cases in 11 repositories, each judged by
the weights of the other 10 (docs/evals.md). A first rank adds as many nats to the chance that the next line needs it.

What the way of cutting cases asks for is left out: there, a name that stands near is never needed, and one that the
file uses already neither, so the logit would put the first at 0 and the second at 2.3.

Test and tested file (`IndexLookup.counterparts`) have no weight: in 58 of the cases the counterpart had candidates, and
putting them up by 0.5, 1 and 2 took recall at 1,000 tokens from 0.834 to 0.828, 0.828 and 0.822. Files edited lately
have none either: by what releases of six packages changed together a weight of 1 moves the mean log-likelihood of 17
cases from -1.40 to -1.37, and published sources do not tell what was edited an hour before a line (docs/evals.md)."""
NEAR_WEIGHT = 1.0
IMPORTED_WEIGHT = 0.5
RECEIVER_WEIGHT = 1.0
GUESS_WEIGHT = 0.5
EXPORT_WEIGHT = 0.5
POPULAR_WEIGHT = 1.5
ALIKE_WEIGHT = 2.0
BEHIND_WEIGHT = 1.5
WORDS_WEIGHT = 3.0
UNSEEN_WEIGHT = 2.0
CLOSE_WEIGHT = 1.5
PRIVATE_WEIGHT = -1.0
"""For names with a leading underscore of what is not the cursor's own class."""
PLAIN_WEIGHT = -2.5
"""For constants, variables and fields: their heads say little more than their names."""

# A name with more definitions than this tells nothing about which one is meant.
_MAX_HOMONYMS = 3
_HOMONYM_STEP = 8
_MIN_LETTERS = 3
#: Names whose words are kept: the same members are ranked in one place after another.
_MAX_KNOWN = 8192
_MAX_ALIKE_NAMES = 60
_KIND_STEPS: Mapping[str, int] = {"method": 4, "field": 12}
"""Ranks that a bare name leads less surely to a member: such names are shared by many."""
#: Kinds that another file sees only by importing them.
_NEEDS_IMPORT = frozenset({"constant", "variable"})
_PLAIN = frozenset({"constant", "variable", "field"})
_CALLABLE = re.compile(r"=>|\bCallable\b|\bfunc\s*\(|\b[Ff]n(?:Mut|Once)?\s*\(|\bFunc(?:tion)?<")
_TEST_NAME = re.compile(r"test_|(?:Test|Benchmark|Example|Fuzz)(?:[A-Z_]|$)")
_ITSELF = frozenset({"self", "this", "super"})
_WORD = re.compile(r"[^\W\d]\w*")
_ASKED = re.compile(r"(\w+)(?:\(\))?(?:\.|->|::)(\w+)")
_LAST_WORD = re.compile(r"\w+(?=\W*$)")
_NAME_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PATH_BORDER = re.compile(r"[/.\\:]+")

Identity = tuple[str, str]
"""A definition's file and qualified name."""


@dataclass(frozen=True, slots=True)
class Candidates:
    """What the index knows about what is wanted.

    Attributes:
        named: definitions of wanted names, for each name its best first.
        members: of the wanted classes, class by class.
        exports: what imported modules define.
        frequencies: in how many files of the workspace a name stands.
        chunks: pieces of other files that look like the code at the cursor, the most alike first.
        receivers: what the code at the cursor can ask something of, the likeliest first.
    """

    named: Sequence[Definition] = ()
    members: Sequence[Definition] = ()
    exports: Sequence[Definition] = ()
    frequencies: Mapping[str, int] = field(default_factory=dict)
    chunks: Sequence[FoundChunk] = ()
    receivers: Sequence[Receiver] = ()


def names_in(chunks: Sequence[FoundChunk], known: Collection[str]) -> list[str]:
    """Names that pieces of alike code use and the open file does not know yet, the most used first."""
    votes = {name: score for name, score in _votes(chunks).items() if name not in known and len(name) >= _MIN_LETTERS}
    return sorted(votes, key=lambda name: -votes[name])[:_MAX_ALIKE_NAMES]


def identity(definition: Definition) -> Identity:
    """What makes two answers of the index the same definition."""
    return definition.relative, definition.qualified_name


def rank(candidates: Candidates, wanted: Wanted, facts: FileFacts | None, asking: str) -> list[Definition]:
    """The candidates by worth, as `scored` gives them."""
    return [each for each, _ in scored(candidates, wanted, facts, asking)]


def scored(
    candidates: Candidates, wanted: Wanted, facts: FileFacts | None, asking: str
) -> list[tuple[Definition, float]]:
    """The candidates with their worth, the best first, each once; what cannot be meant or is known already is left out.

    Args:
        candidates: what was found.
        wanted: what was looked for.
        facts: of the open file, for its imports and its own definitions.
        asking: path of the open file in the workspace.
    """
    named = list(_meant(candidates.named, wanted, facts))
    heads = {symbol.signature for symbol in facts.symbols} if facts is not None else set()
    members = [each for each in candidates.members if each.signature not in heads and not _is_special(each.name)]
    exports = [each for each in candidates.exports if not each.name.startswith("_") and not _is_test(each)]
    found = {identity(each): each for each in [*named, *members, *exports]}
    imports = facts.imports if facts is not None else ()
    scores = dict.fromkeys(found, 0.0)
    for weight, ranked in (
        (UNUSED_WEIGHT, _by_names(named, wanted.unused)),
        (NEAR_WEIGHT, _by_names(named, wanted.near)),
        (IMPORTED_WEIGHT, _by_names(named, wanted.imported)),
        (RECEIVER_WEIGHT, _by_receiver(members, candidates.receivers)),
        (GUESS_WEIGHT, _by_holder(_guessed(members, candidates.receivers))),
        (EXPORT_WEIGHT, _by_holder(exports)),
        (POPULAR_WEIGHT, _by_frequency([*members, *exports], candidates.frequencies)),
        (ALIKE_WEIGHT, _by_use_in(list(found.values()), candidates.chunks)),
        (BEHIND_WEIGHT, _behind(members, exports, candidates, wanted)),
        (WORDS_WEIGHT, _by_words(list(found.values()), wanted.near)),
        (UNSEEN_WEIGHT, _unseen([*members, *exports], facts)),
        (CLOSE_WEIGHT, _by_closeness(found.values(), asking, imports)),
        (PRIVATE_WEIGHT, _private(found.values(), candidates.receivers)),
        (PLAIN_WEIGHT, ((key, 0) for key, each in found.items() if _is_plain(each))),
    ):
        for key, place in ranked:
            scores[key] += weight * RANK_OFFSET / (RANK_OFFSET + place)
    order = {key: place for place, key in enumerate(found)}
    return [(found[key], scores[key]) for key in sorted(found, key=lambda key: (-scores[key], order[key]))]


_Ranks = Iterable[tuple[Identity, float]]


def _meant(named: Sequence[Definition], wanted: Wanted, facts: FileFacts | None) -> Iterable[Definition]:
    """The definitions that the open file can mean by their names."""
    imports = facts.imports if facts is not None else ()
    imported = {*wanted.unused, *wanted.imported}
    own_names = {symbol.name for symbol in facts.symbols} if facts is not None else set()
    own_heads = {symbol.signature for symbol in facts.symbols} if facts is not None else set()
    homonyms = Counter(each.name for each in named)
    for each in named:
        if each.signature in own_heads or (each.name in own_names and each.name not in imported):
            continue
        if each.kind in _NEEDS_IMPORT and each.name not in imported and not _is_imported(each.relative, imports):
            continue
        if homonyms[each.name] <= _MAX_HOMONYMS or each.name in imported:
            yield each


def _by_names(named: Sequence[Definition], names: Sequence[str]) -> _Ranks:
    """By the place of the name; of several with one name only the index's first is at full worth."""
    places = {name: place for place, name in enumerate(names)}
    seen = Counter[str]()
    for each in named:
        place = places.get(each.name)
        if place is not None:
            behind = seen[each.name] * _HOMONYM_STEP + _KIND_STEPS.get(each.kind, 0)
            seen[each.name] += 1
            yield identity(each), place + behind


def _by_holder(definitions: Sequence[Definition]) -> _Ranks:
    """By the place of the class or file that has them; all of one have the same rank."""
    holders: dict[Identity, int] = {}
    for each in definitions:
        holder = (each.relative, each.qualified_name.rpartition(".")[0])
        yield identity(each), holders.setdefault(holder, len(holders))


def _by_receiver(members: Sequence[Definition], receivers: Sequence[Receiver]) -> _Ranks:
    """By the place of the receiver whose class has them, those receivers aside whose classes have nothing."""
    with_members = {_holder(each) for each in members}
    told = dict.fromkeys(name for each in receivers for name in each.types if name in with_members)
    places = {name: place for place, name in enumerate(told)}
    return ((identity(each), places[_holder(each)]) for each in members if _holder(each) in places)


def _guessed(members: Sequence[Definition], receivers: Sequence[Receiver]) -> list[Definition]:
    """Those of classes that nothing but a name like theirs leads to."""
    told = {name for each in receivers for name in each.types}
    return [each for each in members if _holder(each) not in told]


def _behind(
    members: Sequence[Definition], exports: Sequence[Definition], candidates: Candidates, wanted: Wanted
) -> _Ranks:
    """What alike code asks of a receiver or module of the same name, all at one rank."""
    words = {name: each.words for each in reversed(candidates.receivers) for name in each.types}
    asked = {pair for chunk in candidates.chunks for pair in _ASKED.findall(chunk.text)}
    for each in members:
        word = _LAST_WORD.search(words.get(_holder(each), ""))
        if word is not None and (word.group(), each.name) in asked:
            yield identity(each), 0
    modules = {word.group() for each in wanted.modules if (word := _LAST_WORD.search(each.alias or each.module))}
    asked_of_modules = {name for word, name in asked if word in modules}
    yield from ((identity(each), 0) for each in exports if each.name in asked_of_modules)


def _private(definitions: Iterable[Definition], receivers: Sequence[Receiver]) -> _Ranks:
    """What others are asked to keep their hands off; a class may use its own."""
    own = {name for each in receivers if each.words in _ITSELF for name in each.types}
    return ((identity(each), 0) for each in definitions if each.name.startswith("_") and _holder(each) not in own)


def _holder(definition: Definition) -> str:
    """The name of the class that a definition stands in."""
    return definition.qualified_name.rpartition(".")[0].rpartition(".")[2]


def _by_frequency(definitions: Sequence[Definition], frequencies: Mapping[str, int]) -> _Ranks:
    """What the workspace uses most first: what others call of a class is likely to be called again."""
    ordered = sorted(
        {identity(each): each for each in definitions}.values(), key=lambda each: -frequencies.get(each.name, 0)
    )
    return ((identity(each), place) for place, each in enumerate(ordered))


def _by_use_in(definitions: Sequence[Definition], chunks: Sequence[FoundChunk]) -> _Ranks:
    """What code that is alike uses first: who writes the same thing again calls the same things."""
    votes = _votes(chunks)
    return _ranked({identity(each): votes.get(each.name, 0.0) for each in definitions})


def _votes(chunks: Sequence[FoundChunk]) -> dict[str, float]:
    """How much the pieces use each name."""
    votes: dict[str, float] = {}
    for place, chunk in enumerate(chunks):
        for name in dict.fromkeys(_WORD.findall(chunk.text)):
            votes[name] = votes.get(name, 0.0) + 1 / (RANK_OFFSET + place)
    return votes


def _by_words(definitions: Sequence[Definition], near: Sequence[str]) -> _Ranks:
    """By the words that a name shares with those near the cursor, the rare ones counting more."""
    here = {word for name in near for word in words_of(name)}
    words = {identity(each): words_of(each.name) for each in definitions}
    n_with = Counter(word for each in words.values() for word in each)
    return _ranked({key: sum(1 / n_with[word] for word in each & here) for key, each in words.items()})


def _unseen(definitions: Sequence[Definition], facts: FileFacts | None) -> _Ranks:
    """What the open file does not use yet, all at one rank: of the rest it shows itself how it is used."""
    used = {reference.name for reference in facts.references} if facts is not None else set()
    return ((identity(each), 0) for each in definitions if each.name not in used)


def _ranked(scores: Mapping[Identity, float]) -> _Ranks:
    """Keys with a score, the highest first; equal scores have equal ranks."""
    places = {score: place for place, score in enumerate(sorted({*scores.values()}, reverse=True))}
    return ((key, places[score]) for key, score in scores.items() if score > 0)


@lru_cache(maxsize=_MAX_KNOWN)
def words_of(name: str) -> frozenset[str]:
    """The words that a name is put together from, in lower case."""
    return frozenset(word.lower() for word in _NAME_PART.findall(name))


def _by_closeness(definitions: Iterable[Definition], asking: str, imports: Collection[Import]) -> _Ranks:
    """By folders between the two files; an imported file is next door."""
    steps: dict[str, int] = {}
    for each in definitions:
        path = each.relative
        if path not in steps:
            steps[path] = 0 if _is_imported(path, imports) else 1 + _steps_between(asking, path)
        yield identity(each), steps[path]


def _steps_between(left: str, right: str) -> int:
    one, other = left.split("/")[:-1], right.split("/")[:-1]
    n_alike = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    return len(one) + len(other) - 2 * n_alike


def _is_plain(definition: Definition) -> bool:
    """Whether it holds something that is no function: a field that can be called is as good as a method."""
    return definition.kind in _PLAIN and _CALLABLE.search(definition.signature) is None


def _is_test(definition: Definition) -> bool:
    """Whether only a test runner calls it."""
    return definition.kind in FUNCTION_KINDS and _TEST_NAME.match(definition.name) is not None


def _is_special(name: str) -> bool:
    """Whether no other class calls it by its name, as Python's `__init__` and JavaScript's `constructor` and `#own`."""
    return (name.startswith("__") and name.endswith("__")) or name == "constructor" or name.startswith("#")


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
