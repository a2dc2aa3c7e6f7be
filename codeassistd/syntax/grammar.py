"""One language's grammar with its queries, put together so that a file is walked once for all that the index keeps."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import tree_sitter

from codeassistd.text import Span

__all__ = ["Captures", "Grammar", "Pattern", "PatternSet", "QueryFile", "compile_queries"]

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
        role: what stands before the dot in `main`.
        kind: what follows the dot in `main`; empty where it has none.
        settings: its `#set!` lines.
    """

    index: int
    section: str
    main: str
    role: str
    kind: str
    settings: dict[str, str | None]


@dataclass(frozen=True, slots=True)
class PatternSet:
    """Patterns that are matched together, as one query.

    Keep it as long as the process lives: the binding (0.26.1) damages memory when a query is dropped that has, in one
    pattern, both a condition (`#eq?`, `#any-of?`) and a `#set!`.
    """

    query: tree_sitter.Query
    patterns: tuple[Pattern, ...]

    def matches(self, tree: tree_sitter.Tree, span: Span) -> Iterator[tuple[Pattern, Captures]]:
        """Each match that overlaps `span`, in no order to rely on; one that reaches far may come several times.

        The binding holds the GIL while it queries, so a large text is queried in windows, between which other threads
        get their turn. Take what is needed of a match at once: a hundred thousand nodes that are kept make the garbage
        collector stop all threads for a tenth of a second.
        """
        cursor = tree_sitter.QueryCursor(self.query)
        root, patterns = tree.root_node, self.patterns
        n_window = max(_WINDOW_BYTES, -(-len(span) // _MAX_WINDOWS))
        for start in range(span.start, span.end, n_window):
            cursor.set_byte_range(start, min(start + n_window, span.end))
            for index, captures in cursor.matches(root):
                pattern = patterns[index]
                if pattern.main in captures:
                    yield pattern, captures


@dataclass(frozen=True, slots=True)
class Grammar:
    """A tree-sitter language and its patterns.

    Attributes:
        facts: what the index keeps: tags, imports and marks.
        outline: what only the prompt for an open document shows.
    """

    language: tree_sitter.Language
    facts: PatternSet
    outline: PatternSet


def compile_queries(
    name: str, language: tree_sitter.Language, query_files: Sequence[QueryFile]
) -> tuple[Grammar, tuple[str, ...]]:
    """Compile the queries of the language `name`; a file that does not compile is left out and named."""
    outline = [file for file in query_files if file.section == "outline"]
    facts = [file for file in query_files if file.section != "outline"]
    problems: list[str] = []
    grammar = Grammar(
        language, _pattern_set(name, language, facts, problems), _pattern_set(name, language, outline, problems)
    )
    return grammar, tuple(problems)


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
        yield Pattern(index, _SECTIONS.get(role, section), main, role, kind, query.pattern_settings(index))


def _main(captures: Sequence[str]) -> str:
    """What a pattern with these captures is about; empty where it only helps others."""
    return next(
        (capture for wanted in _MAIN_CAPTURES for capture in captures if f"{capture}.".startswith(wanted)),
        "",
    )
