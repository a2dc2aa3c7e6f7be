"""What typing costs: forty keys at each case, and how much of each prompt the one before had already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from codeassistd.clock import Clock
from codeassistd.context.builder import ContextBuilder
from codeassistd.evals.context.case import Case
from codeassistd.evals.context.ways import Asker, facts_of
from codeassistd.text import Span, Text

__all__ = ["N_KEYS", "Typed", "type_in"]

N_KEYS = 40
# Editors indent by themselves, so a line break brings the next line's indentation with it.
_KEY = re.compile(r"(?:\r\n|\n|\r)[ \t]*|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Typed:
    """What the keys of one case cost.

    Attributes:
        n_prompt, n_reused: tokens of all prompts but the first, and those that the prompt before began with.
        build_ms: of each key.
    """

    n_prompt: int
    n_reused: int
    build_ms: tuple[float, ...]


def type_in(case: Case, asker: Asker, n_tokens: int, clock: Clock) -> Typed:
    """Type the case's line and what follows it, each key with a prompt of at most `n_tokens`.

    What is typed is missing from the file until then, to the end of its last line. The parser reads the file again
    after each line break, as it would in a pause.
    """
    builder = ContextBuilder(asker.lookup)
    before = case.text.slice(Span(0, case.offset))
    keys = list(islice((match.group() for match in _KEY.finditer(case.truth + case.behind)), N_KEYS))
    rest = (case.truth + case.behind)[len("".join(keys)) :]
    line_end = re.search(r"\r\n|\n|\r", rest)
    after = rest[line_end.start() :] if line_end else ""
    facts = None
    last: Sequence[int] = ()
    n_prompt = n_reused = 0
    build_ms: list[float] = []
    for n_keys in range(len(keys) + 1):
        typed = before + "".join(keys[:n_keys])
        text = Text.of(typed + after)
        if facts is None or keys[n_keys - 1].startswith(("\n", "\r")):
            facts = facts_of(case, text)
        request = asker.request(asker.document(case, text, n_keys), len(typed.encode()), n_tokens, facts)
        begun_s = clock.monotonic_s()
        prompt = builder.build(request, asker.vocabulary, asker.profile)
        if n_keys:
            build_ms.append(1000 * (clock.monotonic_s() - begun_s))
            n_prompt += len(prompt.ids)
            n_reused += _n_alike(last, prompt.ids)
        last = prompt.ids
    return Typed(n_prompt, n_reused, tuple(build_ms))


def _n_alike(one: Sequence[int], two: Sequence[int]) -> int:
    pairs = zip(one, two, strict=False)
    return next((index for index, (left, right) in enumerate(pairs) if left != right), min(len(one), len(two)))
