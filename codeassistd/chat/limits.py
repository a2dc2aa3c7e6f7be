"""How the tokens of one conversation are shared out, and which turns have to leave the window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeassistd.config import ChatSettings

__all__ = ["KEPT_SHARE", "Limits", "limits_of", "n_leaving", "n_leaving_ahead"]

#: A window that is fuller than this has its oldest turns summarised in the background, before they have to leave.
_FULL_SHARE = 0.75
#: What of a window stays when turns leave: the fewer stay, the rarer the summary in front of them has to change, which
#: has the rest read again.
KEPT_SHARE = 0.5
_OUTPUT_PART, _SUMMARY_PART, _CONTEXT_PART = 4, 5, 3


@dataclass(frozen=True, slots=True)
class Limits:
    """Tokens, at most.

    Attributes:
        n_total: of prompt and answer together: the cells that a conversation may take.
        n_output: of an answer.
        n_summary: of the summary.
        n_context: of what is put in front of one question.
        n_window: of the turns that are kept word for word, the newest question among them.
    """

    n_total: int
    n_output: int
    n_summary: int
    n_context: int
    n_window: int


def limits_of(settings: ChatSettings, n_ctx: int, n_fixed: int) -> Limits:
    """The limits in a context of `n_ctx` tokens, of which the instructions take `n_fixed`."""
    n_total = min(settings.kv_tokens or n_ctx, n_ctx)
    n_output = max(1, min(settings.max_tokens, n_total // _OUTPUT_PART))
    n_summary = min(settings.summary_tokens, n_total // _SUMMARY_PART)
    n_window = max(0, min(settings.window_tokens, n_total - n_output - n_summary - n_fixed))
    return Limits(n_total, n_output, n_summary, min(settings.context_tokens, n_window // _CONTEXT_PART), n_window)


def n_leaving(sizes: Sequence[int], n_room: int) -> int:
    """How many of the oldest turns have to leave so that the others take no more than `n_room`.

    Args:
        sizes: tokens of each turn, the oldest first.
        n_room: tokens that may stay.
    """
    total = sum(sizes)
    for place, size in enumerate(sizes):
        if total <= n_room:
            return place
        total -= size
    return len(sizes)


def n_leaving_ahead(sizes: Sequence[int], n_window: int) -> int:
    """How many of the oldest turns should leave before anybody asks again; none while there is room.

    Who asked a long question may ask another one, and where that found no room, it would have to wait until the new
    beginning is read. So the window is nearly full, too, where it has no room for its largest turn once more.

    Args:
        sizes: tokens of each turn, the oldest first.
        n_window: tokens that the window holds.
    """
    n_next = max(sizes, default=0)
    if sum(sizes) <= min(_FULL_SHARE * n_window, n_window - n_next):
        return 0
    return n_leaving(sizes, max(0, min(round(KEPT_SHARE * n_window), n_window - n_next)))
