"""From names to the classes that they are objects of, by what the open file and the index say in so many words.

`app.config.from_file` leads from the `app` of a test to the function of that name that makes it, from what that returns
to a class, from the class to its attribute `config`, and from what that is made of to another class. Each step is
something that is written down; where nothing is, there is no answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from codeassistd.context.receivers.chain import CALL, ITEM, Chain
from codeassistd.context.receivers.tells import Tell, is_object, results_in, tells_in
from codeassistd.context.receivers.value import NOBODY, Scope, Value
from codeassistd.context.receivers.written import Written, bases_in, read_type, returned
from codeassistd.context.types import ContextRequest
from codeassistd.index.types import Definition, IndexLookup
from codeassistd.syntax.facts import CLASS_KINDS, FUNCTION_KINDS, Import
from codeassistd.syntax.languages import Language
from codeassistd.text import Span

__all__ = ["Resolver"]

_BARE = frozenset({"interface", "type"})
_CALLED = FUNCTION_KINDS | {"macro"}
_ITSELF = frozenset({"self", "this", "Self"})
_MAX_DEPTH = 8
"""Steps from one thing to the next that are followed: what is further off is seldom what is meant."""
_MAX_TELLS = 16
"""Of one name that are looked at, the newest: who sets a name so often tells little by the first time."""
_MAX_SOURCE = 60_000
_WORD = re.compile(r"[^\W\d]\w*")
_ENTER, _WALK = "__enter__", "__iter__"
_FIXTURES = "conftest"
_CUT = "…"
"""What ends a head that is longer than the index keeps."""


@dataclass(frozen=True)
class Resolver:
    """Answers for one question; made for it, and remembers what it has asked the index.

    Attributes:
        own: definitions of the open file by their names.
    """

    lookup: IndexLookup
    request: ContextRequest
    root: Path
    language: Language | None
    own: Mapping[str, Sequence[Definition]]
    _named: dict[str, Sequence[Definition]] = field(default_factory=dict)
    _members: dict[str, Mapping[str, Definition]] = field(default_factory=dict)
    _inside: dict[str, Sequence[Tell]] = field(default_factory=dict)
    _origins: dict[str, Path] = field(default_factory=dict)
    _things: set[str] = field(default_factory=set)
    _told: dict[tuple[int, str, Path | None, int], tuple[Tell, Value]] = field(default_factory=dict)
    _results: dict[tuple[Definition, str, int], Value] = field(default_factory=dict)

    @classmethod
    def of(cls, lookup: IndexLookup, request: ContextRequest, root: Path, language: Language | None) -> Resolver:
        """For one cursor."""
        own: dict[str, list[Definition]] = {}
        path = request.document.path or Path(request.document.uri)
        for symbol in request.facts.symbols if request.facts is not None else ():
            own.setdefault(symbol.name, []).append(
                Definition(symbol.name, symbol.qualified_name, symbol.kind, symbol.signature, "", path, "", symbol.line)
            )
        return cls(lookup, request, root, language, own)

    def expect(self, names: Sequence[str]) -> None:
        """Ask the index for several names at once that will be asked about."""
        wanted = [name for name in map(self._original, dict.fromkeys(names)) if name not in self.own]
        for name in wanted:
            self._named[name] = []
        path, imports = self.request.document.path, self._imports
        for each in self.lookup.definitions(self.root, wanted, path, imports):
            self._named[each.name] = [*self._named[each.name], each]

    def value(self, chain: Chain, scope: Scope, depth: int = _MAX_DEPTH) -> Value:
        """What a chain stands for in a scope."""
        value = self._of_name(chain.name, scope, depth)
        for place, step in enumerate(chain.steps):
            if depth <= 0:
                return NOBODY
            depth -= 1
            if step == CALL:
                value = self._called(value, depth)
            elif step == ITEM:
                value = value if value.is_class else Value(types=value.items)
            else:
                found = self._attribute(value, step[1:], depth)
                # What is nothing that we know of may be a module, of which the index asks for the name alone.
                value = found if found != NOBODY or place else self._of_module(chain.name, step[1:], scope, depth)
            if value == NOBODY:
                return NOBODY
        return value

    def plain(self, value: Value, depth: int = _MAX_DEPTH) -> Value:
        """The object that a value is; a function that was not called is taken for a property."""
        return self._called(value, depth - 1) if value.functions and not value.types else value

    def told(self, tell: Tell, scope: Scope, depth: int = _MAX_DEPTH) -> Value:
        """What a tell says; asked once, since `text = text.strip()` in many lines leads from each to all before it."""
        if depth <= 0:
            return NOBODY
        # A tell belongs to one text, and is kept beside its answer, so no other one can get its id meanwhile.
        key = id(tell), scope.owner, scope.origin, depth
        if key not in self._told:
            self._told[key] = tell, self._said(tell, scope, depth)
        return self._told[key][1]

    def _said(self, tell: Tell, scope: Scope, depth: int) -> Value:
        if tell.type:
            value = self._written(read_type(tell.type), scope.owner, scope.origin)
            return self._attribute(value, tell.attribute, depth - 1) if tell.attribute else value
        if tell.chain is None:
            return NOBODY
        before = replace(scope, tells=[other for other in scope.tells if other.start < tell.start])
        value = self.plain(self.value(tell.chain, before, depth - 1), depth - 1)
        if tell.is_item:
            return self._item(value, depth - 1)
        return self._entered(value, depth - 1) if tell.is_entered else value

    def known(self, names: Sequence[str]) -> tuple[str, ...]:
        """Those of `names` that are classes somewhere in the workspace, or things whose members it tells.

        A class of the open file brings its bases along: what it inherits is not seen there.
        """
        found: dict[str, None] = {}
        for name in names:
            if name in self._things or any(each.kind in CLASS_KINDS for each in self._definitions(name)):
                found[name] = None
            if name in self.own:
                found |= dict.fromkeys(base for base in self.bases(name) if base not in names)
        return tuple(found)

    def has_statics(self, names: Sequence[str]) -> bool:
        """Whether one of these classes can be asked for something itself: what only describes objects cannot."""
        return any(each.kind not in _BARE for name in names for each in self._definitions(name)[:1])

    def bases(self, name: str) -> list[str]:
        """The classes that a class is derived from, as its head names them."""
        symbols = self.request.facts.symbols if self.request.facts is not None else ()
        own = [symbol for symbol in symbols if symbol.name == name and symbol.kind in CLASS_KINDS]
        if own:
            return list(own[0].bases)
        for found in self._definitions(name):
            if found.kind in CLASS_KINDS:
                return bases_in(found.signature.partition(name)[2])
        return []

    def attributes(self, name: str) -> Sequence[Tell]:
        """What the text of a class tells of attributes of its objects."""
        known = self._inside.get(name)
        if known is None:
            known = self._inside[name] = tells_in(self._text_of_class(name), self.language)
        return known

    def members(self, name: str) -> Mapping[str, Definition]:
        """What a class has by name, its bases' members among them."""
        known = self._members.get(name)
        if known is None:
            known = self._members[name] = {each.name: each for each in self._found_members(name)}
        return known

    def asking(self, name: str) -> tuple[Path | None, Sequence[Import]]:
        """Who asks for a class: the open file, or one beside the file that names it."""
        origin = self._origins.get(name)
        if origin is None:
            return self.request.document.path, self._imports
        # Not that file itself, since what is defined in the asking file is never answered.
        return origin.with_name(f"-{origin.name}"), ()

    def _found_members(self, name: str) -> Iterator[Definition]:
        yield from self.lookup.members(self.root, [name], *self.asking(name))
        for base in self.bases(name) if name in self.own else ():
            yield from self.lookup.members(self.root, [base], *self.asking(base))
        for each in (definition for definitions in self.own.values() for definition in definitions):
            if each.qualified_name.rpartition(".")[0].rpartition(".")[2] == name:
                yield each

    @property
    def _imports(self) -> Sequence[Import]:
        return self.request.facts.imports if self.request.facts is not None else ()

    def _definitions(self, name: str) -> Sequence[Definition]:
        known = self._named.get(name)
        if known is None:
            known = self.own.get(name) or self.lookup.definitions(self.root, [name], *self.asking(name))
            self._named[name] = known
        return known

    def _of_name(self, name: str, scope: Scope, depth: int) -> Value:
        if name in _ITSELF and scope.owner:
            return Value(types=(scope.owner,))
        if name == "cls" and scope.owner:
            return Value(types=(scope.owner,), is_class=True)
        if name == "super" and scope.owner:
            return Value(types=tuple(self.bases(scope.owner)), is_class=True)
        newest_first = (tell for tell in reversed(scope.tells) if tell.name == name)
        for tell in islice(newest_first, _MAX_TELLS):
            value = self.told(tell, scope, depth - 1)
            if value != NOBODY:
                return value
        fixtures = self._fixtures(name) if name in scope.parameters else []
        return self._of_definition(fixtures or self._meant(name, scope), depth)

    def _meant(self, name: str, scope: Scope) -> Sequence[Definition]:
        """The definitions that a bare name can mean."""
        return [
            each
            for each in self._definitions(self._original(name) if scope.origin is None else name)
            if "." not in each.qualified_name.removesuffix(each.name).rstrip(".") and each.kind != "method"
        ]

    def _fixtures(self, name: str) -> Sequence[Definition]:
        """The functions that pytest would call for a parameter: the file's own, or of a `conftest.py`, the nearest."""
        if self.language is None or self.language.name != "python" or name in self.own:
            return []
        by_rule = Import(_FIXTURES, name, "", 0)
        found = self.lookup.definitions(self.root, [name], self.request.document.path, [by_rule])
        return [each for each in found if each.path.stem == _FIXTURES and each.kind in _CALLED]

    def _original(self, name: str) -> str:
        """The name that the open file has another one for."""
        return next((found.name for found in self._imports if found.alias == name and found.name), name)

    def _of_definition(self, found: Sequence[Definition], depth: int, owner: str = "") -> Value:
        if not found:
            return NOBODY
        first = found[0]
        if first.kind in CLASS_KINDS:
            return Value(types=(first.name,), is_class=True)
        if first.kind in _CALLED:
            return Value(functions=(first,), owner=owner)
        text = self._source(first) or first.signature
        scope = Scope(tells_in(text, self.language), owner, _origin(first))
        for tell in scope.tells:
            if tell.name.lstrip(".") == first.name:
                value = self.told(tell, scope, depth - 1)
                return value if value != NOBODY else self._thing(first, text)
        return NOBODY

    def _thing(self, definition: Definition, text: str) -> Value:
        """What is written down as an object, or gives one when it is called; the index has its members by its name."""
        if not is_object(definition, text, self.language):
            return NOBODY
        origin = _origin(definition)
        if origin is not None and definition.name not in self._named:
            self._origins.setdefault(definition.name, origin)
        if not self.members(definition.name):
            return NOBODY
        self._things.add(definition.name)
        return Value(types=(definition.name,))

    def _of_module(self, module: str, name: str, scope: Scope, depth: int) -> Value:
        """What a module has under a name: a class or function outside of everything.

        The imports of other files than the open one are not known, so there a name written like a class must do.
        """
        # A module without a word in it (`import '..'` for its effects) binds no name.
        bound = (each.alias or each.name or next(iter(_WORD.findall(each.module)), "") for each in self._imports)
        if not (name[:1].isupper() if scope.origin is not None else module in bound):
            return NOBODY
        found = [each for each in self._meant(name, scope) if each.kind in CLASS_KINDS | _CALLED]
        return self._of_definition(found, depth)

    def _attribute(self, value: Value, name: str, depth: int) -> Value:
        for owner in value.types:
            member = self.members(owner).get(name)
            if member is not None:
                found = self._of_definition([member], depth, owner)
                if found != NOBODY:
                    return found
            found = self._set_attribute(owner, name, depth)
            if found != NOBODY:
                return found
        return NOBODY

    def _set_attribute(self, owner: str, name: str, depth: int) -> Value:
        """An attribute that no definition names: the class sets it in its own text, or in that of a base."""
        if depth <= 0:
            return NOBODY
        tells = self.attributes(owner)
        scope = Scope(tells, owner, self._origin_of_class(owner))
        for tell in tells:
            if tell.name == f".{name}":
                value = self.told(tell, scope, depth - 1)
                if value != NOBODY:
                    return value
        for base in self.bases(owner):
            value = self._set_attribute(base, name, depth - 2)
            if value != NOBODY:
                return value
        return NOBODY

    def _called(self, value: Value, depth: int) -> Value:
        if value.is_class:
            return Value(types=value.types)
        for function in value.functions:
            written = read_type(returned(self._head(function), function.name))
            if written.types or written.items:
                return self._written(written, value.owner, _origin(function))
            result = self._result(function, value.owner, depth)
            if result != NOBODY:
                return result
        return NOBODY

    def _result(self, function: Definition, owner: str, depth: int) -> Value:
        """What the body of a function gives back, where its head does not say; read once though many call it."""
        if depth <= 0:
            return NOBODY
        key = function, owner, depth
        if key not in self._results:
            self._results[key] = self._given_back(function, owner, depth)
        return self._results[key]

    def _given_back(self, function: Definition, owner: str, depth: int) -> Value:
        body = self._source(function)
        thing = self._thing(function, body)
        if thing != NOBODY:
            return thing
        scope = Scope(tells_in(body, self.language), owner, _origin(function))
        for chain in results_in(body):
            value = self.plain(self.value(chain, replace(scope, tells=_before(scope.tells, chain)), depth - 1), depth)
            if value != NOBODY:
                return value
        return NOBODY

    def _head(self, function: Definition) -> str:
        """The head of a function; where the index has only the start of it, that of its text."""
        return self._source(function) if function.signature.endswith(_CUT) else function.signature

    def _origin_of_class(self, name: str) -> Path | None:
        return next((_origin(each) for each in self._definitions(name) if each.kind in CLASS_KINDS), None)

    def _written(self, written: Written, owner: str, origin: Path | None) -> Value:
        types = tuple(owner if each in _ITSELF and owner else each for each in written.types)
        if origin is not None:
            imported = {found.name for found in self._imports}
            for name in (*types, *written.items):
                if name not in self.own and name not in imported and name not in self._named:
                    self._origins.setdefault(name, origin)
        return Value(types=types, items=written.items)

    def _item(self, value: Value, depth: int) -> Value:
        if value.items:
            return Value(types=value.items)
        return self._by_method(value, _WALK, depth)

    def _entered(self, value: Value, depth: int) -> Value:
        if value.types:
            entered = self._by_method(value, _ENTER, depth)
            if entered != NOBODY:
                return entered
            # What a generator gives when it is entered is what it yields.
        known = [each for each in value.types if self._definitions(each)]
        return value if known or not value.items else Value(types=value.items)

    def _by_method(self, value: Value, name: str, depth: int) -> Value:
        """What a method that the language calls by itself gives."""
        for owner in value.types:
            method = self.members(owner).get(name)
            if method is not None:
                found = self._called(Value(functions=(method,), owner=owner), depth)
                return Value(types=found.items) if name == _WALK and found.items else found
        return NOBODY

    def _text_of_class(self, name: str) -> str:
        for found in self._definitions(name):
            if found.kind in CLASS_KINDS:
                return self._source(found)
        return ""

    def _source(self, definition: Definition) -> str:
        if definition.relative:
            return self.lookup.source(self.root, definition)[:_MAX_SOURCE]
        symbols = self.request.facts.symbols if self.request.facts is not None else ()
        for symbol in symbols:
            if symbol.qualified_name == definition.qualified_name and symbol.line == definition.line:
                span = symbol.span
                return self.request.document.text.slice(Span(span.start, min(span.end, span.start + _MAX_SOURCE)))
        return ""


def _origin(definition: Definition) -> Path | None:
    """The file of a definition; None for the open one."""
    return definition.path if definition.relative else None


def _before(tells: Sequence[Tell], chain: Chain) -> Sequence[Tell]:
    return [tell for tell in tells if tell.start < chain.end]
