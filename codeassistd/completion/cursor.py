"""A request's cursor in its text, as the rules and the filters see it."""

from __future__ import annotations

from dataclasses import dataclass

from codeassistd.completion.newest_judge import NewestJudge
from codeassistd.completion.place import Place
from codeassistd.completion.postprocess import FitInput
from codeassistd.completion.types import CompletionRequest
from codeassistd.context.window import Window, look
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.site import Site, site_at
from codeassistd.text import Text

__all__ = ["Cursor"]

#: Bytes of whole lines that the rules and filters see on each side of the cursor.
_FIT_BYTES = 12_288


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where a suggestion would go.

    Attributes:
        newline: how the document ends its lines.
        judges: of the parse of the document with a text put in.
    """

    window: Window
    place: Place
    newline: str
    judges: NewestJudge

    @classmethod
    def of(cls, request: CompletionRequest, languages: Languages) -> Cursor:
        """The cursor of `request`."""
        text = request.document.text
        window = look(text, request.offset, _FIT_BYTES)
        language = languages.by_id(request.document.language)
        place = Place.of(window.prefix, window.suffix, language, knows_start=window.starts_file)
        grammar = None if language is None else languages.grammar(language)
        newline = _newline_at(text, window.line)
        # To the grammars a lone carriage return is a blank: they would take the whole file for one line.
        judges = NewestJudge(None if newline == "\r" else grammar, text, request.offset, request.newest_tree)
        return cls(window, place, newline, judges)

    @property
    def site(self) -> Site | None:
        """What the cursor stands in, by the tree; None where there is none, or one that is too broken to tell."""
        judge = self.judges.now()
        if judge is None or self.place.language is None:
            return None
        site = site_at(judge.before, judge.offset, self.place.language)
        return None if site is Site.CODE and judge.before.tree.root_node.has_error else site

    def fit_input(self, raw: str, left_out: str, max_lines: int, *, is_finished: bool) -> FitInput:
        """A raw text that is to fit here."""
        return FitInput(
            prefix=self.window.prefix,
            raw=raw,
            suffix=self.window.suffix,
            language=self.place.language,
            max_lines=max_lines,
            newline=self.newline,
            left_out=left_out,
            is_finished=is_finished,
            knows_start=self.window.starts_file,
            judge=self.judges.now(),
        )


def _newline_at(text: Text, line: int) -> str:
    """How the document ends its lines: the cursor's line, or the one above if that is the last."""
    if line == text.line_count - 1:
        line -= 1
    end = text.content[text.line_end(line) : text.line_start(line + 1)] if line >= 0 else b""
    return end.decode() or "\n"
