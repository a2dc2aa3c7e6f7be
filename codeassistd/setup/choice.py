"""Which model suits a machine: pure arithmetic over the manifests' sizes and what was measured.

A step of the model reads all weights that it computes with, so writing a token takes a fixed time and a time for each
byte of them; reading a prompt is bound by computing, so it takes a time for each weight. Both are measured on one model
and hold, roughly, for the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from codeassistd.catalogue.manifest import Manifest, Size
from codeassistd.catalogue.profile import FimOrder

__all__ = ["ANSWER_GOAL_MS", "Choice", "Judged", "Machine", "Pace", "Verdict", "choose", "memory_need"]

#: What a key press costs where the caches are warm (bench typing): tokens of the prompt that were not read before, and
#: tokens of a one-line answer.
_N_READ = 48
_N_WRITTEN = 16
ANSWER_GOAL_MS = 600.0
"""An answer that takes longer comes behind the pause between two keys more often than in it."""
_WORK_BYTES = 512 * 2**20
"""Beside the weights: keys and values of the slots, and what a step works in."""
_MEMORY_SHARE = 0.5
"""Of the main memory; the rest is for the editor and what is worked on."""
_GPU_SHARE = 0.9
_GIB = 2**30
_GB = 1e9


@dataclass(frozen=True, slots=True)
class Machine:
    """What there is room in, bytes.

    Attributes:
        gpu_bytes: memory of the GPU that llama.cpp computes on; 0 without one.
        disk_bytes: free where models are kept.
    """

    memory_bytes: int
    free_bytes: int
    gpu_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class Pace:
    """What steps cost here, in milliseconds.

    Attributes:
        fixed_ms: of a step that writes one token, whatever the model.
        ms_per_gb: in addition for each gigabyte of weights.
        read_ms_per_billion: to read one token of a prompt, for each billion of weights.
    """

    fixed_ms: float
    ms_per_gb: float
    read_ms_per_billion: float

    def answer_ms(self, size: Size) -> float:
        """How long the answer to a key press would take with a model of this size."""
        active_bytes = size.file_bytes * size.active_parameters / size.parameters
        write_ms = self.fixed_ms + self.ms_per_gb * active_bytes / _GB
        read_ms = self.read_ms_per_billion * size.active_parameters / _GB
        return _N_READ * read_ms + _N_WRITTEN * write_ms


class Verdict(StrEnum):
    """Why a model is chosen or not."""

    CHOSEN = "chosen"
    SMALLER = "smaller"
    """It would do, but a better one does, too."""
    LICENCE = "licence"
    """It would be chosen, but its licence must be accepted first."""
    MEMORY = "memory"
    DISK = "disk"
    TOO_SLOW = "too slow"


@dataclass(frozen=True, slots=True)
class Judged:
    """One model beside the machine.

    Attributes:
        answer_ms: how long an answer would take.
        need_bytes: of memory.
        needs: what it would need that is not here, for people; empty where nothing is missing.
    """

    name: str
    verdict: Verdict
    answer_ms: float
    need_bytes: int
    needs: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, and how all others did, the best first.

    Attributes:
        name: of the chosen model; None where not even the least has room.
    """

    name: str | None
    judged: Sequence[Judged]

    @property
    def next_larger(self) -> Judged | None:
        """The least of those that are better than the chosen one."""
        better = [one for one in self.judged if one.verdict is not Verdict.SMALLER]
        better = better[: next((index for index, one in enumerate(better) if one.name == self.name), len(better))]
        return better[-1] if better else None


def choose(manifests: Iterable[Manifest], machine: Machine, pace: Pace, here: frozenset[str] = frozenset()) -> Choice:
    """The best model that has room, answers in time, and may be fetched without a question.

    One that fills in the middle is better than one that does not; of two such, the one with more weights.

    Args:
        manifests: the candidates; those without a size are passed over.
        machine: where there is room.
        pace: what steps cost.
        here: models that are on this machine already: they need no more disk, and their licence is accepted.
    """
    chosen: str | None = None
    judged: list[Judged] = []
    sized = [(manifest, manifest.size) for manifest in manifests if manifest.size is not None]
    for manifest, size in sorted(sized, key=lambda pair: _rank(*pair), reverse=True):
        verdict, needs = _judge(manifest, size, machine, pace, is_here=manifest.name in here)
        if verdict is Verdict.CHOSEN:
            verdict = Verdict.SMALLER if chosen else verdict
            chosen = chosen or manifest.name
        judged.append(Judged(manifest.name, verdict, pace.answer_ms(size), memory_need(size), needs))
    if chosen is None:
        # Slow is better than nothing: the least of those with room, which the last line of all is likely to be.
        roomy = [one for one in judged if one.verdict is Verdict.TOO_SLOW]
        chosen = roomy[-1].name if roomy else None
    return Choice(chosen, tuple(judged))


def memory_need(size: Size) -> int:
    """Memory that a model takes, bytes."""
    return size.file_bytes + _WORK_BYTES


def _rank(manifest: Manifest, size: Size) -> tuple[bool, int, str]:
    return manifest.profile.order is not FimOrder.PREFIX, size.parameters, manifest.name


def _judge(manifest: Manifest, size: Size, machine: Machine, pace: Pace, *, is_here: bool) -> tuple[Verdict, str]:
    """The verdict on one model by itself, and what it lacks."""
    need = memory_need(size)
    if need > _room(machine):
        return Verdict.MEMORY, _memory_words(need, machine)
    if not is_here and size.file_bytes > machine.disk_bytes:
        return (
            Verdict.DISK,
            f"{size.file_bytes / _GB:.1f} GB on the disk, where {machine.disk_bytes / _GB:.1f} are free",
        )
    answer_ms = pace.answer_ms(size)
    if answer_ms > ANSWER_GOAL_MS:
        return Verdict.TOO_SLOW, f"{answer_ms / 1000:.1f} s for an answer, which should come in {_seconds()} s"
    if manifest.licence.needs_acceptance and not is_here:
        return Verdict.LICENCE, f"your agreement to the {manifest.licence.name} ({manifest.licence.url})"
    return Verdict.CHOSEN, ""


def _room(machine: Machine) -> float:
    if machine.gpu_bytes:
        return machine.gpu_bytes * _GPU_SHARE
    return min(machine.memory_bytes * _MEMORY_SHARE, machine.free_bytes)


def _memory_words(need: int, machine: Machine) -> str:
    where = "memory of the GPU" if machine.gpu_bytes else "memory"
    return f"{need / _GIB:.1f} GiB of {where}, of which it may take {_room(machine) / _GIB:.1f}"


def _seconds() -> str:
    return f"{ANSWER_GOAL_MS / 1000:g}"
