"""A store on a thread of its own, so that nobody on the loop waits for a disk without knowing it.

It is opened when it is first needed. What goes wrong with it costs what was to be kept and nothing else: it is told
once, in the log and in `problem`, and the next work opens the store anew.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from codeassistd.errors import CodeassistdError

__all__ = ["StoreThread"]

_log = logging.getLogger(__name__)

#: Works that may wait; a disk that hangs must not take the memory too.
_MAX_WAITING = 1000


class _Closable(Protocol):
    def close(self) -> None:
        """Give the file back."""


_Store = TypeVar("_Store", bound=_Closable)
_Result = TypeVar("_Result")


class StoreThread(Generic[_Store]):
    """The one user of its store in this process; called by one thread.

    Args:
        name: of the thread.
        path: where the store lies.
        open_store: opens it, with a line about what had to be done for that; called on the thread.
        on_failure: called on the thread each time that something went wrong.
    """

    def __init__(
        self,
        name: str,
        path: Path,
        open_store: Callable[[Path], tuple[_Store, str]],
        on_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self._path = path
        self._open_store = open_store
        self._on_failure = on_failure
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._is_closed = False
        self._n_given = 0
        # From here on: the thread's own; `_n_done` and `_problem` are read elsewhere.
        self._n_done = 0
        self._store: _Store | None = None
        self._problem = ""

    @property
    def problem(self) -> str:
        """Why nothing can be kept, in one line; empty if all is well."""
        return self._problem

    def ask(self, work: Callable[[_Store], _Result]) -> Future[_Result]:
        """Do something with the store; the future raises StoreError where that cannot be done."""
        return self._thread.submit(lambda: work(self._opened()))

    def attempt(self, work: Callable[[_Store], _Result], otherwise: _Result) -> Future[_Result]:
        """Do something with the store if it can be done; the future has `otherwise` where it cannot."""
        if self._is_closed or self._n_given - self._n_done >= _MAX_WAITING:
            refused: Future[_Result] = Future()
            refused.set_result(otherwise)
            return refused
        self._n_given += 1
        tried = self._thread.submit(self._guarded, work, otherwise)
        tried.add_done_callback(_tell)
        return tried

    def flush(self) -> None:
        """Wait until all that was given so far is on its way to the disk; for tests and for reading afterwards."""
        self._thread.submit(lambda: None).result()

    def close(self) -> None:
        """Do what still waits, and give the file back; blocks for as long as that takes."""
        if not self._is_closed:
            self._is_closed = True
            self._thread.submit(self._let_go)
            self._thread.shutdown(wait=True)

    # --- on the thread ---

    def _guarded(self, work: Callable[[_Store], _Result], otherwise: _Result) -> _Result:
        self._n_done += 1
        try:
            result = work(self._opened())
        except CodeassistdError as error:
            # What is damaged is set aside and made anew by the next work.
            self._fail(error)
            return otherwise
        self._problem = ""
        return result

    def _opened(self) -> _Store:
        if self._store is None:
            self._store, note = self._open_store(self._path)
            if note:
                _log.warning("%s", note)
        return self._store

    def _fail(self, error: CodeassistdError) -> None:
        if str(error) != self._problem:
            _log.warning("%s", error)
        self._problem = str(error)
        self._on_failure()
        self._let_go()

    def _let_go(self) -> None:
        if self._store is not None:
            self._store.close()
            self._store = None


def _tell(tried: Future[_Result]) -> None:
    """What nobody foresaw must not pass unseen: most of those who give work do not look what came of it."""
    error = None if tried.cancelled() else tried.exception()
    if error is not None:
        _log.error("a store failed in a way that nobody foresaw", exc_info=error)
