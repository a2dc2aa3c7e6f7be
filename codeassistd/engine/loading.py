"""One load of a model, on a thread of its own: whatever was loaded before goes on serving meanwhile.

Loads come one after the other: a load begins when the one before it, given up or not, has come to its end, so that no
more than one model is being read at a time. Only `wait` waits.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from codeassistd.engine.backend import Backend, BackendFactory
from codeassistd.errors import ModelLoadError

__all__ = ["Loading"]

_PROGRESS_STEP = 0.05
"""Share of a load after which the progress is told again."""


class Loading:
    """A load under way; begun by making it.

    Args:
        factory: loads the model, on the thread of this load.
        on_news: called on that thread when the load has got on or is over; must only pass a message on.
        is_wanted: asked on that thread whether the load goes on.
        after: the load that must be over first.

    Attributes:
        factory: the same.
        share: how much is loaded, from 0 to 1.
    """

    def __init__(
        self,
        factory: BackendFactory,
        on_news: Callable[[], None],
        is_wanted: Callable[[], bool],
        after: Loading | None = None,
    ) -> None:
        self.factory = factory
        self.share = 0.0
        self._on_news = on_news
        self._is_wanted = is_wanted
        self._after = after
        # The lock guards the three below it: what was loaded is closed by exactly one of the two threads.
        self._lock = threading.Lock()
        self._is_given_up = False
        self._is_over = False
        self._result: Backend | Exception | None = None
        self._thread = threading.Thread(target=self._run, name="engine-load", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end, good or bad."""
        with self._lock:
            return self._is_over

    def take(self) -> Backend | Exception:
        """What came of a load that is over; it belongs to the caller from then on."""
        with self._lock:
            result, self._result = self._result, None
        return result or RuntimeError("the load ended without a model")

    def give_up(self) -> None:
        """Have it end as soon as it looks up, and close what it may have loaded; returns at once."""
        with self._lock:
            self._is_given_up = True
            result, self._result = self._result, None
        _discard(result)

    def wait(self) -> None:
        """Wait for the end of it, and of those before it."""
        self._thread.join()

    def _run(self) -> None:
        if self._after is not None:
            self._after.wait()
            self._after = None
        result: Backend | Exception = ModelLoadError("the load was given up")
        try:
            if not self._is_given_up:
                result = self.factory(self._on_progress)
        except Exception as error:  # noqa: BLE001 - it belongs to whoever takes the result
            result = error
        with self._lock:
            self._is_over = True
            is_unwanted = self._is_given_up
            if not is_unwanted:
                self._result = result
        if is_unwanted:
            _discard(result)
        self._on_news()

    def _on_progress(self, share: float) -> bool:
        if share >= self.share + _PROGRESS_STEP:
            self.share = share
            self._on_news()
        return not self._is_given_up and self._is_wanted()


def _discard(result: Backend | Exception | None) -> None:
    if result is not None and not isinstance(result, Exception):
        result.close()
