"""What of an answer is shown before all of it is there: its first whole lines, or the first words of a slow line.

Pure. What is shown early is asked for again by the next key, or once it is accepted, and the rest is at hand then. So a
statement may begin with its words as soon as a user would notice the wait. Who opens a block waits for lines of it a
little longer, since half of its first line helps nobody. Who asks by hand asks once, and is told no half of a line.
"""

from __future__ import annotations

from dataclasses import replace

from codeassistd.completion.first_lines import first_lines
from codeassistd.completion.first_words import first_words
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place
from codeassistd.completion.stops import Extent
from codeassistd.completion.types import Trigger

__all__ = ["early_part"]

#: Shares of the deadline after which a part is worth more than a longer wait for all of it: of 2 s, 140 and 250 ms.
_PATIENCE = 0.07
_PATIENCE_FOR_BLOCKS = 0.125


def early_part(raw: Raw, place: Place, extent: Extent, trigger: Trigger, waited: float) -> Raw | None:
    """The part of an answer that is worth showing by now; None where there is none, or more is worth waiting for.

    Args:
        raw: what is there, while more comes.
        place: the cursor.
        extent: how much is wanted.
        trigger: who asks.
        waited: how long the user waits for this answer, as a share of the deadline.
    """
    if waited < (_PATIENCE_FOR_BLOCKS if extent is Extent.BLOCK else _PATIENCE):
        return None
    part = first_lines(raw, place)
    if part is None and trigger is Trigger.AUTOMATIC:
        part = first_words(raw, place)
    return None if part is None else replace(part, why=f"{raw.why}; its beginning, since all of it takes long")
