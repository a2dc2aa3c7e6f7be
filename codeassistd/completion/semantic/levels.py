"""The two levels of the cache: entries in memory, and under them the store on disk, for which the disk may fail.

Belongs to one thread, but for `may_have` and `n_keys`. What goes wrong with the disk costs the disk's level and nothing
else: it is told once, in the log and in `problem`, and tried again later.
"""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.completion.semantic.entry import KeptAnswer, OddEntryError, pack, unpack, with_answer
from codeassistd.completion.semantic.store import SemanticStore, open_or_remake, remove_files
from codeassistd.errors import StoreError
from codeassistd.index.open_store import DamagedStoreError

__all__ = ["Levels"]

_log = logging.getLogger(__name__)

#: Some megabytes.
_MAX_IN_MEMORY = 2048
#: A disk that has failed is left alone for so long.
_RETRY_S = 60.0


@dataclass(frozen=True, slots=True)
class _Entry:
    root: Path
    answers: tuple[KeptAnswer, ...]


class Levels:
    """Answers by key.

    Attributes:
        problem: why nothing can be kept on disk, in one line; empty if all is well.
    """

    def __init__(self, folder: Path, max_bytes: int, clock: Clock) -> None:
        """Keep at most `max_bytes` in the store in `folder`, which is opened at the first use."""
        self._folder = folder
        self._max_bytes = max_bytes
        self._clock = clock
        self._memory: OrderedDict[bytes, _Entry] = OrderedDict()
        self._store: SemanticStore | None = None
        self._on_disk: set[bytes] = set()
        self._retry_at_s = 0.0
        self.problem = ""

    @property
    def n_keys(self) -> int:
        """About how many there are; from any thread."""
        return max(len(self._on_disk), len(self._memory))

    def may_have(self, key: bytes) -> bool:
        """Whether there may be answers of that key; from any thread, and touches no disk."""
        return key in self._memory or key in self._on_disk

    def open(self) -> None:
        """Find out what is on disk, if that can be had now."""
        if self._store is not None or self._clock.monotonic_s() < self._retry_at_s:
            return
        try:
            self._store, note = open_or_remake(self._folder, self._max_bytes)
            self._on_disk = self._store.keys()
        except StoreError as error:
            self._fail(error)
            return
        self.problem = ""
        if note:
            _log.warning("%s", note)

    def get(self, key: bytes, root: Path) -> tuple[KeptAnswer, ...]:
        """The answers of a key, which is one of the workspace at `root`."""
        entry = self._memory.get(key)
        if entry is not None:
            self._memory.move_to_end(key)
            return entry.answers
        answers = self._read(key)
        if answers:
            self._remember(key, _Entry(root, answers))
        return answers

    def put(self, key: bytes, root: Path, answer: KeptAnswer) -> None:
        """Keep one more answer."""
        answers = with_answer(self.get(key, root), answer)
        self._remember(key, _Entry(root, answers))
        self.open()
        if self._store is None:
            return
        try:
            self._store.put(key, pack(key, answers))
        except StoreError as error:
            self._fail(error)
        else:
            self._on_disk.add(key)

    def drop_workspace(self, root: Path) -> None:
        """Forget a workspace's answers in memory; those on disk wait for it."""
        for key in [key for key, entry in self._memory.items() if entry.root == root]:
            del self._memory[key]

    def clear(self) -> tuple[int, int]:
        """Forget everything, on disk too; answers how many files and bytes that were.

        Raises:
            StoreError: the files cannot be removed.
        """
        self._memory.clear()
        self._on_disk = set()
        self.close()
        return remove_files(self._folder)

    def close(self) -> None:
        """Give the database back."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def _read(self, key: bytes) -> tuple[KeptAnswer, ...]:
        if key not in self._on_disk:
            return ()
        self.open()
        if self._store is None:
            return ()
        try:
            data = self._store.get(key)
            if data is not None:
                return unpack(key, data)
            self._on_disk.discard(key)
        except OddEntryError as error:
            _log.warning("an entry of the semantic cache is left out and removed: %s", error)
            self._forget(key)
        except StoreError as error:
            self._fail(error)
        return ()

    def _forget(self, key: bytes) -> None:
        self._on_disk.discard(key)
        try:
            if self._store is not None:
                self._store.remove(key)
        except StoreError as error:
            self._fail(error)

    def _remember(self, key: bytes, entry: _Entry) -> None:
        self._memory[key] = entry
        self._memory.move_to_end(key)
        if len(self._memory) > _MAX_IN_MEMORY:
            self._memory.popitem(last=False)

    def _fail(self, error: StoreError) -> None:
        """The disk's level is out: what is damaged is made anew by the next use, all else is tried again later."""
        self.close()
        self._on_disk = set()
        if isinstance(error, DamagedStoreError) and self._is_removed():
            _log.warning("%s; it was removed and is made anew", error)
            return
        if str(error) != self.problem:
            _log.warning("%s", error)
        self.problem = str(error)
        self._retry_at_s = self._clock.monotonic_s() + _RETRY_S

    def _is_removed(self) -> bool:
        try:
            remove_files(self._folder)
        except StoreError:
            return False
        return True
