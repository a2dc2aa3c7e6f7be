"""Whether a prompt shows the definition that the next line needs, and if not, why."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from codeassistd.context.types import Prompt
from codeassistd.evals.context.case import Case
from codeassistd.index.types import IndexLookup

__all__ = ["Cause", "cause_of_miss", "is_shown"]

_WORDS = re.compile(r"\w+|[^\w\s]")
#: What may stand between the words of a signature that was folded onto one line, or written as a comment.
_BETWEEN = r"(?:\s|//|\#|,(?=\s*[)\]}]))*"


class Cause(StrEnum):
    """Why a definition is not in a prompt."""

    NOT_INDEXED = "not in the index"
    NOT_FOUND = "not found from the cursor"
    """The index has it, but nothing round the cursor led to it."""
    NO_ROOM = "no room"
    """In a prompt of many more tokens it would be."""


def is_shown(case: Case, prompt: Prompt) -> bool:
    """Whether a signature of the needed definition stands anywhere in the prompt, whatever its line breaks."""
    text = "".join(part.text for part in prompt.parts)
    return any(_pattern(signature).search(text) for signature in case.needed.signatures)


def cause_of_miss(case: Case, lookup: IndexLookup, root: Path, with_plenty: Callable[[], Prompt]) -> Cause:
    """Why the definition is not in a prompt of `case`.

    Args:
        case: what was asked.
        lookup: the index that the prompt was made from.
        root: the repository.
        with_plenty: makes a prompt that has room for everything.
    """
    known = lookup.definitions(root, [case.needed.name], root / case.file.path, case.file.facts.imports)
    if not any(definition.relative == case.needed.path for definition in known):
        return Cause.NOT_INDEXED
    return Cause.NO_ROOM if is_shown(case, with_plenty()) else Cause.NOT_FOUND


def _pattern(signature: str) -> re.Pattern[str]:
    words = _WORDS.findall(signature.removesuffix("…"))
    return re.compile(r"(?<![\w$])" + _BETWEEN.join(map(re.escape, words)))
