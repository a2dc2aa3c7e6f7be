"""What speaks for a suggestion and against it, as numbers and one word: the model's own certainty, and the place.

Pure, and without a letter of the text, so that it may be kept and shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from statistics import fmean

from codeassistd.completion.place import Place, opens_block
from codeassistd.engine.request import Token

__all__ = ["Evidence", "Situation", "at_best", "shown_tokens", "situation_at", "weigh"]

#: Logarithms of probabilities below this mean the same: the model did not expect it at all.
_FLOOR = -8.0
#: Distances to the runner-up above this mean the same: there was no choice.
_CEILING = 8.0
#: Tokens that an answer may still go on with, the most of each step; beyond the last the certainty of those that are
#: there is the smaller part.
_N_TO_COME = (1, 2, 3, 4, 6, 8, 12, 16)


class Situation(StrEnum):
    """What the cursor stands in."""

    COMMENT = "comment"
    STRING = "string"
    MEMBER = "member"
    """Behind a dot: a name of that thing is wanted."""
    WORD = "word"
    """Behind the first letters of a name."""
    ARGUMENTS = "arguments"
    """Between brackets."""
    BLOCK_START = "block start"
    """Behind the head of a block."""
    LINE_START = "line start"
    """Nothing but blanks stands before it on its line."""
    STATEMENT = "statement"
    """Anywhere else."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about a text before anybody sees it.

    Attributes:
        mean_logprob, min_logprob, first_logprob: natural logarithms of the model's probabilities of the shown tokens.
        min_margin: least distance in logits to a runner-up among them.
        n_letters: letters of the text, blanks aside.
        n_lines: its lines.
    """

    situation: Situation
    mean_logprob: float
    min_logprob: float
    first_logprob: float
    min_margin: float
    n_letters: int
    n_lines: int

    @classmethod
    def of_table(cls, table: Mapping[str, float | str]) -> Evidence:
        """What `as_table` gave.

        Raises:
            KeyError: a number is missing.
            ValueError: the situation is none of ours.
        """
        numbers = {name: float(value) for name, value in table.items() if name != "situation"}
        return cls(
            situation=Situation(str(table["situation"])),
            mean_logprob=numbers["mean_logprob"],
            min_logprob=numbers["min_logprob"],
            first_logprob=numbers["first_logprob"],
            min_margin=numbers["min_margin"],
            n_letters=int(numbers["n_letters"]),
            n_lines=int(numbers["n_lines"]),
        )

    def as_table(self) -> dict[str, float | str]:
        """For spans and for people."""
        return {
            name: round(value, 3) if isinstance(value, float) else str(value) if isinstance(value, str) else value
            for name, value in asdict(self).items()
        }


def weigh(tokens: Sequence[Token], shown: str, place: Place) -> Evidence:
    """The evidence about `shown`, which was made from `tokens` (see `shown_tokens`) for `place`."""
    return _evidence(shown_tokens(tokens, shown), shown, place)


def at_best(tokens: Sequence[Token], begun: str, place: Place, max_lines: int) -> tuple[Evidence, ...]:
    """The evidence that there can be about an answer at most, of which `begun`, the end of `tokens`, is there so far.

    What is still to come may be certain to the last letter, and may be a line more where `max_lines` allows it; it
    makes up for no doubt that there has been. Each token of it brings a letter, and more letters only raise what is
    asked of them. Most bring several; a few bring none, blanks and parts of letters, and weigh less than that.
    """
    n_begun = len(_letters(begun))
    of_it = list(tokens)
    while of_it and sum(len(_letters(token.text)) for token in of_it[1:]) >= n_begun:
        del of_it[0]
    bests = [_evidence(of_it, begun, place)]
    now, least = bests[0], 1
    for n_to_come in _N_TO_COME:
        share = len(of_it) / (len(of_it) + n_to_come)
        bests.append(replace(now, mean_logprob=now.mean_logprob * share, n_letters=now.n_letters + least))
        least = n_to_come + 1
    if now.n_lines < max_lines:
        bests += [replace(best, n_lines=best.n_lines + 1) for best in bests]
    return tuple(bests)


def _evidence(made_of: Sequence[Token], shown: str, place: Place) -> Evidence:
    logprobs = [min(0.0, max(_FLOOR, token.logprob)) for token in made_of] or [_FLOOR]
    margins = [min(_CEILING, max(0.0, token.margin)) for token in made_of] or [0.0]
    return Evidence(
        situation=situation_at(place),
        mean_logprob=fmean(logprobs),
        min_logprob=min(logprobs),
        first_logprob=logprobs[0],
        min_margin=min(margins),
        n_letters=len(_letters(shown)),
        n_lines=shown.strip("\r\n").count("\n") + 1,
    )


def shown_tokens(tokens: Sequence[Token], shown: str) -> Sequence[Token]:
    """Those of a raw answer's tokens that `shown` was made of.

    Found by letters, since blanks change on the way: what was typed along or cut off is left out. Where the pipeline
    wrote something else (which it does with closers), as many letters from the start count.
    """
    wanted = _letters(shown)
    spans: list[tuple[int, int]] = []
    raw = ""
    for token in tokens:
        start = len(raw)
        raw += _letters(token.text)
        spans.append((start, len(raw)))
    begin = max(0, raw.find(wanted))
    end = begin + len(wanted)
    # A token of blanks alone belongs to the text where it stands between its letters.
    return [
        token
        for token, (start, after) in zip(tokens, spans, strict=True)
        if (start < end and after > begin) or (begin < start == after < end)
    ]


def situation_at(place: Place) -> Situation:
    """What the cursor stands in, judged by words."""
    head, language = place.head, place.language
    within = place.scanned()
    if within.inside == "/*" or within.comment is not None:
        return Situation.COMMENT
    if within.inside or within.n_open_strings:
        return Situation.STRING
    if opens_block(place.line_above if place.is_blank_before else head, language):
        return Situation.BLOCK_START
    if place.is_blank_before:
        return Situation.LINE_START
    return _behind(head, within.openers)


def _behind(head: str, openers: str) -> Situation:
    """What stands right before the cursor, or the brackets round it."""
    if head.endswith("."):
        return Situation.MEMBER
    if head[-1].isalnum() or head[-1] == "_":
        return Situation.WORD
    return Situation.ARGUMENTS if openers.endswith(("(", "[")) else Situation.STATEMENT


def _letters(text: str) -> str:
    return "".join(text.split())
