"""A suggestion of several lines that is shown while it is still being written, for editors that can.

Whole lines are offered as soon as they stand well alone, by the one way that all suggestions take; so what is shown
early has been made to fit, and judged, like what is shown at the end. It only grows: where the fit takes something back
that was shown, the answer to the request tells it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from codeassistd.completion.cursor import Cursor
from codeassistd.completion.first_lines import first_lines
from codeassistd.completion.offer import Raw, offer
from codeassistd.completion.types import CompletionRequest, Suggestion
from codeassistd.metrics.spans import Span

__all__ = ["Growth", "ShowPart"]

ShowPart = Callable[[Suggestion], None]
"""Shows the beginning of a suggestion; the next one, or the answer to the request, takes its place."""


class Growth:
    """What was shown of the answer to one request."""

    def __init__(self, show: ShowPart) -> None:
        self._show = show
        self._n_lines = 0
        self._shown = ""

    def grow(self, request: CompletionRequest, cursor: Cursor, raw: Raw, span: Span) -> None:
        """Show what has come to `raw`, if that is a line more and nothing in it is left open."""
        whole = first_lines(raw, cursor.place)
        n_lines = 0 if whole is None else whole.text.count("\n") + 1
        if whole is None or n_lines <= self._n_lines:
            return
        self._n_lines = n_lines
        # The request's own span tells of its answer only.
        offered = offer(request, cursor, whole, replace(span))
        if not isinstance(offered, Suggestion) or not _has_grown(self._shown, offered.text):
            return
        self._shown = offered.text
        self._show(offered)


def _has_grown(old: str, new: str) -> bool:
    return len(new) > len(old) and new.startswith(old)
