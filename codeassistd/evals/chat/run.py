"""`eval chat`: each conversation played with each kind of memory, and whether its fact is still in the last prompt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from codeassistd.chat.minutes import extracted_minutes, minutes_from, minutes_request, written_minutes
from codeassistd.chat.prepare import Prepared, limits_for
from codeassistd.chat.summarising import believed, parsed
from codeassistd.chat.summary import Minutes
from codeassistd.chat.turn import Turn
from codeassistd.engine.engine import Engine
from codeassistd.evals.chat.case import Case
from codeassistd.evals.chat.play import Stage, TakeMinutes, play

__all__ = ["Judged", "Way", "run_chat"]


class Way(StrEnum):
    """What remembers."""

    MEMORY = "memory"
    """What the daemon does: the model's summary, completed by the extract; without a model the extract."""
    MODEL = "model"
    """The model's summary alone, as far as it is believed."""
    EXTRACT = "extract"
    """The extract alone."""
    TRUNCATION = "truncation"
    """Nothing: the oldest turns are dropped, and the window has the room of the summary."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One conversation, one way.

    Attributes:
        is_kept: whether the fact stands in the prompt of the last turn.
        n_prompt: tokens of that prompt.
        n_window: its turns that stand word for word, the last one not counted.
    """

    case: Case
    way: Way
    is_kept: bool
    n_prompt: int
    n_window: int


async def run_chat(
    cases: Sequence[Case], stage: Stage, engine: Engine | None, on_case: Callable[[], None]
) -> list[Judged]:
    """Play all conversations, each in every way; without an `engine` in those that need no model."""
    judged = []
    for case in cases:
        scribe = None if engine is None else _Scribe(engine, stage)
        for way in Way:
            take = _minutes_by(way, scribe)
            if take is not None:
                judged.append(await _judge(case, way, stage, take))
        on_case()
    return judged


def _minutes_by(way: Way, scribe: _Scribe | None) -> TakeMinutes | None:
    """Who takes the minutes; None where that needs a model and there is none."""
    if way is Way.MODEL:
        return None if scribe is None else scribe.alone
    if way is Way.MEMORY and scribe is not None:
        return scribe.completed
    return _extracted


async def _judge(case: Case, way: Way, stage: Stage, take: TakeMinutes) -> Judged:
    if way is Way.TRUNCATION:
        settings = stage.settings.model_copy(update={"summary_tokens": 0})
        stage = Stage(stage.writer, stage.n_ctx, settings)
    prepared = await play(case, stage, take)
    return Judged(case, way, case.must in _text(prepared, stage), len(prepared.ids), len(prepared.conversation.window))


def _text(prepared: Prepared, stage: Stage) -> str:
    vocabulary = stage.writer.tokens.vocabulary
    return b"".join(vocabulary.token_bytes(token) for token in prepared.ids).decode("utf-8", "replace")


async def _extracted(turns: Sequence[Turn]) -> Minutes:
    return extracted_minutes(turns)


class _Scribe:
    """Has the model write the minutes of one conversation; the same turns are written once for all ways."""

    def __init__(self, engine: Engine, stage: Stage) -> None:
        self._engine = engine
        self._stage = stage
        self._written: dict[tuple[int, ...], str] = {}

    async def completed(self, turns: Sequence[Turn]) -> Minutes:
        """As the daemon takes them."""
        return minutes_from(await self._write(turns), turns)

    async def alone(self, turns: Sequence[Turn]) -> Minutes:
        """What is believed of the model's own, and nothing beside it."""
        written = await self._write(turns)
        return Minutes(believed(parsed(written), turns), turns[-1].number, "model")

    async def _write(self, turns: Sequence[Turn]) -> str:
        numbers = tuple(turn.number for turn in turns)
        if numbers not in self._written:
            stage = self._stage
            n_total = limits_for(stage.settings, stage.writer, stage.n_ctx).n_total
            request = minutes_request(turns, stage.writer, n_total)
            self._written[numbers] = "" if request is None else await written_minutes(self._engine, request)
        return self._written[numbers]
