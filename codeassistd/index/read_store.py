"""The reading side of the store: any thread may ask, and none ever waits for the writer."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from codeassistd.index.open_store import translated_errors
from codeassistd.syntax.facts import Import

__all__ = ["DefinitionRow", "MatchRow", "ReadStore"]

#: In WAL mode a reader waits only while another process recovers the log; then no answer is better than a late one.
_BUSY_S = 0.02
#: A name defined more often than this tells nothing by itself, so it does not matter which rows are seen.
_MAX_ROWS_PER_NAME = 256

#: The classes with the most members have some hundreds.
_MAX_MEMBERS = 1024

_COLUMNS = """
s.name, s.qualified_name, s.kind, s.signature, s.doc, s.line, s.parent, s.bases, s.span_start, s.span_end,
f.path, f.language, f.size, f.mtime_ns
"""
_FROM = "from symbols s join files f on f.id = s.file_id join workspaces w on w.id = f.workspace_id"
# One question for many names, each of which has its own limit.
_OF_EACH = """
from json_each(?1) asked
cross join symbols s on s.id in (
    select near.id
    from symbols near
    join files f on f.id = near.file_id
    join workspaces w on w.id = f.workspace_id
    where {condition} and w.root = ?2
    {order}
    limit ?3
)
join files f on f.id = s.file_id
"""
_DEFINITIONS = f"select asked.value, {_COLUMNS} {_OF_EACH.format(condition='near.name = asked.value', order='')}"
# The second condition lets SQLite use the index, which leaves out what stands in nothing.
_OWNED = "near.owner = asked.value and near.owner != ''"
_MEMBERS = f"""
select asked.value, {_COLUMNS} {_OF_EACH.format(condition=_OWNED, order="order by near.id")} order by s.id
"""
_TOP_LEVEL = f"select {_COLUMNS} {_FROM} where w.root = ? and f.path = ? and s.parent = '' order by s.id"
_IMPORTS = """
select i.module, i.name, i.alias, i.line
from imports i
join files f on f.id = i.file_id
join workspaces w on w.id = f.workspace_id
where w.root = ? and f.path = ?
"""
# The names come first (`cross join` keeps the order): from the files' side all rows of a workspace would be read.
_N_FILES_WITH = """
select known.name, count(*)
from (
    select name, file_id from refs where name in (select value from json_each(?1))
    union
    select name, file_id from symbols where name in (select value from json_each(?1))
) known
cross join files f on f.id = known.file_id
join workspaces w on w.id = f.workspace_id
where w.root = ?2 and f.path not in (select value from json_each(?3))
group by known.name
"""
_FILES = "select f.path, f.language from files f join workspaces w on w.id = f.workspace_id where w.root = ?"
_ALL = f"{_FILES} order by f.path"
_WITH_STEM = f"{_FILES} and f.stem = ?"
_KNOWN = f"{_FILES} and f.path in (select value from json_each(?))"  # noqa: S608 - both parts are written here
#: There is none where SQLite was built without it.
_HAS_SEARCH = "select exists (select 1 from sqlite_master where name = 'chunk_words' and type = 'table')"
_N_CHUNKS = "select ifnull(max(id), 0) from chunks"
_N_HOLDING = "select term, doc from chunk_vocabulary where term in (select value from json_each(?))"
_MATCHING = """
select -bm25(chunk_words) as score, c.name, c.span_start, c.span_end, c.line, c.end_line,
       f.path, f.language, f.size, f.mtime_ns
from chunk_words
join chunks c on c.id = chunk_words.rowid
join files f on f.id = c.file_id
join workspaces w on w.id = f.workspace_id
where chunk_words match ?1 and w.root = ?2 and f.path not in (select value from json_each(?3))
  and (?4 = '[]' or f.language in (select value from json_each(?4)))
order by score desc, f.path, c.line
limit ?5
"""


class DefinitionRow(NamedTuple):
    """A stored definition, with the size and time that its file had when it was read.

    A named tuple, since one question may be about a thousand of them.

    Attributes:
        parent: qualified name of what it stands in, or empty.
        bases: last words of the names of its base classes.
        start: first byte of all of it in the file's text.
        end: the byte behind its last.
    """

    name: str
    qualified_name: str
    kind: str
    signature: str
    doc: str
    line: int
    parent: str
    bases: tuple[str, ...]
    start: int
    end: int
    path: str
    language: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A stored piece of a file that holds some of the words that were asked for.

    Attributes:
        score: grows with the number and the rarity of the words.
        start: first byte in the file's text.
        end: the byte behind its last.
        line: first line, from zero.
        end_line: the line behind its last.
    """

    score: float
    name: str
    start: int
    end: int
    line: int
    end_line: int
    path: str
    language: str
    size: int
    mtime_ns: int


class ReadStore:
    """Read-only connections to one store, lent to one thread at a time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        # Guarded by the lock. The number grows when the file was replaced, so that a connection to the old file that
        # is lent out at that moment is not taken back.
        self._idle: list[sqlite3.Connection] = []
        self._n_resets = 0

    @property
    def n_resets(self) -> int:
        """How often the file was replaced; tells trouble with an old file from trouble with this one."""
        return self._n_resets

    def definitions(self, root: Path, names: Iterable[str]) -> dict[str, list[DefinitionRow]]:
        """Definitions of each of `names` in the workspace at `root`, in no order.

        Raises:
            StoreError: the store cannot be read now; so do all methods here.
        """
        return self._of_each(_DEFINITIONS, root, names, _MAX_ROWS_PER_NAME)

    def members(self, root: Path, owners: Iterable[str]) -> dict[str, list[DefinitionRow]]:
        """What is defined directly in anything called by each of `owners`, file by file in order of the text."""
        return self._of_each(_MEMBERS, root, owners, _MAX_MEMBERS)

    def top_level(self, root: Path, path: str) -> list[DefinitionRow]:
        """What a file defines outside of everything, in order of its text."""
        return list(map(_definition_row, self._rows(_TOP_LEVEL, str(root), path)))

    def imports(self, root: Path, path: str) -> list[Import]:
        """What a file imports."""
        return [Import(*row) for row in self._rows(_IMPORTS, str(root), path)]

    def n_files_with(self, root: Path, names: Iterable[str], but: Iterable[str]) -> dict[str, int]:
        """How many files define or use each of `names` that any does, those at the paths `but` left out."""
        return dict(self._rows(_N_FILES_WITH, json.dumps(list(names)), str(root), json.dumps(list(but))))

    def files(self, root: Path) -> list[tuple[str, str]]:
        """All files, by path, with their languages."""
        return self._rows(_ALL, str(root))

    def with_stem(self, root: Path, stem: str) -> list[tuple[str, str]]:
        """Files whose names come down to `stem`, with their languages; see `counterparts.stem_of`."""
        return self._rows(_WITH_STEM, str(root), stem)

    def known(self, root: Path, paths: Iterable[str]) -> frozenset[str]:
        """Those of `paths` that a survey of the workspace has found, so that they are not ignored."""
        return frozenset(path for path, _ in self._rows(_KNOWN, str(root), json.dumps(list(paths))))

    def n_chunks(self) -> int:
        """About how many pieces there are to search, those of all workspaces together."""
        return int(self._rows(_N_CHUNKS)[0][0])

    def n_holding(self, words: Iterable[str]) -> dict[str, int]:
        """How many pieces hold each of `words`; those that none holds are left out."""
        return dict(self._rows(_N_HOLDING, json.dumps(list(words))))

    def matching(
        self, root: Path, groups: Iterable[Sequence[str]], but: Iterable[str], languages: Iterable[str], limit: int
    ) -> list[MatchRow]:
        """The best pieces that hold all words of some group.

        Args:
            root: the workspace.
            groups: at least one; see `words.asked_for`.
            but: paths of files that are left out.
            languages: of the files to search; all where there are none.
            limit: most pieces.
        """
        if not self._rows(_HAS_SEARCH)[0][0]:
            return []
        # Each word is quoted, so that none is taken for a sign of the query's own language.
        question = " OR ".join(f"({' AND '.join(map(_quoted, group))})" for group in groups)
        left_out, wanted = json.dumps(list(but)), json.dumps(list(languages))
        return [MatchRow(*row) for row in self._rows(_MATCHING, question, str(root), left_out, wanted, limit)]

    def reset(self) -> None:
        """Close all connections: the file was replaced, or is not needed any more."""
        with self._lock:
            idle, self._idle = self._idle, []
            self._n_resets += 1
        for connection in idle:
            connection.close()

    def _of_each(self, statement: str, root: Path, names: Iterable[str], limit: int) -> dict[str, list[DefinitionRow]]:
        """The answers of one of the statements about many names, by these."""
        found: dict[str, list[DefinitionRow]] = {name: [] for name in names}
        for name, *row in self._rows(statement, json.dumps(list(found)), str(root), limit):
            found[name].append(_definition_row(row))
        return found

    def _rows(self, statement: str, *values: str | int) -> list[Any]:
        with translated_errors(self._path), self._lent() as connection:
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def _lent(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
            n_resets = self._n_resets
        if connection is None:
            connection = sqlite3.connect(
                f"{self._path.as_uri()}?mode=ro", uri=True, timeout=_BUSY_S, check_same_thread=False
            )
        try:
            yield connection
        except BaseException:
            connection.close()
            raise
        with self._lock:
            if n_resets == self._n_resets:
                self._idle.append(connection)
                return
        connection.close()


def _definition_row(row: Sequence[Any]) -> DefinitionRow:
    name, qualified_name, kind, signature, doc, line, parent, bases, *rest = row
    named_bases = tuple(bases.split()) if bases else ()
    return DefinitionRow(name, qualified_name, kind, signature, doc, line, parent, named_bases, *rest)


def _quoted(word: str) -> str:
    doubled = word.replace('"', '""')
    return f'"{doubled}"'
