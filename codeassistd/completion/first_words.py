"""The first words of a line that takes long to write, shown while the rest goes on.

Pure. They end where a reader could stop: behind a whole word, with nothing open that they opened, and never behind the
first word, which says too little alone. Whether they are a sentence of the language is for the pipeline to say, which
cuts more off where they are not.
"""

from __future__ import annotations

import re
from dataclasses import replace

from codeassistd.completion.balance import Scan
from codeassistd.completion.offer import Raw
from codeassistd.completion.place import Place

__all__ = ["first_words"]

#: Behind what ends a word or a closed bracket, before what parts it from the next; or behind a sentence.
_BORDER = re.compile(r"(?<=[\w)\]}\"'`])(?=[ \t,;])|(?<=[.!?])(?=[ \t])")
_WORD = re.compile(r"\w+")
_MIN_WORDS = 2


def first_words(raw: Raw, place: Place) -> Raw | None:
    """The most of a line that is still being written which can stand alone; None where nothing of it can."""
    if "\n" in raw.text.strip("\n"):
        return None
    before = place.scanned()
    for border in reversed([match.start() for match in _BORDER.finditer(raw.text)]):
        text = raw.text[:border]
        if len(_WORD.findall(text)) < _MIN_WORDS:
            return None
        if _is_closed(before, place.scanned(text)):
            return replace(raw, text=text, is_finished=True, is_cut_off=False)
    return None


def _is_closed(before: Scan, after: Scan) -> bool:
    """Whether no more is open than there was before: no bracket, no string, and no comment over several lines."""
    return (
        len(after.openers) <= len(before.openers)
        and after.n_open_strings <= before.n_open_strings
        and after.inside in {"", before.inside}
    )
