"""One language's grammar with its queries, put together so that a file is walked once for all that the index keeps."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import tree_sitter

from codeassistd.text import Span

__all__ = ["Captures", "Grammar", "Pattern", "PatternSet", "QueryFile"]

#: What one match gives: nodes by capture name, `@` left out.
Captures = dict[str, list[tree_sitter.Node]]

_CAPTURE = re.compile(r"@([\w.]+)")
_COMMENT_LINE = re.compile(r"(?m)^\s*;.*")
# Roles that are taken apart from the rest of their file.
_SECTIONS = {"comment": "marks", "attached": "marks", "reference": "references"}
#: Captures that a pattern can be about, the first that it has; a name with a dot at its end is any of that role.
_MAIN_CAPTURES = (
    *("definition.", "reference.", "scope", "comment", "docstring", "attached", "outline."),
    *("import.group", "import.module", "import.name", "import.self"),
)
# Bytes that are queried in one go: ten milliseconds. What reaches over several windows is matched anew in each, so the
# number of windows is bounded, too.
_WINDOW_BYTES = 65_536
_MAX_WINDOWS = 8


@dataclass(frozen=True, slots=True)
class QueryFile:
    """A query as it lies on disk; `section` is tags, outline or imports."""

    path: str
    section: str
    source: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern of a query.

    Attributes:
        index: place among all patterns; where two tell different things of one name, the lower one is right.
        section: who takes it: tags, outline or imports, as the file of the query is called, but references, and marks
            for comments and what is attached.
        main: the capture that the pattern is about, such as `definition.class`.
        place: the capture that tells where this stands: of a use the name alone, of all else `main`.
        role: what stands before the dot in `main`.
        kind: what follows the dot in `main`; empty where it has none.
        settings: its `#set!` lines.
        skip: how many bytes of a name are none of it; the setting of that name.
    """

    index: int
    section: str
    main: str
    place: str
    role: str
    kind: str
    settings: dict[str, str | None]
    skip: int


@dataclass(frozen=True, slots=True)
class PatternSet:
    """Patterns that are matched together, as one query.

    Keep it as long as the process lives: the binding (0.26.1) damages memory when a query is dropped that has, in one
    pattern, both a condition (`#eq?`, `#any-of?`) and a `#set!`.
    """

    query: tree_sitter.Query
    patterns: tuple[Pattern, ...]

    def matches(self, tree: tree_sitter.Tree, span: Span) -> Iterator[list[tuple[int, Captures]]]:
        """The matches that overlap `span`, each with the index of its pattern, list after list.

        They come in no order to rely on; one that reaches far may come several times.

        The binding holds the GIL while it queries, so a large text is queried in windows, between which other threads
        get their turn. Take what is needed of a match at once: a hundred thousand nodes that are kept make the garbage
        collector stop all threads for a tenth of a second.
        """
        cursor = tree_sitter.QueryCursor(self.query)
        n_window = max(_WINDOW_BYTES, -(-len(span) // _MAX_WINDOWS))
        for start in range(span.start, span.end, n_window):
            cursor.set_byte_range(start, min(start + n_window, span.end))
            yield cursor.matches(tree.root_node)


class Grammar:
    """A tree-sitter language and its patterns; each set of them is compiled when it is first asked for.

    Compiling takes milliseconds, but half a second for Swift. Any thread may ask; one of them compiles, and the others
    wait.
    """

    def __init__(self, name: str, language: tree_sitter.Language, query_files: Iterable[QueryFile]) -> None:
        """Compile nothing yet.

        Args:
            name: of the language, for what is said of its queries.
            language: reads the texts.
            query_files: in the order in which their patterns count.
        """
        self.language = language
        self._name = name
        self._query_files = tuple(query_files)
        self._sets: dict[bool, PatternSet] = {}
        self._problems: dict[str, None] = {}
        self._compiling = threading.Lock()

    @property
    def facts(self) -> PatternSet:
        """What the index keeps: tags, imports and marks."""
        return self._set(with_outline=False)

    @property
    def whole(self) -> PatternSet:
        """The same, and what only the prompt for an open document shows: one walk finds all of it."""
        return self._set(with_outline=True)

    @property
    def problems(self) -> tuple[str, ...]:
        """A line for each query file that did not compile, among those that were asked for; the rest works."""
        return tuple(self._problems)

    def _set(self, *, with_outline: bool) -> PatternSet:
        if with_outline not in self._sets:
            with self._compiling:
                # A set that another thread has compiled meanwhile must not be replaced: see `PatternSet`.
                if with_outline not in self._sets:
                    self._sets[with_outline] = self._compiled(with_outline=with_outline)
        return self._sets[with_outline]

    def _compiled(self, *, with_outline: bool) -> PatternSet:
        files = [file for file in self._query_files if with_outline or file.section != "outline"]
        problems: list[str] = []
        patterns = _pattern_set(self._name, self.language, files, problems)
        self._problems.update(dict.fromkeys(problems))
        return patterns


def _pattern_set(
    name: str, language: tree_sitter.Language, query_files: Sequence[QueryFile], problems: list[str]
) -> PatternSet:
    """The patterns of the files that compile; `problems` gets a line for each that does not."""
    good = list(query_files)
    try:
        query = _compile(language, good)
    except tree_sitter.QueryError:
        # Each alone, to find which; this costs time, so not before it is needed.
        good.clear()
        for query_file in query_files:
            try:
                _compile(language, [query_file])
            except tree_sitter.QueryError as error:
                problems.append(f"{name}: the query {query_file.path} does not compile: {error}")
            else:
                good.append(query_file)
        query = _compile(language, good)
    return PatternSet(query, tuple(_patterns(query, good)))


def _compile(language: tree_sitter.Language, query_files: Sequence[QueryFile]) -> tree_sitter.Query:
    return tree_sitter.Query(language, "\n".join(query_file.source for query_file in query_files))


def _patterns(query: tree_sitter.Query, query_files: Sequence[QueryFile]) -> Iterator[Pattern]:
    source = "\n".join(query_file.source for query_file in query_files).encode()
    ends: list[int] = []
    for query_file in query_files:
        ends.append((ends[-1] + 1 if ends else 0) + len(query_file.source.encode()))
    for index in range(query.pattern_count):
        start = query.start_byte_for_pattern(index)
        body = source[start : query.end_byte_for_pattern(index)].decode()
        section = next(file.section for file, end in zip(query_files, ends, strict=True) if start < end)
        main = _main(_CAPTURE.findall(_COMMENT_LINE.sub("", body)))
        role, _, kind = main.partition(".")
        settings = query.pattern_settings(index)
        skip = int(settings.get("skip") or 0)
        place = "name" if role == "reference" else main
        yield Pattern(index, _SECTIONS.get(role, section), main, place, role, kind, settings, skip)


def _main(captures: Sequence[str]) -> str:
    """What a pattern with these captures is about; empty where it only helps others."""
    return next(
        (capture for wanted in _MAIN_CAPTURES for capture in captures if f"{capture}.".startswith(wanted)),
        "",
    )
