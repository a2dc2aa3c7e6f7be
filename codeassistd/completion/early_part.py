"""What of an answer is shown before all of it is there: its first whole lines, or the first words of a slow line.

Pure. What is shown early is asked for again by the next key, or once it is accepted, and the rest is at hand then. But
who rests and looks presses none: to him half a line says less than a whole one a moment later. So words come late,
where the deadline would soon leave nothing. Who asks by hand asks once, and is told no half of a line.
"""

from __future__ import annotations

from dataclasses import replace

from codeassistd.completion.first_lines import first_lines
from codeassistd.completion.first_words import first_words
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place
from codeassistd.completion.types import Trigger

__all__ = ["early_part"]

#: Shares of the deadline after which a part is worth more than a longer wait for all of it: of 2 s, 250 ms and 1 s.
_PATIENCE_FOR_LINES = 0.125
_PATIENCE_FOR_WORDS = 0.5


def early_part(raw: Raw, place: Place, trigger: Trigger, waited: float) -> Raw | None:
    """The part of an answer that is worth showing by now; None where there is none, or more is worth waiting for.

    Args:
        raw: what is there, while more comes.
        place: the cursor.
        trigger: who asks.
        waited: how long the user waits for this answer, as a share of the deadline.
    """
    if waited < _PATIENCE_FOR_LINES:
        return None
    part = first_lines(raw, place)
    if part is None and waited >= _PATIENCE_FOR_WORDS and trigger is Trigger.AUTOMATIC:
        part = first_words(raw, place)
    return None if part is None else replace(part, why=f"{raw.why}; its beginning, since all of it takes long")
