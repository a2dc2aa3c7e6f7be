"""Cuts cases out of a repository: lines in bodies that use, as the only place of their file, what another file defines.

Nothing here looks at the index or the context builder, so what they cannot find is not left out of the question. A case
is taken only where it is clear which definition is meant: an imported name by its import, any other name only where one
place of the repository alone defines it and the file can reach that place in two steps of imports. A `get` of some
library that happens to be a name of the repository too would be asked for otherwise.
"""

from __future__ import annotations

import math
import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from codeassistd.evals.context.built_in import built_in
from codeassistd.evals.context.case import Case, Needed, Use
from codeassistd.evals.context.repository import Repository, SourceFile
from codeassistd.syntax.facts import CLASS_KINDS, FUNCTION_KINDS, Symbol
from codeassistd.syntax.scope import enclosing
from codeassistd.text import Text

__all__ = ["cut_cases"]

_MAX_PER_FILE = 3
"""Cases of one file: a long file must not speak for its repository."""
_MEMBER_SHARE = 1 / 3
"""Least share of the cases whose symbol is a member, so far as there are any."""
_MIN_LETTERS = 3
_MIN_TRUTH, _MAX_TRUTH = 6, 160
"""Letters of a line that is worth asking for, and of one that nobody writes at once."""
_BEFORE_MEMBER = re.compile(r"(?:\.|->|::)\s*$")
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")
_GOES_ON = ("(", "[", "{", ",", "\\", "=", "+", "-", "|", "&", "and", "or", ".")

_LOCAL_KINDS = CLASS_KINDS | {"function", "constant", "variable"}
"""What only the function that it stands in can name, unlike the members of an object that the function gives back."""

_Defined = Mapping[str, Sequence[tuple[str, Symbol]]]


def cut_cases(repository: Repository, n_cases: int, seed: int) -> list[Case]:
    """At most `n_cases`, always the same ones for the same files and seed; in order of files and lines."""
    draws = random.Random(seed)  # noqa: S311 - a choice of places, not a secret
    defined = _definitions(repository)
    paths = list(repository.files)
    draws.shuffle(paths)
    names: list[Case] = []
    members: list[Case] = []
    for path in paths:
        found = list(_cases_of(repository.files[path], defined, repository))
        draws.shuffle(found)
        for case in _spread(found):
            (members if case.use is Use.MEMBER else names).append(case)
        if min(len(members), len(names)) >= n_cases:
            break
    n_members = min(len(members), math.ceil(n_cases * _MEMBER_SHARE))
    chosen = members[:n_members] + names[: n_cases - n_members]
    chosen += members[n_members : n_members + n_cases - len(chosen)]
    return sorted(chosen, key=lambda case: (case.file.path, case.offset))


def _spread(found: Sequence[Case]) -> list[Case]:
    """A few cases of one file; none of a line that another one has."""
    lines: dict[int, Case] = {}
    for case in found:
        lines.setdefault(case.line, case)
    return list(lines.values())[:_MAX_PER_FILE]


def _definitions(repository: Repository) -> _Defined:
    """Every definition of the repository that another file could mean, by its name, with its file."""
    defined: dict[str, list[tuple[str, Symbol]]] = defaultdict(list)
    for file in repository.files.values():
        functions = {symbol.qualified_name for symbol in file.facts.symbols if symbol.kind in FUNCTION_KINDS}
        for symbol in file.facts.symbols:
            if symbol.parent not in functions or symbol.kind not in _LOCAL_KINDS:
                defined[symbol.name].append((file.path, symbol))
    return defined


def _cases_of(file: SourceFile, defined: _Defined, repository: Repository) -> Iterator[Case]:
    own = {symbol.name for symbol in file.facts.symbols}
    ignored = own | built_in(file.facts.language)
    for name in dict.fromkeys(reference.name for reference in file.facts.references):
        if len(name) < _MIN_LETTERS or name.startswith("__") or name in ignored or name not in defined:
            continue
        line = _only_line(file, name)
        if line is None or not _is_statement_in_body(file, line):
            continue
        use = _use_of(file.text.line(line), name)
        needed = _needed(file, name, use, defined[name], repository)
        if needed is not None:
            yield Case.at(file, line, use, needed)


def _only_line(file: SourceFile, name: str) -> int | None:
    """The one line beside the imports on which the name stands; None where there is none or more."""
    imported = {found.line for found in file.facts.imports if name in {found.name, found.alias, found.module}}
    lines = {
        file.text.line_of(match.start())
        for match in re.finditer(rb"(?<![\w$])" + re.escape(name.encode()) + rb"(?![\w$])", file.text.content)
    }
    lines -= imported
    return lines.pop() if len(lines) == 1 else None


def _is_statement_in_body(file: SourceFile, line: int) -> bool:
    """Whether the line is a whole statement, not too short and not too long, inside of a function."""
    truth = file.text.line(line).strip()
    if not _MIN_TRUTH <= len(truth) <= _MAX_TRUTH or not _is_balanced(truth) or truth[0] in _CLOSERS | {"@"}:
        return False
    above = _line_above(file.text, line)
    if above.endswith(_GOES_ON):
        return False
    symbol = enclosing(file.facts, file.text.line_start(line) + len(file.text.line(line)))
    return symbol is not None and symbol.kind in FUNCTION_KINDS and symbol.line < line


def _is_balanced(text: str) -> bool:
    n_open = sum(letter in _OPENERS for letter in text)
    return n_open == sum(letter in _CLOSERS for letter in text) or text.endswith("{")


def _line_above(text: Text, line: int) -> str:
    while line > 0:
        line -= 1
        if above := text.line(line).strip():
            return above
    return ""


def _use_of(line: str, name: str) -> Use:
    place = re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", line)
    return Use.MEMBER if place and _BEFORE_MEMBER.search(line[: place.start()]) else Use.NAME


def _needed(
    file: SourceFile, name: str, use: Use, definers: Sequence[tuple[str, Symbol]], repository: Repository
) -> Needed | None:
    """The definition that the line means; None where that is not clear."""
    reached = repository.reached_from(file.path)
    if use is Use.NAME and any(name in {found.name, found.alias} for found in file.facts.imports):
        definers = [definer for definer in definers if definer[0] in reached and not definer[1].parent] or definers
    places = {(path, symbol.qualified_name) for path, symbol in definers}
    if len(places) != 1:
        return None
    path, symbol = definers[0]
    if path not in reached and not any(path in repository.reached_from(between) for between in reached):
        return None
    if not symbol.parent and use is Use.NAME and not _is_seen(file, name, path):
        return None
    signatures = tuple(dict.fromkeys(each.signature for _, each in definers if len(each.signature) > len(name)))
    return Needed(name, symbol.kind, path, symbol.parent, signatures) if signatures else None


def _is_seen(file: SourceFile, name: str, path: str) -> bool:
    """Whether a bare name can mean the definition: it is imported, or its file is of the same folder or unit."""
    if any(name in {found.name, found.alias} or found.name in {"*", ""} for found in file.facts.imports):
        return True
    return file.path.rpartition("/")[0] == path.rpartition("/")[0]
