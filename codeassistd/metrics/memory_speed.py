"""How fast this machine reads its main memory: what the writing of a model on a processor is bound by."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from codeassistd.clock import Clock

__all__ = ["bytes_to_read", "memory_bytes_per_s"]

#: Of each thread: more than its share of the processor's caches.
_BLOCK_BYTES = 64 << 20
_N_ROUNDS = 4
_MOST_BYTES = 1 << 30


def bytes_to_read(n_threads: int) -> int:
    """Memory that the measuring takes while it lasts."""
    return _n_readers(n_threads) * _BLOCK_BYTES


def memory_bytes_per_s(n_threads: int, clock: Clock) -> float:
    """The fastest of a few rounds in which so many threads read their own block; takes about a fifth of a second.

    Read, and not copied, because weights are only read. Other programs make it look slower than it is.
    """
    n_readers = _n_readers(n_threads)
    blocks = [np.ones(_BLOCK_BYTES // 8, dtype=np.uint64) for _ in range(n_readers)]
    best = 0.0
    with ThreadPoolExecutor(n_readers) as readers:
        for _ in range(_N_ROUNDS):
            begun_s = clock.monotonic_s()
            # numpy lets the other threads run while it adds.
            list(readers.map(np.sum, blocks))
            took_s = clock.monotonic_s() - begun_s
            best = max(best, n_readers * _BLOCK_BYTES / took_s if took_s > 0 else 0.0)
    return best


def _n_readers(n_threads: int) -> int:
    return max(1, min(n_threads, _MOST_BYTES // _BLOCK_BYTES))
