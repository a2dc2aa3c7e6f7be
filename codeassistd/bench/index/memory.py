"""How much memory the index takes: the growth of the process that holds it, and all of its workers."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

__all__ = ["MemoryWatch"]

_INTERVAL_S = 0.02


class MemoryWatch:
    """Looks at this process and its children again and again, from a thread of its own."""

    def __init__(self) -> None:
        """Take what this process holds now as what the index has no part in."""
        self._process = psutil.Process()
        self._before_bytes = self._process.memory_info().rss
        self.peak_bytes = 0
        """The most at one time, since `watching` began."""

    def now_bytes(self) -> int:
        """Growth of this process, and all that its children hold."""
        total: int = self._process.memory_info().rss - self._before_bytes
        for child in self._process.children(recursive=True):
            try:
                total += child.memory_info().rss
            except psutil.NoSuchProcess:
                continue
        return total

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Note the peak until the block ends."""
        ended = threading.Event()
        thread = threading.Thread(target=self._watch, args=(ended,), name="memory-watch", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _watch(self, ended: threading.Event) -> None:
        while not ended.wait(_INTERVAL_S):
            self.peak_bytes = max(self.peak_bytes, self.now_bytes())
