"""Where to stop a running answer: at the end of the line or of the block, at too many lines, or in a loop.

Each token that is not generated is time that the user does not wait. Judged on the raw text, before it is made to fit,
so these rules are coarse: what they let through is cut by the pipeline.
"""

from __future__ import annotations

from codeassistd.completion.balance import CLOSERS
from codeassistd.completion.place import Place, lead
from codeassistd.completion.repetition import loop_start

__all__ = ["stop_at"]

# A model that only breaks lines has nothing to say.
_MAX_LEADING_BREAKS = 4
# Two blank lines part definitions in most styles; one belongs to bodies.
_MAX_BLANK_LINES = 1


def stop_at(raw: str, place: Place, max_lines: int) -> int | None:
    """How much of `raw` is the answer, if nothing after that can belong to it; None to go on.

    Args:
        raw: all that was generated so far.
        place: where it goes.
        max_lines: lines that are wanted.
    """
    body = raw.lstrip()
    blanks = raw[: len(raw) - len(body)]
    if not body:
        return 0 if blanks.count("\n") > _MAX_LEADING_BREAKS else None
    # The blanks before the first word on its line belong to that line.
    start = blanks.rfind("\n") + 1
    lines = raw[start:].split("\n")
    if max_lines == 1:
        kept = 1 if len(lines) > 1 else None
    else:
        # On a blank line the first line is the one that the cursor stands on; elsewhere only an unbroken one is.
        n_own = 1 if place.is_blank_before or start == 0 else 0
        kept = _kept_lines(lines, place, max_lines, n_own)
    return None if kept is None else start + len("\n".join(lines[:kept]))


def _kept_lines(lines: list[str], place: Place, max_lines: int, n_own: int) -> int | None:
    """How many of `lines` belong to the block; None while all of them may. The first `n_own` do in any case."""
    opener = place.line_above if place.is_blank_before else place.head
    floor = place.style.columns(lead(opener)) + 1
    n_blank = 0
    # The last line is still being written: its first letter is enough to see a dedent, but not to see a loop.
    for index, line in enumerate(lines):
        if index == max_lines or n_blank > _MAX_BLANK_LINES:
            return index - n_blank
        if not line.strip():
            n_blank += 1
            continue
        n_blank = 0
        if index >= n_own and place.style.columns(lead(line)) < floor:
            if line.lstrip()[0] not in CLOSERS:
                return index
            if index < len(lines) - 1:
                return index + 1
    start = loop_start(lines[:-1])
    return start if start < len(lines) - 1 else None
