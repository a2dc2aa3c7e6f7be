"""Which slot of the cache holds which tokens, and which slot a new prompt gets.

A slot is one sequence of the backend. Its tokens stay after a generation has ended, so that the next prompt that
begins alike reads only what is new. Pure bookkeeping: what the backend must do stands in `moves`, in order, and the
caller carries it over before the next step.

Choice of a slot for a prompt, among those that are not running:
  1. the asking client's own slot with the longest common prefix, if that prefix is at least half of the prompt or of
     the slot: less is a different file, and writing over it would only make the client read both again and again;
  2. an empty slot, so that no one's warm slot is lost while there is room;
  3. of the client that keeps the most, the asker's own where several keep as many: the slot of background work or a
     pre-warmed prompt, else the least recently used one. One client can fill the cache while it is alone, and gives
     way when a second one comes.

A slot that is written over is saved first, if it is worth it. And where another slot or a saved state has more of the
prompt than the chosen slot, that is copied into it, if that is quicker than reading. The copy is the slot's own: cells
are never shared, since each slot is a stream of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from codeassistd.engine.prefix_cache import Holder, Place, PrefixCache
from codeassistd.engine.request import Priority

__all__ = ["N_WORTH", "Cut", "Keeping", "Move", "Restore", "Save", "Slot", "Slots", "common_prefix"]

N_WORTH = 64
"""Tokens that must be at stake for a slot to be saved or restored; fewer are read in one short step."""


def _origin(source: Holder | None, n_kept: int) -> str:
    if source is None:
        return "slot" if n_kept else ""
    return "another slot" if source.place is Place.SLOT else source.place.value


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
        n_prompt: how many of them were asked for; what comes after is an answer, which hardly ever comes back.
        client: who used it last.
        running: a generation has it now.
        origin: where the start of its prompt came from: this `slot`, `another slot`, `memory` or `disk`; empty where
            nothing was known of it.
        holder: the same tokens in the prefix cache.
    """

    index: int
    holder: Holder
    tokens: list[int] = field(default_factory=list)
    n_prompt: int = 0
    client: str = ""
    running: bool = False
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Save:
    """Write a slot out as the saved state `target`; it is locked until `Slots.saved` or `Slots.lost`."""

    slot: int
    target: Holder


@dataclass(frozen=True, slots=True)
class Restore:
    """Put what `source` holds in place of a slot; `source` is locked until `Slots.restored` or `Slots.lost`."""

    source: Holder
    slot: int


@dataclass(frozen=True, slots=True)
class Cut:
    """Forget a slot's tokens from `n_kept` on."""

    slot: int
    n_kept: int


Move = Save | Restore | Cut


@dataclass(frozen=True, slots=True)
class Keeping:
    """What is kept beside the slots.

    Attributes:
        max_bytes: of states saved in memory; 0 saves none.
        pays: whether bringing in so many bytes is quicker than reading so many tokens; never, if not given.
        can_cut: False where the model's memory only forgets whole sequences: then a prefix is only of use if all of it
            is in the prompt, and slots are saved when their prompt has been read (`Slots.checkpoint`).
    """

    max_bytes: int = 0
    pays: Callable[[int, int], bool] = lambda _n_tokens, _n_bytes: False
    can_cut: bool = True


class Slots:
    """The slots of one backend context, and the saved states beside them.

    Attributes:
        cache: all prefixes, those of the slots and the saved ones.
    """

    def __init__(self, n_slots: int, n_ctx: int, keeping: Keeping | None = None) -> None:
        self.cache = PrefixCache()
        self._slots = [Slot(index, Holder(Place.SLOT, index)) for index in range(n_slots)]
        self._n_ctx = n_ctx
        self._keeping = keeping or Keeping()
        self._n_saved = 0
        self._bytes_per_token = 0.0
        self._moves: list[Move] = []
        self._dropped: list[Holder] = []
        for slot in self._slots:
            self.cache.insert(slot.holder, ())

    def __len__(self) -> int:
        return len(self._slots)

    def __getitem__(self, index: int) -> Slot:
        return self._slots[index]

    @property
    def cells_used(self) -> int:
        """Tokens in the cache."""
        return sum(len(slot.tokens) for slot in self._slots)

    @property
    def cells_held(self) -> int:
        """Tokens that the slots with any tokens could hold: what they do not use is of no use to others meanwhile."""
        return sum(self._n_ctx for slot in self._slots if slot.tokens)

    @property
    def cells_total(self) -> int:
        """Tokens that the cache can hold."""
        return len(self._slots) * self._n_ctx

    @property
    def has_idle(self) -> bool:
        """Whether a prompt could get a slot now."""
        return any(not slot.running for slot in self._slots)

    def take(self, tokens: list[int], client: str, priority: Priority = Priority.COMPLETION) -> Slot | None:
        """Give `tokens` a slot and have it hold as much of them as can be had; None if all are running.

        At least the last token is left to be read, since only reading it tells what comes next.
        """
        common = {match.holder: match.n_common for match in self.cache.match(tokens)}
        slot, is_own = self._choose(common, tokens, client)
        if slot is None:
            return None
        usable = {holder: self._usable(holder, n_common, tokens) for holder, n_common in common.items()}
        n_kept = usable.get(slot.holder, 0)
        source = self._source(usable, slot, n_kept)
        if self._keeping.can_cut and (source is not None or not is_own):
            self._save_if_worth(slot, n_kept)
        if source is None:
            self._cut(slot, n_kept)
        else:
            self._restore(source, slot, usable[source])
        slot.client = slot.holder.client = client
        slot.holder.priority = priority
        slot.n_prompt = len(tokens)
        slot.origin = _origin(source, n_kept)
        slot.running = True
        self.cache.touch(slot.holder)
        return slot

    def extend(self, index: int, tokens: Iterable[int]) -> None:
        """Record tokens that a step has read into a slot."""
        new = list(tokens)
        slot = self._slots[index]
        slot.tokens += new
        self.cache.extend(slot.holder, new)

    def cut(self, index: int, n_kept: int) -> None:
        """Record that the backend kept only the first `n_kept` tokens of a slot."""
        slot = self._slots[index]
        del slot.tokens[n_kept:]
        self.cache.cut(slot.holder, n_kept)

    def release(self, index: int) -> None:
        """A generation gave its slot back; the tokens stay."""
        slot = self._slots[index]
        slot.running = False
        self.cache.touch(slot.holder)

    def checkpoint(self, index: int) -> None:
        """A slot's prompt has been read to its end: have it saved, where it could not be cut back to it later."""
        slot = self._slots[index]
        if not self._keeping.can_cut:
            self._save_if_worth(slot, 0)

    def forget(self) -> None:
        """The backend's cache was cleared, and what was not carried over will not be; saved states stay."""
        self._moves.clear()
        for holder in self.cache:
            while holder.locks:
                self.cache.unlock(holder)
            if holder.place is Place.MEMORY and holder.n_bytes == 0:
                self._drop(holder)
        for slot in self._slots:
            self.cut(slot.index, 0)

    # --- what the caller carries over ---

    def take_moves(self) -> list[Move]:
        """What the backend has to do now, in order; all but `Cut` are answered by `saved`, `restored` or `lost`."""
        moves, self._moves = self._moves, []
        return moves

    def take_dropped(self) -> list[Holder]:
        """Saved states that are gone since the last call: free their data."""
        dropped, self._dropped = self._dropped, []
        return dropped

    def saved(self, target: Holder, n_bytes: int) -> None:
        """A slot has been written out; makes room for it among the saved states."""
        self.cache.unlock(target)
        target.n_bytes = n_bytes
        self._bytes_per_token = n_bytes / max(1, target.n_tokens)
        self._dropped += self.cache.evict(Place.MEMORY, self._keeping.max_bytes)

    def restored(self, source: Holder) -> None:
        """A saved state is in its slot."""
        self.cache.unlock(source)
        self.cache.touch(source)

    def lost(self, holder: Holder) -> None:
        """A saved state could not be made, or cannot be brought back."""
        self.cache.unlock(holder)
        if holder.place is not Place.SLOT:
            self._drop(holder)

    def forget_clients(self, is_gone: Callable[[str], bool]) -> None:
        """Let go of what was read for some clients, but for slots that run and states on their way."""
        for slot in self._slots:
            if not slot.running and is_gone(slot.client):
                self._cut(slot, 0)
                slot.client = slot.holder.client = ""
        for holder in self.cache:
            if holder.place is not Place.SLOT and not holder.locks and is_gone(holder.client):
                self._drop(holder)

    def add_saved(self, number: int, tokens: Sequence[int], n_bytes: int, client: str = "") -> Holder:
        """Know of a state that lies on disk."""
        holder = Holder(Place.DISK, number, n_bytes=n_bytes, client=client)
        self.cache.insert(holder, tokens)
        return holder

    def check_integrity(self) -> None:
        """Raise AssertionError if the books do not add up; for tests."""
        # ruff: noqa: S101 - an audit
        self.cache.check_integrity()
        held = set(self.cache)
        for index, slot in enumerate(self._slots):
            assert slot.index == index
            assert len(slot.tokens) <= self._n_ctx
            assert slot.holder in held
            assert slot.tokens == self.cache.tokens_of(slot.holder)
        if not self._moves:
            assert not any(holder.locks for holder in held)
            assert self.cache.n_bytes(Place.MEMORY) <= self._keeping.max_bytes

    def _usable(self, holder: Holder, n_common: int, tokens: list[int]) -> int:
        """How many of the tokens that a holder has in common with a prompt could be used for it."""
        if self._keeping.can_cut:
            return min(n_common, len(tokens) - 1)
        return n_common if holder.n_tokens == n_common < len(tokens) else 0

    def _choose(self, common: dict[Holder, int], tokens: list[int], client: str) -> tuple[Slot | None, bool]:
        """The slot for a prompt, and whether it is one that the client goes on in."""
        idle = [slot for slot in self._slots if not slot.running]
        if not idle:
            return None, False
        own = [slot for slot in idle if slot.client == client and slot.tokens]
        if own:
            best = max(own, key=lambda slot: (common.get(slot.holder, 0), slot.holder.used))
            if 2 * common.get(best.holder, 0) >= min(len(best.tokens), len(tokens)):
                return best, True
        empty = next((slot for slot in idle if not slot.tokens), None)
        if empty is not None:
            return empty, False
        held = Counter(slot.client for slot in self._slots)
        return min(idle, key=lambda slot: (-held[slot.client], slot.client != client, *slot.holder.worth)), False

    def _source(self, usable: dict[Holder, int], slot: Slot, n_kept: int) -> Holder | None:
        """What to copy into the slot, if anything has so much more of the prompt that it is worth it."""
        others = [holder for holder in usable if holder is not slot.holder]
        if not others:
            return None
        # Of those that have as much, the shortest: there is the least to copy.
        best = max(others, key=lambda holder: (usable[holder], -holder.n_tokens))
        n_gained = usable[best] - n_kept
        n_bytes = best.n_bytes or round(best.n_tokens * self._bytes_per_token)
        return best if n_gained >= N_WORTH and self._keeping.pays(n_gained, n_bytes) else None

    def _save_if_worth(self, slot: Slot, n_kept: int) -> None:
        """Save a slot, unless what would be lost is little, too big, or held by another one as well."""
        n_lost = min(len(slot.tokens), slot.n_prompt) - n_kept
        n_bytes = round(len(slot.tokens) * self._bytes_per_token)
        has_room = 0 < self._keeping.max_bytes >= n_bytes
        if n_lost < N_WORTH or not has_room or not self._keeping.pays(n_lost, n_bytes):
            return
        for holder, n_common in self._alike(slot):
            if holder.place is not Place.SLOT and self._covers(holder.n_tokens, n_common, slot):
                self.cache.touch(holder)
                return
        self._n_saved += 1
        target = Holder(Place.MEMORY, self._n_saved, slot.holder.priority, client=slot.client)
        covered = [holder for holder, n_common in self._alike(slot) if self._is_less(holder, n_common)]
        for holder in covered:
            self._drop(holder)
        self.cache.insert(target, slot.tokens)
        target.used = slot.holder.used  # being saved is no use of it
        self.cache.lock(target)
        self._moves.append(Save(slot.index, target))

    def _alike(self, slot: Slot) -> list[tuple[Holder, int]]:
        return [(match.holder, match.n_common) for match in self.cache.match(slot.tokens)]

    def _covers(self, n_held: int, n_common: int, slot: Slot) -> bool:
        """Whether a saved state has, but for a few tokens, all of a slot that is worth keeping."""
        if not self._keeping.can_cut:
            return n_held == n_common == len(slot.tokens)
        return n_common > min(len(slot.tokens), slot.n_prompt) - N_WORTH

    def _is_less(self, holder: Holder, n_common: int) -> bool:
        """Whether a state saved in memory adds nothing to a slot that has `n_common` tokens of it."""
        is_free = holder.place is Place.MEMORY and not holder.locks
        return is_free and self._keeping.can_cut and n_common == holder.n_tokens

    def _restore(self, source: Holder, slot: Slot, n_kept: int) -> None:
        tokens = self.cache.tokens_of(source)
        self.cache.lock(source)
        self._moves.append(Restore(source, slot.index))
        self.cut(slot.index, 0)
        self.extend(slot.index, tokens)
        self._cut(slot, n_kept)

    def _cut(self, slot: Slot, n_kept: int) -> None:
        if n_kept < len(slot.tokens):
            self._moves.append(Cut(slot.index, n_kept))
            self.cut(slot.index, n_kept)

    def _drop(self, holder: Holder) -> None:
        if holder in self.cache:
            self.cache.remove(holder)
            self._dropped.append(holder)
