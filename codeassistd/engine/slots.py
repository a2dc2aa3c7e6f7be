"""Which slot of the cache holds which tokens, and which slot a new prompt gets.

A slot is one sequence of the backend. Its tokens stay after a generation has ended, so that the next prompt that
begins alike reads only what is new. Pure bookkeeping: the caller carries every change over to the backend.

Choice of a slot for a prompt, among those that are not running:
  1. the asking client's own slot with the longest common prefix, if that prefix is at least half of the prompt or of
     the slot: less is a different file, and writing over it would only make the client read both again and again;
  2. an empty slot, so that no one's warm slot is lost while there is room;
  3. the least recently used slot of the client that keeps the most, the asker's own where several keep as many: one
     client can fill the cache while it is alone, and gives way when a second one comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

__all__ = ["Slot", "Slots", "common_prefix"]


def common_prefix(left: list[int], right: list[int]) -> int:
    """How many tokens both begin with."""
    n_max = min(len(left), len(right))
    # Whole-slice comparison runs in C; the bisection finds the first difference in log(n) such comparisons.
    low, high = 0, n_max
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(slots=True)
class Slot:
    """One sequence of the backend.

    Attributes:
        tokens: what the cache holds for it, from position 0.
        client: who used it last.
        used: counts up with each use; the least is the oldest.
        running: a generation has it now.
    """

    index: int
    tokens: list[int] = field(default_factory=list)
    client: str = ""
    used: int = 0
    running: bool = False


class Slots:
    """The slots of one backend context."""

    def __init__(self, n_slots: int, n_ctx: int) -> None:
        self._slots = [Slot(index) for index in range(n_slots)]
        self._n_ctx = n_ctx
        self._uses = 0

    def __len__(self) -> int:
        return len(self._slots)

    def __getitem__(self, index: int) -> Slot:
        return self._slots[index]

    @property
    def cells_used(self) -> int:
        """Tokens in the cache."""
        return sum(len(slot.tokens) for slot in self._slots)

    @property
    def cells_total(self) -> int:
        """Tokens that the cache can hold."""
        return len(self._slots) * self._n_ctx

    @property
    def has_idle(self) -> bool:
        """Whether a prompt could get a slot now."""
        return any(not slot.running for slot in self._slots)

    def take(self, tokens: list[int], client: str) -> Slot | None:
        """Give `tokens` the slot that fits best and cut it to what both begin with; None if all are running.

        At least the last token is left to be read, since only reading it tells what comes next.
        """
        slot = self._choose(tokens, client)
        if slot is None:
            return None
        n_kept = min(common_prefix(slot.tokens, tokens), len(tokens) - 1)
        del slot.tokens[n_kept:]
        slot.client = client
        slot.running = True
        self._touch(slot)
        return slot

    def extend(self, index: int, tokens: Iterable[int]) -> None:
        """Record tokens that a step has read into a slot."""
        self._slots[index].tokens.extend(tokens)

    def cut(self, index: int, n_kept: int) -> None:
        """Record that the backend kept only the first `n_kept` tokens of a slot."""
        del self._slots[index].tokens[n_kept:]

    def release(self, index: int) -> None:
        """A generation gave its slot back; the tokens stay."""
        slot = self._slots[index]
        slot.running = False
        self._touch(slot)

    def forget(self) -> None:
        """The backend's cache was cleared."""
        for slot in self._slots:
            slot.tokens.clear()

    def check_integrity(self) -> None:
        """Raise AssertionError if the books do not add up; for tests."""
        for index, slot in enumerate(self._slots):
            assert slot.index == index  # noqa: S101 - an audit
            assert len(slot.tokens) <= self._n_ctx  # noqa: S101
            assert 0 <= slot.used <= self._uses  # noqa: S101

    def _touch(self, slot: Slot) -> None:
        self._uses += 1
        slot.used = self._uses

    def _choose(self, tokens: list[int], client: str) -> Slot | None:
        idle = [slot for slot in self._slots if not slot.running]
        if not idle:
            return None
        own = [slot for slot in idle if slot.client == client and slot.tokens]
        if own:
            best = max(own, key=lambda slot: (common_prefix(slot.tokens, tokens), slot.used))
            if 2 * common_prefix(best.tokens, tokens) >= min(len(best.tokens), len(tokens)):
                return best
        empty = next((slot for slot in idle if not slot.tokens), None)
        if empty is not None:
            return empty
        held = Counter(slot.client for slot in self._slots)
        return min(idle, key=lambda slot: (-held[slot.client], slot.client != client, slot.used))
