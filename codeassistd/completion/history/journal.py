"""Keeps the history on disk and the gate in force, on a thread of its own: nothing on the loop waits for a disk.

The one writer of its store in this process. What goes wrong with the disk costs history and nothing else: it is told
once, in the log and in `problem`, and the gate goes back to the constants.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.completion.history.learn import GateInForce, learn
from codeassistd.completion.history.record import Check, Fate, Record
from codeassistd.completion.history.store import HistoryStore
from codeassistd.completion.weights import CONSTANTS
from codeassistd.index.store_thread import StoreThread

__all__ = ["Journal"]

#: The gate is fitted anew after so many outcomes, to the newest so many suggestions.
_LEARN_EVERY = 25
_LEARN_FROM = 2000
#: Rows are counted and old ones dropped after so many new ones.
_PRUNE_EVERY = 200


class Journal:
    """Takes what is to be kept; every method returns at once.

    Attributes:
        gate: what judges now; replaced as a whole by the journal's thread.
    """

    def __init__(self, path: Path, clock: Clock) -> None:
        self._clock = clock
        self._thread = StoreThread("history", path, HistoryStore.open_or_remake, self._failed)
        # From here on: the thread's own; `gate` is read elsewhere.
        self._n_added = self._n_decided = 0
        self.gate = GateInForce(CONSTANTS, "constants", "the history is being read")
        self._submit(self._begin)

    @property
    def problem(self) -> str:
        """Why nothing can be kept, in one line; empty if all is well."""
        return self._thread.problem

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
        return self._thread.ask(self._clear)

    def close(self) -> None:
        """Write what still waits, and give the file back; blocks for as long as that takes."""
        self._thread.close()

    def flush(self) -> None:
        """Wait until all that was given so far is on its way to the disk; for tests and for reading afterwards."""
        self._thread.flush()

    def _submit(self, work: Callable[[HistoryStore], None]) -> None:
        self._thread.attempt(work, None)

    # --- on the thread ---

    def _failed(self) -> None:
        self.gate = GateInForce(CONSTANTS, "constants", "the history cannot be read")

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

    def _clear(self, store: HistoryStore) -> int:
        n_rows = store.clear()
        self._learn(store)
        return n_rows
