"""The languages that can be read: their ids, files and facts, and their grammars, loaded when first needed.

The table and the queries are data (`codeassistd_grammars`). A grammar that does not load, or a query that does not
compile, turns itself off and is named in `Languages.problems`; nothing else is touched by it.
"""

from __future__ import annotations

import importlib
import os
import threading
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any

import tree_sitter

from codeassistd.syntax.grammar import Grammar, QueryFile

__all__ = ["Language", "Languages"]

_DATA = "codeassistd_grammars"
_QUERY_FILES = ("tags.scm", "outline.scm", "imports.scm")
_BRACE_HEAD = r"\{\s*(?://.*)?$"


@dataclass(frozen=True, slots=True)
class Language:
    """One table of `languages.toml`, which documents the fields; a plain value that any process can hold."""

    name: str
    lsp_ids: tuple[str, ...]
    extensions: tuple[str, ...]
    file_names: tuple[str, ...]
    grammar: str
    queries: tuple[str, ...]
    comment: str
    opener: str
    elided: str
    strings: tuple[str, ...]
    keywords: frozenset[str]
    block_head: str
    block_closers: frozenset[str]
    block_comments: tuple[tuple[str, str], ...]
    long_strings: tuple[tuple[str, str], ...]
    has_numbered_names: bool

    @property
    def is_offside(self) -> bool:
        """Whether indentation is what holds a block together."""
        return self.opener == ":"

    @classmethod
    def of(cls, name: str, table: dict[str, Any]) -> Language:
        """The language of one table."""
        return cls(
            name=name,
            lsp_ids=tuple(table["lsp_ids"]),
            extensions=tuple(table["extensions"]),
            file_names=tuple(table.get("file_names", ())),
            grammar=table["grammar"],
            queries=tuple(table.get("queries", (name,))),
            comment=table["comment"],
            opener=table["opener"],
            elided=table["elided"],
            strings=tuple(table["strings"]),
            keywords=frozenset(table["keywords"].split()),
            block_head=table.get("block_head", _BRACE_HEAD),
            block_closers=frozenset(table.get("block_closers", "").split()),
            block_comments=tuple((begin, end) for begin, end in table.get("block_comments", ())),
            long_strings=tuple((begin, end) for begin, end in table.get("long_strings", ())),
            has_numbered_names=table.get("numbered_names", False),
        )


class Languages:
    """Finds a language by its LSP id or by a path, and keeps the grammars that were loaded in this process.

    Cheap to make: a grammar is loaded when it is first asked for. A pickled one carries the table only, so a worker
    process loads for itself what it needs.
    """

    def __init__(self, languages: Iterable[Language], data: Traversable | None = None) -> None:
        """Know `languages`.

        Args:
            languages: earlier ones win where two claim the same id or file.
            data: the folder that holds the folders of queries; default: the installed one.
        """
        self._languages = tuple(languages)
        self._data = data
        self._by_id: dict[str, Language] = {}
        self._by_suffix: dict[str, Language] = {}
        self._by_file_name: dict[str, Language] = {}
        # None where the grammar does not load.
        self._bindings: dict[str, tree_sitter.Language | None] = {}
        self._grammars: dict[str, Grammar | None] = {}
        self._problems: dict[str, tuple[str, ...]] = {}
        # A document is read in one thread while another asks about its cursor; both must get the same grammar.
        self._loading = threading.Lock()
        for language in self._languages:
            for key in (language.name, *language.lsp_ids):
                self._by_id.setdefault(key, language)
            for suffix in language.extensions:
                self._by_suffix.setdefault(suffix, language)
            for file_name in language.file_names:
                self._by_file_name.setdefault(file_name, language)

    @classmethod
    def default(cls) -> Languages:
        """The shipped languages; the same object at each call, so that each grammar is loaded once per process."""
        return _default()

    def __reduce__(self) -> tuple[type[Languages], tuple[tuple[Language, ...], Traversable | None]]:
        return (Languages, (self._languages, self._data))

    def __iter__(self) -> Iterator[Language]:
        return iter(self._languages)

    def by_id(self, lsp_id: str) -> Language | None:
        """The language that editors call `lsp_id`, or whose own name it is."""
        return self._by_id.get(lsp_id)

    def by_path(self, path: PurePath | str) -> Language | None:
        """The language of a file by its name alone: whole name, then suffix, then the suffix in lower case."""
        # Asked hundreds of times for one prompt, and a `PurePath` takes ten times as long to make.
        name = os.path.basename(path)  # noqa: PTH119 - see above
        suffix = os.path.splitext(name)[1]  # noqa: PTH122 - see above
        return self._by_file_name.get(name) or self._by_suffix.get(suffix) or self._by_suffix.get(suffix.lower())

    def grammar(self, language: Language) -> Grammar | None:
        """The grammar of `language`, loaded at the first call; None where it does not load (see `problems_of`)."""
        if language.name not in self._grammars:
            with self._loading:
                self._load(language)
        return self._grammars[language.name]

    def problems_of(self, language: Language) -> tuple[str, ...]:
        """What could not be loaded for `language` so far, one line each; loads its parser if that was not tried yet."""
        grammar = self.grammar(language)
        return self._problems[language.name] + (grammar.problems if grammar else ())

    @property
    def problems(self) -> tuple[str, ...]:
        """What could not be loaded so far, one line each; `load_all` first for a full answer.

        `load_bindings` gives nearly all of it: what can be wrong besides is a query, and those shipped compile.
        """
        found = {name: list(problems) for name, problems in self._problems.items()}
        for name, grammar in list(self._grammars.items()):
            found[name] += grammar.problems if grammar else ()
        return tuple(problem for name in sorted(found) for problem in found[name])

    def load_bindings(self) -> None:
        """Load the parser of each language, but none of its queries: milliseconds instead of seconds."""
        with self._loading:
            for language in self._languages:
                self._binding(language)

    def load_all(self) -> None:
        """Load each grammar and compile its queries now, which takes seconds: for checks."""
        for language in self._languages:
            grammar = self.grammar(language)
            if grammar is not None:
                _ = grammar.whole

    def _load(self, language: Language) -> None:
        """Load a parser and read its queries, unless another thread has done it by now."""
        if language.name in self._grammars:
            return
        binding = self._binding(language)
        grammar = None
        if binding is not None:
            grammar = Grammar(language.name, binding, _query_files(language, self._data or files(_DATA)))
        self._grammars[language.name] = grammar

    def _binding(self, language: Language) -> tree_sitter.Language | None:
        if language.name not in self._bindings:
            module, _, function = language.grammar.partition(":")
            binding, problems = None, tuple[str, ...]()
            try:
                binding = tree_sitter.Language(getattr(importlib.import_module(module), function)())
            except (ImportError, AttributeError, ValueError, TypeError) as error:
                # Not installed, built for another processor, or of a grammar version that the binding does not read.
                problems = (f"{language.name}: the grammar {language.grammar} does not load: {error}",)
            self._bindings[language.name], self._problems[language.name] = binding, problems
        return self._bindings[language.name]


@cache
def _default() -> Languages:
    table = tomllib.loads((files(_DATA) / "languages.toml").read_text("utf-8"))
    return Languages(Language.of(name, fields) for name, fields in table.items())


def _query_files(language: Language, data: Traversable) -> Iterator[QueryFile]:
    for file_name in _QUERY_FILES:
        for folder in language.queries:
            source = data / folder / file_name
            if source.is_file():
                yield QueryFile(f"{folder}/{file_name}", file_name.removesuffix(".scm"), source.read_text("utf-8"))
