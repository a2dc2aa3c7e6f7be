"""Changes that are worth a trial on a machine, in the order of what they may gain over what they may break. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from codeassistd.config import Settings
from codeassistd.daemon.tuned import spelled

__all__ = ["STEPS", "Change", "Situation", "changes_for"]

STEPS = (
    "file-format",
    "kv-types",
    "flash-attention",
    "batch",
    "threads",
    "prompt-budget",
    "lookup-drafts",
    "draft-model",
    "semantic-cache",
)
"""In the order in which they are tried. Each may have several changes; one that was kept is where the next begins."""


@dataclass(frozen=True, slots=True)
class Change:
    """Settings that are set together.

    Attributes:
        step: one of `STEPS`.
        values: texts by dotted key.
        touches_text: whether suggestions may come out otherwise, so that quality has to be looked at too.
    """

    step: str
    values: Mapping[str, str]
    touches_text: bool = False

    @property
    def name(self) -> str:
        """As the command line would have it."""
        return spelled(self.values)


@dataclass(frozen=True, slots=True)
class Situation:
    """What can be tried at all.

    Attributes:
        settings: those in force.
        set_by_user: dotted keys that the user has set himself, which are never touched.
        n_cores: physical cores, and n_logical what the system counts.
        has_gpu: whether layers lie on a GPU.
        may_repack: whether the model's manifest allows copies in other formats.
        has_drafter: whether the manifest's draft model is here.
    """

    settings: Settings
    set_by_user: frozenset[str]
    n_cores: int
    n_logical: int
    has_gpu: bool = False
    may_repack: bool = False
    has_drafter: bool = False


def changes_for(situation: Situation) -> list[Change]:
    """All that is worth a trial, in order; nothing that the user has set, and nothing that is so already."""
    now = situation.settings.model_dump(mode="json")

    def is_new(change: Change) -> bool:
        if situation.set_by_user & set(change.values):
            return False
        return any(
            _text(now[key.partition(".")[0]][key.partition(".")[2]]) != text for key, text in change.values.items()
        )

    return [change for change in _all(situation) if is_new(change)]


def _all(situation: Situation) -> Iterator[Change]:
    model, context = situation.settings.model, situation.settings.context
    if situation.may_repack and not situation.has_gpu:
        yield Change("file-format", {"model.repack_type": "q8_0"}, touches_text=True)
        yield Change("file-format", {"model.repack": "false"}, touches_text=True)
    yield Change("kv-types", {"model.kv_type_k": "q8_0"}, touches_text=True)
    both = {"model.kv_type_k": "q8_0", "model.kv_type_v": "q8_0", "model.flash_attention": "on"}
    yield Change("kv-types", both, touches_text=True)
    flash = "off" if situation.has_gpu else "on"
    yield Change("flash-attention", {"model.flash_attention": flash}, touches_text=True)
    for n_batch in (model.n_batch // 2, 2 * model.n_batch):
        if n_batch <= model.n_ctx:
            yield Change("batch", {"model.n_batch": str(n_batch)})
    for n_threads in _thread_counts(situation):
        yield Change("threads", {"model.threads": str(n_threads)})
    yield Change("prompt-budget", {"context.max_tokens": str(context.max_tokens // 2)}, touches_text=True)
    for n_draft in (0, 8):
        yield Change("lookup-drafts", {"model.max_draft": str(n_draft)})
    if situation.has_drafter:
        yield Change("draft-model", {"model.draft": "auto"})
    yield Change("semantic-cache", {"completion.semantic_cache_mb": "0"})


def _thread_counts(situation: Situation) -> Iterator[int]:
    """Other than one for each physical core, which is what is taken unasked."""
    if situation.n_cores > 1:
        yield situation.n_cores // 2
    if situation.n_logical > situation.n_cores:
        yield situation.n_logical


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
