"""Keeps the history on disk and the gate in force, on a thread of its own: nothing on the loop waits for a disk.

The one writer of its store in this process. What goes wrong with the disk costs history and nothing else: it is told
once, in the log and in `problem`, and the gate goes back to the constants.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.completion.history.learn import GateInForce, learn
from codeassistd.completion.history.record import Check, Fate, Record
from codeassistd.completion.history.store import HistoryStore, open_or_remake
from codeassistd.completion.weights import CONSTANTS
from codeassistd.errors import CodeassistdError

__all__ = ["Journal"]

_log = logging.getLogger(__name__)

#: Writes that may wait; a disk that hangs must not take the memory too.
_MAX_WAITING = 1000
#: The gate is fitted anew after so many outcomes, to the newest so many suggestions.
_LEARN_EVERY = 25
_LEARN_FROM = 2000
#: Rows are counted and old ones dropped after so many new ones.
_PRUNE_EVERY = 200


class Journal:
    """Takes what is to be kept; every method returns at once.

    Attributes:
        gate: what judges now; replaced as a whole by the journal's thread.
        problem: why nothing can be kept, in one line; empty if all is well.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="history")
        self._is_closed = False
        self._n_given = 0
        # From here on: the thread's own; `_n_done`, `gate` and `problem` are read elsewhere.
        self._n_done = 0
        self._store: HistoryStore | None = None
        self._n_added = self._n_decided = 0
        self.gate = GateInForce(CONSTANTS, "constants", "the history is being read")
        self.problem = ""
        self._submit(self._begin)

    def add(self, record: Record) -> None:
        """Keep a suggestion."""
        self._submit(lambda store: self._add(store, record))

    def decide(self, identity: str, fate: Fate, taken: float) -> None:
        """Keep what the user did with it."""
        self._submit(lambda store: self._decide(store, identity, fate, taken))

    def keep(self, identity: str, check: Check, share: float) -> None:
        """Keep how much of it is still there."""
        self._submit(lambda store: store.keep(identity, check, share))

    def clear(self) -> Future[int]:
        """Forget everything; the future has the number of suggestions that were known.

        The future raises StoreError where that cannot be done.
        """
        return self._thread.submit(self._clear)

    def close(self) -> None:
        """Write what still waits, and give the file back; blocks for as long as that takes."""
        if not self._is_closed:
            self._is_closed = True
            self._thread.submit(self._end)
            self._thread.shutdown(wait=True)

    def flush(self) -> None:
        """Wait until all that was given so far is on its way to the disk; for tests and for reading afterwards."""
        self._thread.submit(lambda: None).result()

    def _submit(self, work: Callable[[HistoryStore], None]) -> None:
        if self._is_closed or self._n_given - self._n_done >= _MAX_WAITING:
            return
        self._n_given += 1
        self._thread.submit(self._work, work)

    def _work(self, work: Callable[[HistoryStore], None]) -> None:
        self._n_done += 1
        try:
            work(self._opened())
        except CodeassistdError as error:
            # What is damaged is set aside and made anew by the next work.
            self._fail(error)
        else:
            self.problem = ""

    def _opened(self) -> HistoryStore:
        if self._store is None:
            self._store, note = open_or_remake(self._path)
            if note:
                _log.warning("%s", note)
        return self._store

    def _fail(self, error: CodeassistdError) -> None:
        if str(error) != self.problem:
            _log.warning("%s", error)
        self.problem = str(error)
        self.gate = GateInForce(CONSTANTS, "constants", "the history cannot be read")
        if self._store is not None:
            self._store.close()
            self._store = None

    def _begin(self, store: HistoryStore) -> None:
        store.prune(self._clock.wall_s())
        self._learn(store)

    def _add(self, store: HistoryStore, record: Record) -> None:
        store.add(record)
        self._n_added += 1
        if self._n_added % _PRUNE_EVERY == 0:
            store.prune(self._clock.wall_s())

    def _decide(self, store: HistoryStore, identity: str, fate: Fate, taken: float) -> None:
        store.decide(identity, fate, taken)
        self._n_decided += 1
        if self._n_decided % _LEARN_EVERY == 0:
            self._learn(store)

    def _learn(self, store: HistoryStore) -> None:
        self.gate = learn(store.newest(_LEARN_FROM))

    def _clear(self) -> int:
        n_rows = self._opened().clear()
        self._learn(self._opened())
        return n_rows

    def _end(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None
