"""What is known about the moment of a request beside the text: reasons to leave the user alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["ORDINARY", "Ignored", "Moment"]


class Ignored(StrEnum):
    """Whether git would ignore the file."""

    NO = "no"
    YES = "yes"
    UNKNOWN = "unknown"
    """Nobody has answered in time."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The moment of one request.

    Attributes:
        snoozed_s: seconds for which the user still wants quiet; 0 for none.
        in_snippet: the editor says that the user fills in a snippet's places.
        is_after_large_edit: the newest change of the document was a paste, a large deletion or a large undo.
        ignored: whether git would ignore the file.
    """

    snoozed_s: float = 0.0
    in_snippet: bool = False
    is_after_large_edit: bool = False
    ignored: Ignored = Ignored.NO


ORDINARY = Moment()
"""One like any other."""
