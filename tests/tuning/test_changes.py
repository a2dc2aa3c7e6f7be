"""What is worth a trial, from settings and machines that are made up."""

from __future__ import annotations

from codeassistd.config import ContextSettings, ModelSettings, Settings
from codeassistd.tuning.changes import STEPS, Situation, changes_for


def names(situation: Situation) -> list[str]:
    return [f"{change.step}: {change.name}" for change in changes_for(situation)]


def test_a_small_processor_with_the_starter() -> None:
    """In the order of the steps; what changes the text is marked."""
    situation = Situation(Settings(), frozenset(), 2, 4, may_repack=True)
    assert [
        "file-format: model.repack_type=q8_0",
        "file-format: model.repack=false",
        "kv-types: model.kv_type_k=q8_0",
        "kv-types: model.kv_type_k=q8_0 model.kv_type_v=q8_0 model.flash_attention=on",
        "flash-attention: model.flash_attention=on",
        "batch: model.n_batch=256",
        "batch: model.n_batch=1024",
        "threads: model.threads=1",
        "threads: model.threads=4",
        "prompt-budget: context.max_tokens=1024",
        "lookup-drafts: model.max_draft=0",
        "lookup-drafts: model.max_draft=8",
        "semantic-cache: completion.semantic_cache_mb=0",
    ] == names(situation)
    touching = {change.step for change in changes_for(situation) if change.touches_text}
    assert {"file-format", "kv-types", "flash-attention", "prompt-budget"} == touching


def test_a_gpu_with_a_draft_model() -> None:
    """Copies are for processors; flash attention is on there already, and off is what could be tried."""
    found = names(Situation(Settings(), frozenset(), 8, 8, has_gpu=True, may_repack=True, has_drafter=True))
    assert "flash-attention: model.flash_attention=off" in found
    assert "draft-model: model.draft=auto" in found
    assert not [name for name in found if name.startswith("file-format")]


def test_what_the_user_has_set_is_not_touched() -> None:
    """Neither alone nor as part of a change; and what is so already is no change."""
    settings = Settings(model=ModelSettings(kv_type_k="q8_0", max_draft=0), context=ContextSettings(max_tokens=512))
    found = names(Situation(settings, frozenset({"model.flash_attention", "context.max_tokens"}), 1, 1))
    assert [
        "batch: model.n_batch=256",
        "batch: model.n_batch=1024",
        "lookup-drafts: model.max_draft=8",
        "semantic-cache: completion.semantic_cache_mb=0",
    ] == found


def test_a_batch_is_no_longer_than_the_context() -> None:
    """Nothing could fill it."""
    settings = Settings(model=ModelSettings(n_ctx=512))
    assert "batch: model.n_batch=1024" not in names(Situation(settings, frozenset(), 1, 1))


def test_the_order_is_that_of_the_steps() -> None:
    """Whatever is left out."""
    steps = [change.step for change in changes_for(Situation(Settings(), frozenset(), 2, 4, has_drafter=True))]
    assert steps == sorted(steps, key=STEPS.index)
