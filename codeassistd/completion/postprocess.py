"""From the model's raw text to a suggestion that fits: a pipeline of small filters, each judged on the final document.

Pure: the same input gives the same output, whether the raw text is fresh, cached or typed along. Each filter takes the
text and the place and returns the text; the names of those that changed something are kept, so that a missing
suggestion can be explained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from codeassistd.completion.artefacts import (
    without_broken_letters,
    without_control_tokens,
    without_fences,
    without_placeholders,
)
from codeassistd.completion.echo import without_leading_blanks, without_left_out, without_typed_start
from codeassistd.completion.indentation import indented
from codeassistd.completion.line_loop import without_line_loop
from codeassistd.completion.overlap import (
    broken_before_closers,
    without_block_end,
    without_doubled_line,
    without_line_overlap,
    without_open_end,
    without_second_call,
    without_stray_closers,
    without_swallowing_comment,
    without_tail_overlap,
)
from codeassistd.completion.parse_check import ParseJudge, without_broken_parse
from codeassistd.completion.place import Place
from codeassistd.completion.repetition import without_repetition
from codeassistd.syntax.languages import Language

__all__ = ["Fit", "FitInput", "FitStep", "fit"]


@dataclass(frozen=True, slots=True)
class FitInput:
    r"""A raw text and the place it should go to.

    Attributes:
        prefix, suffix: the document before and after the cursor, or whole lines of it; lines end with `\n` here.
        language: of the document; None if unknown.
        max_lines: longest suggestion; 1 keeps it on one line.
        newline: how the document ends its lines.
        left_out: the end of `prefix` that the prompt lacked (see `Prompt.left_out`).
        is_finished: whether the model or a rule ended the text, rather than a limit in the middle of a line.
        knows_start: whether `prefix` begins with the document.
        judge: of the parse of the document with a text put in; None if the language has no grammar.
    """

    prefix: str
    raw: str
    suffix: str = ""
    language: Language | None = None
    max_lines: int = 12
    newline: str = "\n"
    left_out: str = ""
    is_finished: bool = True
    knows_start: bool = True
    judge: ParseJudge | None = None


@dataclass(frozen=True, slots=True)
class FitStep:
    """A filter that changed something: what it was given, and what it gave."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Fit:
    """What is left.

    Attributes:
        text: to insert at the cursor; None if nothing fits.
        steps: the filters that changed something, in order.
    """

    text: str | None
    steps: tuple[FitStep, ...] = ()

    @property
    def filters(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(step.name for step in self.steps)


_Filter = Callable[[str, Place], str]


def fit(given: FitInput) -> Fit:
    """Make `given.raw` fit its place."""
    place = Place.of(given.prefix, given.suffix, given.language, knows_start=given.knows_start)
    text = given.raw
    acted: list[FitStep] = []
    for name, apply in _pipeline(given):
        changed = apply(text, place)
        if changed != text:
            acted.append(FitStep(name, text, changed))
        text = changed
        if not text:
            break
    return Fit(text if text.strip() else None, tuple(acted))


def _pipeline(given: FitInput) -> tuple[tuple[str, _Filter], ...]:
    """The filters in order: what the model leaves behind, the border before, the shape, the border after, the whole."""
    last = _last_touches(given)
    border = (
        ("second-call", without_second_call),
        ("rest-of-line", without_tail_overlap),
        ("doubled-line", without_doubled_line),
    )
    return (
        ("control-tokens", without_control_tokens),
        ("broken-letters", without_broken_letters),
        ("placeholders", without_placeholders),
        ("line-ends", _with_plain_line_ends),
        ("fences", without_fences),
        # Before anything is taken off the start: a loop is judged by its length.
        ("line-loop", without_line_loop),
        ("left-out", partial(without_left_out, left_out=given.left_out)),
        ("typed-start", without_typed_start),
        ("leading-blanks", without_leading_blanks),
        ("unfinished-line", partial(_without_unfinished_line, is_finished=given.is_finished)),
        ("max-lines", partial(_within_lines, max_lines=given.max_lines)),
        ("indentation", indented),
        ("repetition", without_repetition),
        ("stray-closers", without_stray_closers),
        ("trailing-blanks", _without_trailing_blanks),
        ("lines-below", without_line_overlap),
        ("block-end", without_block_end),
        ("swallowing-comment", without_swallowing_comment),
        *border,
        ("open-end", without_open_end),
        (
            "parse",
            partial(
                without_broken_parse,
                judge=given.judge,
                bordered=partial(_applied, filters=border),
                finished=partial(_applied, filters=last),
            ),
        ),
        *last,
    )


def _last_touches(given: FitInput) -> tuple[tuple[str, _Filter], ...]:
    """What is done with whatever the filters before have left."""
    return (
        # Once more: a cut leaves the blanks that stood before it.
        ("trailing-blanks", _without_trailing_blanks),
        ("closers-on-own-line", broken_before_closers),
        ("says-nothing", _without_bare_comment),
        ("document-line-ends", partial(_with_line_ends, newline=given.newline)),
    )


def _applied(text: str, place: Place, filters: Sequence[tuple[str, _Filter]]) -> str:
    for _, apply in filters:
        text = apply(text, place)
    return text


def _with_plain_line_ends(text: str, place: Place) -> str:
    del place
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _without_unfinished_line(text: str, place: Place, is_finished: bool) -> str:  # noqa: FBT001 - bound by name
    """Drop the last of several lines if it was cut off; half of the only line is still worth reading."""
    del place
    before, _, last = text.rpartition("\n")
    return before if not is_finished and before.strip() and last.strip() else text


def _within_lines(text: str, place: Place, max_lines: int) -> str:
    """Keep the first `max_lines` lines, counted from the first that is not blank."""
    del place
    body = text.lstrip("\n")
    breaks = text[: len(text) - len(body)]
    return breaks + "\n".join(body.split("\n")[:max_lines])


def _without_trailing_blanks(text: str, place: Place) -> str:
    """Take the blanks off the ends of lines, and the blank lines off the end; one blank parts it from a word."""
    trimmed = "\n".join(line.rstrip() for line in text.split("\n")).rstrip("\n")
    return f"{trimmed} " if trimmed and text[-1:] in " \t" and place.tail[:1].isalnum() else trimmed


def _without_bare_comment(text: str, place: Place) -> str:
    """Drop blanks, and a comment mark that nothing follows."""
    mark = place.language.comment if place.language is not None else "#"
    says = any(letter.isalnum() for letter in text)
    return text if says or (text.strip() and not text.strip().startswith(mark)) else ""


def _with_line_ends(text: str, place: Place, newline: str) -> str:
    del place
    return text.replace("\n", newline)
