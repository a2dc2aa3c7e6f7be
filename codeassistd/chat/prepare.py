"""Everything between a question and its prompt: what is put in front of it, what has to leave the window, the tokens.

Blocks (files, git, the index, the template), so it belongs to a worker thread; it changes nothing but what it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeassistd.chat.conversation import Conversation
from codeassistd.chat.desk import Desk
from codeassistd.chat.limits import KEPT_SHARE, Limits, limits_of, n_leaving, n_leaving_ahead
from codeassistd.chat.material import gather
from codeassistd.chat.minutes import extracted_minutes
from codeassistd.chat.pasted import cut_pasted
from codeassistd.chat.prompt import INSTRUCTIONS, Writer, instructions_with
from codeassistd.chat.request import ChatRequest, RawOutput, UsedPart
from codeassistd.chat.stale import freshened
from codeassistd.chat.turn import Part, PartKind, Turn
from codeassistd.config import ChatSettings
from codeassistd.errors import UsageError

__all__ = ["Prepared", "limits_for", "prefix_of", "prepare", "turns_to_summarise"]

#: Tokens that an answer needs at least.
_LEAST_OUTPUT = 16
#: Letters for each token of the window from which on a question is looked at in part first; code has 3 or 4.
_MANY_LETTERS = 16


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that is ready to be sent.

    Attributes:
        conversation: without the new turn, as the prompt shows it.
        turn: the new one, without an answer.
        ids: the prompt.
        n_output: most tokens of the answer.
        changed: turns of the window whose text is another one now.
        outputs: those that were cut, in full.
    """

    conversation: Conversation
    turn: Turn
    ids: tuple[int, ...]
    limits: Limits
    n_output: int
    parts: tuple[UsedPart, ...]
    warnings: tuple[str, ...]
    changed: tuple[Turn, ...]
    outputs: tuple[RawOutput, ...]


def prepare(request: ChatRequest, conversation: Conversation, writer: Writer, n_ctx: int, desk: Desk) -> Prepared:
    """Make the prompt for a question.

    Raises:
        UsageError: the question alone is longer than the conversation's share of the context.
    """
    limits = limits_for(request.settings, writer, n_ctx)
    conversation = conversation.asked_anew(request.text)
    shown = cut_pasted(request.text)
    _refuse_far_too_long(shown, limits, writer)
    fresh = freshened(conversation.window, desk.text, desk.may_show)
    for turn in fresh.changed:
        conversation = conversation.added(turn)
    found = gather(request, desk, limits.n_context, writer.count)
    whole = {part.path for part in found.parts if part.kind is PartKind.FILE}
    wanted = (*(part for part in fresh.parts if part.path not in whole), *found.parts)
    while True:
        turn = _within(_new_turn(request.text, shown, conversation, wanted), limits, writer)
        fitted, ids = _prompt(_with_room(conversation, turn, limits, writer), turn, limits, writer)
        if fitted.window == conversation.window:
            break
        # What only a turn has shown that leaves is to be shown again.
        conversation = fitted
    standing = _standing(conversation)
    used = [UsedPart(part.kind, part.label, part.path, writer.count(part.written())) for part in turn.parts]
    used += [
        UsedPart(part.kind, f"{part.label} (shown before)", part.path, 0)
        for part in found.parts
        if (part.path, part.text) in standing
    ]
    return Prepared(
        conversation=conversation,
        turn=turn,
        ids=ids,
        limits=limits,
        n_output=min(limits.n_output, limits.n_total - len(ids)),
        parts=tuple(used),
        warnings=tuple(dict.fromkeys(found.warnings)),
        changed=fresh.changed,
        outputs=tuple(found.outputs),
    )


def limits_for(settings: ChatSettings, writer: Writer, n_ctx: int) -> Limits:
    """The limits of a conversation that `writer` writes."""
    return limits_of(settings, n_ctx, writer.count(INSTRUCTIONS) + writer.around())


def turns_to_summarise(conversation: Conversation, limits: Limits, writer: Writer) -> tuple[Turn, ...]:
    """The turns that should leave the window before the next question, since it is nearly full; none else."""
    return conversation.window[: n_leaving_ahead(_sizes(conversation.window, writer), limits.n_window)]


def prefix_of(conversation: Conversation, writer: Writer) -> tuple[int, ...]:
    """The tokens that the next prompt will begin with, whatever is asked."""
    instructions = instructions_with(conversation.memory.summary)
    number = conversation.next_number
    one, two = (writer.ids(instructions, [*conversation.window, Turn(number, text, text)]) for text in ("a", "1"))
    n_alike = next((place for place, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1]), len(one))
    return one[:n_alike]


def _refuse_far_too_long(shown: str, limits: Limits, writer: Writer) -> None:
    """Look at the beginning of a paste of megabytes alone: cutting all of it into tokens would take many seconds."""
    n_letters = _MANY_LETTERS * (limits.n_window + 1)
    if len(shown) > n_letters and writer.count(shown[:n_letters]) > limits.n_window:
        raise UsageError(
            f"the question has {len(shown)} letters, and the conversation leaves room for {limits.n_window} tokens; "
            "shorten it, or raise model.n_ctx (or chat.kv_tokens)"
        )


def _new_turn(asked: str, shown: str, conversation: Conversation, wanted: Sequence[Part]) -> Turn:
    """The question with those parts that do not stand in the window already."""
    standing = _standing(conversation)
    parts = tuple(part for part in wanted if (part.path, part.text) not in standing)
    return Turn(conversation.next_number, asked, shown, parts)


def _standing(conversation: Conversation) -> set[tuple[Path | None, str]]:
    """What the window shows of files and outputs."""
    return {(part.path, part.text) for turn in conversation.window for part in turn.parts}


def _within(turn: Turn, limits: Limits, writer: Writer) -> Turn:
    """The turn with as many of its parts as a window has room for."""
    while writer.size(turn) + writer.around() > limits.n_window and turn.parts:
        turn = replace(turn, parts=turn.parts[:-1])
    size = writer.size(turn) + writer.around()
    if size > limits.n_window:
        raise UsageError(
            f"the question has {size} tokens, and the conversation leaves room for {limits.n_window}; "
            "shorten it, or raise model.n_ctx (or chat.kv_tokens)"
        )
    return turn


def _with_room(conversation: Conversation, turn: Turn, limits: Limits, writer: Writer) -> Conversation:
    """The conversation with room for one more turn: where there is none, the extract speaks for the oldest."""
    sizes = _sizes(conversation.window, writer)
    n_new = writer.size(turn) + writer.around()
    if sum(sizes) + n_new <= limits.n_window:
        return conversation
    room = min(round(KEPT_SHARE * limits.n_window), limits.n_window - n_new)
    return _without_oldest(conversation, n_leaving(sizes, room), limits, writer)


def _without_oldest(conversation: Conversation, n_turns: int, limits: Limits, writer: Writer) -> Conversation:
    minutes = extracted_minutes(conversation.window[:n_turns])
    return conversation.remembering(conversation.memory.after(minutes, limits.n_summary, writer.count))


def _prompt(
    conversation: Conversation, turn: Turn, limits: Limits, writer: Writer
) -> tuple[Conversation, tuple[int, ...]]:
    """The tokens, and the conversation that they show."""
    while True:
        ids = writer.ids(instructions_with(conversation.memory.summary), [*conversation.window, turn])
        if len(ids) + _LEAST_OUTPUT <= limits.n_total:
            return conversation, ids
        # Sums of sizes are not exact to the token where a template treats first turns in its own way.
        if not conversation.window:
            raise UsageError(
                f"the prompt has {len(ids)} tokens, and the conversation may take {limits.n_total}; "
                "raise model.n_ctx (or chat.kv_tokens)"
            )
        conversation = _without_oldest(conversation, 1, limits, writer)


def _sizes(turns: Sequence[Turn], writer: Writer) -> list[int]:
    around = writer.around()
    return [writer.size(turn) + around for turn in turns]
