"""The parsing worker: a process that reads files and sends rows, so that the daemon's lock is never held by a parser.

Started as `python -P -m codeassistd.index.worker`; it ends when its standard input does. A parser that hangs or
crashes takes this process and one file with it, nothing else.
"""

from __future__ import annotations

import faulthandler
import gc
import hashlib
import importlib
import os
import signal
import stat
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from codeassistd.index.decode import decode
from codeassistd.index.parsed import (
    INDEXED,
    NO_GRAMMAR,
    WALL_FACTOR,
    ChunkRow,
    Gone,
    Limits,
    Outcome,
    Parsed,
    ReferenceRow,
    SymbolRow,
    Unchanged,
    read_frame,
    wire_of,
    write_frame,
)
from codeassistd.index.words import WordBook
from codeassistd.syntax.facts import FileFacts, Symbol
from codeassistd.syntax.languages import Languages

__all__ = ["EXTRACTOR", "Extract", "Reader", "content_hash", "main"]

Extract = Callable[[str, bytes], FileFacts]

#: Where the parsing function is found by default, as `module:function`.
EXTRACTOR = "codeassistd.syntax.extract:extract"
_NICENESS = 10
_HASH_BYTES = 16
#: Objects that are made between two collections: about those of one large file.
_COLLECT_AFTER = 50_000
#: The worker's own last resort comes long after its parent would have ended it.
_GIVE_UP_FACTOR = 2 * WALL_FACTOR
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class Reader:
    """Reads and parses files one by one."""

    def __init__(self, extract: Extract, limits: Limits) -> None:
        self._extract = extract
        self._limits = limits
        self._words = WordBook()

    def read(self, path: Path, language: str, known_hash: bytes) -> Outcome:
        """What becomes of one file; never raises for what is in it or for how it lies on disk."""
        try:
            with os.fdopen(os.open(path, _OPEN_FLAGS), "rb") as file:
                info = os.fstat(file.fileno())
                if not stat.S_ISREG(info.st_mode):
                    return Gone()
                data = file.read(self._limits.max_bytes + 1)
        except OSError as error:
            return _unreadable(path, error)
        found_hash = content_hash(data)
        if found_hash == known_hash:
            return Unchanged(info.st_size, info.st_mtime_ns)
        return self._parsed(data, language, info, found_hash)

    def _parsed(self, data: bytes, language: str, info: os.stat_result, found_hash: bytes) -> Parsed:
        decoded = decode(data)
        content = decoded.content or b""
        if verdict := _reason_to_skip(len(data), decoded.content, self._limits):
            return Parsed(info.st_size, info.st_mtime_ns, b"", verdict)
        try:
            facts = self._extract(language, content)
        except Exception as error:  # noqa: BLE001 - the one guard per file: a bug in the extraction costs this file only
            return Parsed(info.st_size, info.st_mtime_ns, b"", f"failed: {type(error).__name__} in the parser")
        if facts.problems and not facts.symbols and not facts.references:
            return Parsed(info.st_size, info.st_mtime_ns, b"", NO_GRAMMAR)
        return Parsed(
            size=info.st_size,
            mtime_ns=info.st_mtime_ns,
            hash=found_hash,
            verdict=INDEXED if decoded.encoding == "utf-8" else f"{INDEXED}: as {decoded.encoding}",
            symbols=tuple(map(_symbol_row, facts.symbols)),
            references=_reference_rows(facts),
            imports=tuple((found.module, found.name, found.alias, found.line) for found in facts.imports),
            chunks=self._chunk_rows(facts, content),
        )

    def _chunk_rows(self, facts: FileFacts, content: bytes) -> tuple[ChunkRow, ...]:
        words_in = self._words.words_in
        return tuple(
            (
                chunk.name,
                chunk.start,
                chunk.end,
                chunk.line,
                chunk.end_line,
                " ".join(words_in(content[chunk.start : chunk.end])),
            )
            for chunk in facts.chunks
        )


def content_hash(data: bytes) -> bytes:
    """Names a content: two files with one hash are taken for the same text."""
    return hashlib.blake2b(data, digest_size=_HASH_BYTES).digest()


def main(arguments: list[str]) -> None:
    """Answer jobs from standard input until it ends.

    Args:
        arguments: the fields of `Limits` in their order, then `module:function` of the extraction.
    """
    max_bytes, max_line_bytes, timeout_s, extractor = arguments
    limits = Limits(int(max_bytes), int(max_line_bytes), float(timeout_s))
    # Ctrl-C in a terminal reaches the whole process group; the parent decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICENESS)
    jobs, answers = _private_streams()
    module, _, function = extractor.partition(":")
    extract: Extract = getattr(importlib.import_module(module), function)
    reader = Reader(extract, limits)
    # Queries are compiled when a file needs them: those of all languages together take longer than most crawls.
    Languages.default().load_bindings()
    # What is there by now stays, and rows hold no cycles: there is little to collect, and looking takes time.
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)
    _answer(answers, ())
    with Path(os.devnull).open("wb") as nowhere:
        while (job := read_frame(jobs)) is not None:
            path, language, known_hash = job
            # The parent enforces the limit. This is for a worker whose parent was killed while it was stuck; it works
            # without the interpreter's lock, which a stuck parser never gives back.
            faulthandler.dump_traceback_later(limits.timeout_s * _GIVE_UP_FACTOR, exit=True, file=nowhere)
            outcome = reader.read(Path(path), language, known_hash)
            faulthandler.cancel_dump_traceback_later()
            _answer(answers, wire_of(outcome))


def _answer(answers: BinaryIO, payload: tuple[Any, ...]) -> None:
    """Send `payload` behind what is true of the process by now.

    That is the processor time used so far, from which that of the next job is counted, and what could not be loaded.
    """
    times = os.times()
    write_frame(answers, (times.user + times.system, Languages.default().problems, payload))


def _private_streams() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output for frames only: whatever prints later prints to standard error."""
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return jobs, answers


def _reason_to_skip(n_bytes: int, content: bytes | None, limits: Limits) -> str:
    """The verdict on a file that is not to be parsed, or nothing; `content` is None where it is not text."""
    if n_bytes > limits.max_bytes:
        return limits.too_large
    if content is None:
        return "skipped: not text"
    if len(content) > limits.max_line_bytes and max(map(len, content.splitlines())) > limits.max_line_bytes:
        return limits.line_too_long
    return ""


def _unreadable(path: Path, error: OSError) -> Outcome:
    """The outcome for a file that is there but cannot be opened; a link that took its place counts as gone."""
    try:
        info = path.lstat()
    except OSError:
        return Gone()
    if not stat.S_ISREG(info.st_mode):
        return Gone()
    return Parsed(info.st_size, info.st_mtime_ns, b"", f"failed: cannot be read ({error.strerror})")


def _symbol_row(symbol: Symbol) -> SymbolRow:
    return (
        symbol.name,
        symbol.kind,
        symbol.qualified_name,
        symbol.signature,
        symbol.doc,
        symbol.start,
        symbol.end,
        symbol.name_start,
        symbol.name_end,
        symbol.line,
        symbol.parent,
        symbol.parent.rpartition(".")[2],
        " ".join(symbol.bases),
    )


def _reference_rows(facts: FileFacts) -> tuple[ReferenceRow, ...]:
    """One row per name: scoring needs how often a file uses it, not each place."""
    counts = Counter(reference.name for reference in facts.references)
    first: dict[str, int] = {}
    for reference in facts.references:
        first.setdefault(reference.name, reference.line)
    return tuple((name, count, first[name]) for name, count in counts.items())


if __name__ == "__main__":
    main(sys.argv[1:])
