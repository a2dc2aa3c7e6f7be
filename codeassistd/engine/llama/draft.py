"""Loading a smaller model beside the main one, to guess for it; what cannot is left out with its cause in one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.llama.vocabulary_match import vocabulary_difference
from codeassistd.errors import ModelLoadError

__all__ = ["put_beside"]


def put_beside(main: LlamaBackend, asked: LlamaOptions, load: Callable[[LlamaOptions], LlamaBackend]) -> None:
    """Load `asked.draft_path` to guess for `main`, with as many slots and as long a context, if it can.

    Args:
        main: freshly loaded.
        asked: what it was loaded by.
        load: loads one model; raises ModelLoadError.
    """
    path = asked.draft_path
    if path is None:
        return
    options = replace(
        asked, model_path=path, lora=(), draft_path=None, n_ctx=main.info.n_ctx, n_slots=main.info.n_slots
    )
    draft: LlamaBackend | None = None
    problem = "" if main.can_cut else "wrong guesses cannot be taken out of its memory (recurrent)"
    try:
        if not problem:
            draft = load(options)
            problem = _misfit(main, draft)
    except ModelLoadError as error:
        problem = str(error)
    if problem and draft is not None:
        draft.close()
        draft = None
    info = main.info
    if problem:
        info = replace(info, warnings=(*info.warnings, f"the model is used without a draft model: {problem}"))
    else:
        effective = {**info.effective, "draft": str(path)}
        kv_bytes = info.kv_bytes + (0 if draft is None else draft.info.kv_bytes)
        weight_bytes = info.weight_bytes + (0 if draft is None else draft.info.weight_bytes)
        info = replace(info, effective=effective, kv_bytes=kv_bytes, weight_bytes=weight_bytes)
    main.accompany(draft, info)


def _misfit(main: LlamaBackend, draft: LlamaBackend) -> str:
    """Why `draft` cannot guess for `main`; empty if it can."""
    name = draft.info.asked["model"]
    if draft.info.n_slots < main.info.n_slots:
        return f"there is no memory for {main.info.n_slots} slots of {name} too; set fewer in model.n_slots"
    if not draft.can_cut:
        return f"wrong guesses cannot be taken out of the memory of {name} (recurrent)"
    difference = vocabulary_difference(main.vocabulary, draft.vocabulary)
    return f"{name} has another vocabulary: {difference}" if difference else ""
