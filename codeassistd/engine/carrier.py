"""Carries out in the backend what the slots decided, and owns the data of saved states, in memory and on disk.

Lives on the engine's thread. Nothing here can fail a request: a state that cannot be saved or brought back is
forgotten, and its tokens are read instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.engine.backend import Backend, SavedState
from codeassistd.engine.prefix_cache import Holder, Place
from codeassistd.engine.request import Priority
from codeassistd.engine.restore_cost import RestoreCost
from codeassistd.engine.slots import N_WORTH, Cut, Keeping, Move, Restore, Save, Slots, common_prefix
from codeassistd.engine.state_folder import StateFolder

__all__ = ["CacheLimits", "Carrier"]


@dataclass(frozen=True, slots=True)
class CacheLimits:
    """How much of what was read is kept beside the slots.

    Attributes:
        memory_bytes: of states saved in memory; 0 saves none.
        disk_bytes: of states saved on disk when the engine ends; 0 saves none.
        folder: where; None saves none.
    """

    memory_bytes: int = 256 * 2**20
    disk_bytes: int = 0
    folder: Path | None = None


class Carrier:
    """Makes the slots of a backend, and keeps the backend as they say.

    Attributes:
        slots: the slots; call `carry` after each change of them, and before the backend reads anything.
        cost: whether bringing back pays; told by the caller how fast prompts are read.
        n_restored: how often something was brought back or copied.
    """

    def __init__(self, backend: Backend, clock: Clock, limits: CacheLimits) -> None:
        info = backend.info
        self.cost = RestoreCost()
        keeping = Keeping(limits.memory_bytes, self.cost.pays, backend.can_cut)
        self.slots = Slots(info.n_slots, info.n_ctx, keeping)
        self._backend = backend
        self._clock = clock
        self._data: dict[Holder, SavedState] = {}
        self._files: StateFolder | None = None
        self.n_restored = 0
        if limits.folder is not None and limits.disk_bytes > 0 and info.state_id:
            self._files = StateFolder(limits.folder, info.state_id, limits.disk_bytes)
            for stored in self._files.index(info.n_ctx, info.n_vocab):
                self.slots.add_saved(stored.number, stored.tokens, stored.n_bytes, stored.client)

    @property
    def n_saved(self) -> int:
        """States in memory."""
        return len(self._data)

    @property
    def n_bytes(self) -> int:
        """Bytes of the states in memory."""
        return sum(len(state) for state in self._data.values())

    def carry(self) -> None:
        """Do what the slots want done, in their order; where it cannot be done, the slots know afterwards."""
        lost: set[int] = set()
        for move in self.slots.take_moves():
            self._do(move, lost)
        for slot in lost:
            self.slots.cut(slot, 0)
        self._free()

    def forget(self, is_gone: Callable[[str], bool]) -> None:
        """Let go of what was read for some clients, between two steps; nothing of it is saved from then on."""
        self.slots.forget_clients(is_gone)
        self.carry()

    def persist(self) -> None:
        """Save to disk what is most worth it: what was used last, key presses before background work."""
        files, cache = self._files, self.slots.cache
        if files is None:
            return
        kept: list[list[int]] = []
        names: set[str] = set()
        n_left = files.max_bytes
        for holder in sorted(cache, key=lambda held: held.worth, reverse=True):
            if not self._may_persist(holder) or _is_known(tokens := cache.tokens_of(holder), kept):
                continue
            name = files.name_of(tokens)
            n_bytes = files.size_of(name)
            if not n_bytes:
                state = self._state_of(holder)
                n_bytes = files.write(tokens, state, n_left, holder.client) if state is not None else 0
            if 0 < n_bytes <= n_left:
                n_left -= n_bytes
                names.add(name)
                kept.append(tokens)
        files.keep_only(names)

    def _do(self, move: Move, lost: set[int]) -> None:
        begun_s = self._clock.monotonic_s()
        if isinstance(move, Cut):
            if move.slot not in lost and self._backend.remove(move.slot, move.n_kept) < move.n_kept:
                lost.add(move.slot)
            return
        if isinstance(move, Save):
            state = self._backend.save(move.slot) if move.slot not in lost else b""
            if len(state) == 0:
                self.slots.lost(move.target)
                return
            self._data[move.target] = state
            self.slots.saved(move.target, len(state))
        else:
            restored = self._bring_back(move, lost)
            if restored is None:
                self._backend.remove(move.slot, 0)
                lost.add(move.slot)
                self.slots.lost(move.source)
                return
            state = restored
            lost.discard(move.slot)
            self.n_restored += 1
            self.slots.restored(move.source)
        self.cost.note_moved(len(state), self._clock.monotonic_s() - begun_s)

    def _bring_back(self, move: Restore, lost: set[int]) -> SavedState | None:
        """Put the source's state into the slot, and answer it; None if there is none or it was refused."""
        if move.source.place is Place.SLOT and move.source.number in lost:
            return None
        state = self._state_of(move.source)
        return state if state is not None and self._backend.restore(move.slot, state) else None

    def _state_of(self, holder: Holder) -> SavedState | None:
        if holder.place is Place.MEMORY:
            return self._data.get(holder)
        if holder.place is Place.DISK:
            return self._files.read(holder.number) if self._files is not None else None
        return self._backend.save(holder.number) or None

    def _may_persist(self, holder: Holder) -> bool:
        # Of a model that cannot be cut the slots hold answers too, and only its checkpoints can be gone on from.
        is_usable = self._backend.can_cut or holder.place is not Place.SLOT
        return is_usable and holder.n_tokens >= N_WORTH and holder.priority < Priority.BACKGROUND

    def _free(self) -> None:
        for holder in self.slots.take_dropped():
            self._data.pop(holder, None)
            if holder.place is Place.DISK and self._files is not None:
                self._files.forget(holder.number)


def _is_known(tokens: list[int], kept: list[list[int]]) -> bool:
    """Whether one of `kept` has all but a few of these tokens."""
    enough = len(tokens) - min(N_WORTH, len(tokens) // 16)
    return any(common_prefix(tokens, other) >= enough for other in kept)
