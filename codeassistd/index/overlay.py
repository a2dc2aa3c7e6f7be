"""What editors show and have not saved: open documents, which count in place of their files' rows.

Each editor has its own documents. Where several have one file open, the one who asks sees its own text, and of the
others' the one that came last. Nothing of it outlives its document or its editor, and nothing is ever stored.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

from codeassistd.documents.secrets import is_secret
from codeassistd.index.words import WordBook
from codeassistd.syntax.facts import Chunk, FileFacts, Symbol

__all__ = ["OpenFile", "Overlay"]


class OpenFile:
    """One version of an open document; what is asked of it is worked out once, by whoever asks first.

    Two threads may do so at the same time: they come to the same result, and one of the two is kept.
    """

    def __init__(
        self, content: bytes, facts: FileFacts, before: OpenFile | None = None, *, is_new: bool = False
    ) -> None:
        """Take a version.

        Args:
            content: UTF-8, with the offsets of `facts`.
            facts: what the parser says about `content`.
            before: the version before, most pieces of which are in this one, too.
            is_new: whether it counts without a file that a survey could find: it was never saved, and is not ignored.
        """
        self.content = content
        self.is_new = is_new
        self.facts = facts
        self._known: Mapping[bytes, frozenset[str]] = {} if before is None else before.__dict__.get("_words", {})

    def named(self, name: str) -> Sequence[Symbol]:
        """Definitions of `name`."""
        return self._by_name.get(name, ())

    def owned(self, owner: str) -> Sequence[Symbol]:
        """What is defined directly in something called `owner`."""
        return self._by_owner.get(owner, ())

    @cached_property
    def names(self) -> frozenset[str]:
        """Every name that is defined or used."""
        return frozenset(self._by_name).union(reference.name for reference in self.facts.references)

    def chunks(self) -> Iterator[tuple[Chunk, frozenset[str]]]:
        """The pieces, each with the words that it can be found by."""
        for chunk in self.facts.chunks:
            yield chunk, self._words[self.bytes_of(chunk)]

    def bytes_of(self, chunk: Chunk) -> bytes:
        """The text of a piece."""
        return self.content[chunk.start : chunk.end]

    @cached_property
    def _words(self) -> dict[bytes, frozenset[str]]:
        book, known, self._known = WordBook(), self._known, {}
        texts = map(self.bytes_of, self.facts.chunks)
        return {text: known.get(text) or frozenset(book.words_in(text)) for text in texts}

    @cached_property
    def _by_name(self) -> Mapping[str, Sequence[Symbol]]:
        found = defaultdict[str, list[Symbol]](list)
        for symbol in self.facts.symbols:
            found[symbol.name].append(symbol)
        return found

    @cached_property
    def _by_owner(self) -> Mapping[str, Sequence[Symbol]]:
        found = defaultdict[str, list[Symbol]](list)
        for symbol in self.facts.symbols:
            if symbol.parent:
                found[symbol.parent.rpartition(".")[2]].append(symbol)
        return found


class Overlay:
    """The open documents of all editors; any thread may write and read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By path and client, the newest last. Replaced whole under the lock, so that readers need none.
        self._files: Mapping[Path, dict[str, OpenFile]] = {}

    def put(self, client: str, path: Path, content: bytes, facts: FileFacts, *, is_new: bool = False) -> None:
        """Take the newest version of a document that `client` shows; `is_new` as `OpenFile` has it.

        A secret file's is not taken. One that was not parsed (too large, no grammar) says nothing, so its file counts.
        """
        if is_secret(path):
            return
        if facts.problems and not facts.symbols:
            self.drop(client, path)
            return
        with self._lock:
            others = dict(self._files.get(path, {}))
            others[client] = OpenFile(content, facts, others.pop(client, None), is_new=is_new)
            self._files = {**self._files, path: others}

    def drop(self, client: str, path: Path) -> None:
        """`client` has closed a document."""
        with self._lock:
            others = {known: file for known, file in self._files.get(path, {}).items() if known != client}
            files = {known: by_client for known, by_client in self._files.items() if known != path}
            self._files = {**files, path: others} if others else files

    def drop_client(self, client: str) -> None:
        """`client` has left."""
        for path in [path for path, by_client in self._files.items() if client in by_client]:
            self.drop(client, path)

    def seen_by(self, client: str, root: Path) -> dict[str, OpenFile]:
        """The open documents inside `root`, by their relative paths with `/`."""
        return {
            path.relative_to(root).as_posix(): by_client.get(client) or next(reversed(by_client.values()))
            for path, by_client in self._files.items()
            if path.is_relative_to(root)
        }
