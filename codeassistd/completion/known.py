"""An answer as far as it is known, and what is left of it for a user who has typed along.

Pure. The raw text is kept, not the suggestion that was made of it, so that what is left goes through the same pipeline
as a fresh answer, with the text that stands behind the cursor now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from codeassistd.completion.echo import without_leading_blanks, without_left_out, without_typed_start
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place, Style, lead
from codeassistd.completion.stops import Shape
from codeassistd.engine.request import Token

__all__ = ["Known", "n_along"]


@dataclass(frozen=True, slots=True)
class Known:
    """A raw text and the cursor that it was written for.

    Attributes:
        text: without what came after its end.
        tokens: all that came, in order.
        place: the cursor; only its own line and the style of the file are asked for.
        left_out: the end of the text before the cursor that the prompt lacked.
        is_finished: whether the model or a rule ended it, rather than a limit.
        is_over: whether nothing more comes.
    """

    text: str
    tokens: tuple[Token, ...]
    place: Place
    left_out: str
    shape: Shape
    is_finished: bool
    is_over: bool

    def alone(self) -> Known:
        """The same without the lines round the cursor, for keeping."""
        return replace(self, place=replace(self.place, tail="", above=(), below=()))

    def after(self, typed: str, place: Place) -> Known | None:
        """The same as an answer for the cursor at `place`, where `typed` has been typed; None if it does not agree."""
        raw = self.rest(typed)
        if raw is None:
            return None
        shape = replace(self.shape, max_lines=raw.max_lines)
        return replace(self, text=raw.text, place=place, left_out=raw.left_out, shape=shape)

    def rest(self, typed: str) -> Raw | None:
        """What is left when `typed` was typed at the cursor.

        Returns:
            None if the user typed something else, or all of it. Nothing is left yet while more may come.
        """
        if not typed:
            return self._raw(self.text, self.left_out, self.shape.max_lines)
        text = self._front()
        n_used = n_along(text, typed, self.place)
        if n_used is None or (self.is_over and not text[n_used:]):
            return None
        return self._raw(text[n_used:], "", max(1, self.shape.max_lines - typed.count("\n")))

    def _raw(self, text: str, left_out: str, max_lines: int) -> Raw:
        return Raw(
            text,
            self.tokens,
            max_lines,
            self.shape.why,
            left_out,
            is_finished=self.is_finished,
            is_cut_off=not self.is_over,
        )

    def _front(self) -> str:
        """The text from the cursor on, without what repeats the text before it."""
        text = without_left_out(self.text, self.place, self.left_out)
        return without_leading_blanks(without_typed_start(text, self.place), self.place)


def n_along(text: str, typed: str, place: Place) -> int | None:
    """How many letters of `text`, written for the cursor at `place`, are typed once `typed` is.

    The indentation of a line may be written in another way, and an editor may put in less of it than is wanted.

    Returns:
        None if the two do not agree; all letters if `typed` goes on behind the end of `text`.
    """
    used = done = 0
    if place.is_blank_before:
        start = _indented(text, typed, place.style, place.style.columns(place.head))
        if start is None:
            return None
        used, done = start
    while done < len(typed):
        if typed[done] == "\n":
            # Blanks at the end of a line are not typed.
            ahead = text[used:]
            bare = ahead.lstrip(" \t")
            used += len(ahead) - len(bare) if not bare or bare[0] == "\n" else 0
        if used == len(text):
            return used
        if text[used] != typed[done]:
            return None
        used, done = used + 1, done + 1
        if typed[done - 1] == "\n":
            start = _indented(text[used:], typed[done:], place.style, 0)
            if start is None:
                return None
            used, done = used + start[0], done + start[1]
    return used


def _indented(text: str, typed: str, style: Style, n_before: int) -> tuple[int, int] | None:
    """Letters of the blanks that begin a line in `text` and in `typed`, as far as typed; None if they do not agree.

    `n_before` columns stand before both; the text may count them in, or not mean its own.
    """
    wanted, there = lead(text), lead(typed)
    if len(wanted) == len(text):
        # The line has not begun yet, so its indentation is not known.
        return len(wanted), len(there)
    n_wanted, n_there = style.columns(wanted), style.columns(there)
    if n_there == n_wanted or (n_before and n_there in {0, n_wanted - n_before} and typed):
        return len(wanted), len(there)
    if n_there > n_wanted or len(there) < len(typed):
        return None
    return _n_blanks(wanted, n_there, style), len(there)


def _n_blanks(blanks: str, n_columns: int, style: Style) -> int:
    """How many of `blanks` fill so many columns."""
    return next((n for n in range(len(blanks) + 1) if style.columns(blanks[:n]) >= n_columns), len(blanks))
