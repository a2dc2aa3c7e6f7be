"""One load of a model, on a thread of its own: whatever was loaded before goes on serving meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable

from codeassistd.engine.backend import Backend, BackendFactory

__all__ = ["Loading"]

_PROGRESS_STEP = 0.05
"""Share of a load after which the progress is told again."""


class Loading:
    """A load under way; begun by making it.

    Args:
        factory: loads the model, on the thread of this load.
        on_news: called on that thread when the load has got on or is over; must only pass a message on.
        is_wanted: asked on that thread whether the load goes on.

    Attributes:
        factory: the same.
        share: how much is loaded, from 0 to 1.
    """

    def __init__(self, factory: BackendFactory, on_news: Callable[[], None], is_wanted: Callable[[], bool]) -> None:
        self.factory = factory
        self.share = 0.0
        self._on_news = on_news
        self._is_wanted = is_wanted
        self._is_given_up = False
        self._backend: Backend | None = None
        self._error: Exception | None = None
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine-load", daemon=True)
        self._thread.start()

    @property
    def is_over(self) -> bool:
        """Whether it has come to its end, good or bad."""
        return self._over.is_set()

    def take(self) -> Backend | Exception:
        """What came of it, which belongs to the caller; waits for the end."""
        self._thread.join()
        if self._backend is not None:
            return self._backend
        return self._error or RuntimeError("the load ended without a model")

    def give_up(self) -> None:
        """End it as soon as it looks up, wait for that, and close what it may have loaded."""
        self._is_given_up = True
        loaded = self.take()
        if not isinstance(loaded, Exception):
            loaded.close()

    def _run(self) -> None:
        try:
            self._backend = self.factory(self._on_progress)
        except Exception as error:  # noqa: BLE001 - it belongs to whoever takes the result
            self._error = error
        self._over.set()
        self._on_news()

    def _on_progress(self, share: float) -> bool:
        if share >= self.share + _PROGRESS_STEP:
            self.share = share
            self._on_news()
        return not self._is_given_up and self._is_wanted()
