"""From a raw text to what the user is offered: the one way for fresh, cached and typed-along answers alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeassistd.completion.cursor import Cursor
from codeassistd.completion.gate import Judgement, judge, judge_begun
from codeassistd.completion.policy import Silence, silence_in_menu
from codeassistd.completion.postprocess import fit
from codeassistd.completion.stories import Stories
from codeassistd.completion.types import CompletionRequest, Suggestion
from codeassistd.engine.request import Token
from codeassistd.metrics.spans import FilterEffect, Outcome, Span

__all__ = ["Raw", "doubt", "offer"]


@dataclass(frozen=True, slots=True)
class Raw:
    """What the model wrote for a cursor, or what is left of it there.

    Attributes:
        tokens: all tokens of the answer that the text is of, from its first one on.
        max_lines: longest suggestion to make of it.
        why: the rule that said how much is wanted.
        left_out: the end of the text before the cursor that the prompt lacked (see `Prompt.left_out`).
        is_finished: whether the model or a rule ended it, rather than a limit.
        is_cut_off: whether it ends here because the time was over.
    """

    text: str
    tokens: Sequence[Token]
    max_lines: int
    why: str
    left_out: str = ""
    is_finished: bool = True
    is_cut_off: bool = False


def offer(
    request: CompletionRequest, cursor: Cursor, raw: Raw, span: Span, stories: Stories | None = None
) -> Suggestion | Silence:
    """What is shown of `raw`, or why nothing is; tells the span how it was made to fit, and `stories` the texts."""
    fitted = fit(cursor.fit_input(raw.text, raw.left_out, raw.max_lines, is_finished=raw.is_finished))
    span.filters = fitted.filters
    span.effects = tuple(FilterEffect(step.name, len(step.before), len(step.after)) for step in fitted.steps)
    if stories is not None:
        stories.fitted(span.id, request, raw.text, fitted.steps)
    if fitted.text is None:
        return _why_nothing(request, raw, fitted.filters)
    silence = silence_in_menu(request, fitted.text)
    if silence is not None:
        return silence
    judgement = judge(raw.tokens, fitted.text, cursor.place, request.settings, request.trigger, weights=request.weights)
    _note(span, judgement)
    if judgement.silence is not None:
        return judgement.silence
    span.outcome, span.reason = Outcome.SHOWN, raw.why
    return Suggestion(span.id, fitted.text)


def doubt(
    request: CompletionRequest, cursor: Cursor, raw: Raw, span: Span, stories: Stories | None = None
) -> Silence | None:
    """Why nothing will be shown of `raw`, whatever it goes on with; None where something may be. Tells as `offer`."""
    judgement = judge_begun(
        raw.tokens,
        raw.text,
        cursor.place,
        request.settings,
        request.trigger,
        max_lines=raw.max_lines,
        weights=request.weights,
    )
    if judgement.silence is not None:
        _note(span, judgement)
        if stories is not None:
            stories.fitted(span.id, request, raw.text, ())
    return judgement.silence


def _note(span: Span, judgement: Judgement) -> None:
    span.score, span.threshold = judgement.score, judgement.threshold
    span.evidence = judgement.evidence.as_table()


def _why_nothing(request: CompletionRequest, raw: Raw, filters: tuple[str, ...]) -> Silence:
    if raw.is_cut_off:
        limit = request.settings.deadline_ms
        return Silence(Outcome.DEADLINE, f"nothing fit to show within {limit} ms (completion.deadline_ms)")
    if raw.text.strip():
        return Silence(Outcome.EMPTY, f"nothing is left of the answer ({', '.join(filters)})")
    return Silence(Outcome.EMPTY, "the model had nothing to add")
