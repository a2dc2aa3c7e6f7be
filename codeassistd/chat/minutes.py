"""Has the loaded model write the summary of turns that are about to leave the window, behind all other work."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from codeassistd.chat.clients import MINUTES as CLIENT
from codeassistd.chat.extract import extract
from codeassistd.chat.prompt import Writer
from codeassistd.chat.summarising import MINUTES, N_OUTPUT, believed, completed, grammar_for, parsed, transcript
from codeassistd.chat.summary import Minutes
from codeassistd.chat.turn import Turn
from codeassistd.engine.engine import Engine
from codeassistd.engine.request import FinishReason, GenerateRequest, Priority, SamplingParams
from codeassistd.errors import EngineError

__all__ = ["extracted_minutes", "minutes_from", "minutes_request", "written_minutes"]

_log = logging.getLogger(__name__)

#: Of the tokens that a conversation may take, for what was said; instructions and answer take the rest.
_TRANSCRIPT_SHARE = 0.6


def minutes_request(turns: Sequence[Turn], writer: Writer, n_total: int) -> GenerateRequest | None:
    """What the engine is asked; None where the context has no room for it.

    Args:
        turns: those that leave the window, the oldest first.
        writer: writes for the loaded model.
        n_total: tokens that prompt and answer may take together.
    """
    text = transcript(turns, round(_TRANSCRIPT_SHARE * n_total), writer.count)
    ids = writer.ids(MINUTES, [Turn(1, text, text)])
    n_output = min(N_OUTPUT, n_total - len(ids))
    if n_output <= 0:
        return None
    return GenerateRequest(
        ids, SamplingParams(max_tokens=n_output, grammar=grammar_for(turns)), Priority.BACKGROUND, CLIENT
    )


async def written_minutes(engine: Engine, request: GenerateRequest) -> str:
    """The minutes as the model writes them; cut off where it came to no end, empty where the engine failed."""
    written = ""
    try:
        generation = engine.submit(request)
    except EngineError as error:
        _log.info("no summary was written: %s", error)
        return ""
    try:
        async for token in generation:
            written += token.text
    finally:
        generation.cancel()
    ending = generation.ending
    if ending is not None and ending.reason is FinishReason.ERROR:
        _log.info("no summary was written: %s", ending.error)
        return ""
    return written


def minutes_from(written: str, turns: Sequence[Turn]) -> Minutes:
    """What to remember of some turns, and who says so: `model`, or `extract` where nothing in `written` is believed."""
    entries = believed(parsed(written), turns)
    if not entries:
        return extracted_minutes(turns)
    return Minutes(completed(entries, turns), turns[-1].number, "model")


def extracted_minutes(turns: Sequence[Turn]) -> Minutes:
    """What the extract remembers of some turns."""
    return Minutes(extract(turns), turns[-1].number, "extract")
