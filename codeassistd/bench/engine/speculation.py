"""What guessing ahead gains, and whether it leaves the text as it was.

Each prompt is answered twice, once with guesses and once without, by turns which comes first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from codeassistd.bench.engine.corpus import library_file
from codeassistd.bench.engine.keys import key_prompts
from codeassistd.bench.engine.measured import Effort, Measured, Row, ratio_row
from codeassistd.bench.engine.rig import Generated, Rig
from codeassistd.engine.request import Token
from codeassistd.metrics.stats import paired_ratio, share

__all__ = ["edit_prompt", "same_text", "spec_speedup"]

_MAX_DRAFT = 16
_N_PROMPT = 512
_N_OUTPUT = 64
_N_LINE_OUTPUT = 12
_CLOSE_CALL = 0.5
"""Distance to the runner-up under which another shape of the batch may turn a choice: arithmetic, not a fault."""

_EDITED_FILE = "argparse.py"
_N_EDITED_LINES = 30
_NAME = re.compile(r"\b[a-z_]{4,}\b")


@dataclass(slots=True)
class _Pairs:
    """What was found of one kind of prompts."""

    drafted: list[float] = field(default_factory=list)
    plain: list[float] = field(default_factory=list)
    n_drafted: int = 0
    n_accepted: int = 0
    same: list[bool | None] = field(default_factory=list)
    identical: list[bool] = field(default_factory=list)

    def add(self, drafted: Generated, plain: Generated) -> None:
        """Take one pair in."""
        self.n_drafted += sum(count.n_drafted for count in drafted.ending.drafts)
        self.n_accepted += sum(count.n_accepted for count in drafted.ending.drafts)
        self.same.append(same_text(drafted.tokens, plain.tokens))
        self.identical.append([token.id for token in drafted.tokens] == [token.id for token in plain.tokens])
        fast, slow = drafted.tokens_per_s, plain.tokens_per_s
        if fast and slow:
            self.drafted.append(fast)
            self.plain.append(slow)


async def spec_speedup(rig: Rig, effort: Effort) -> Measured:
    """Tokens per second with guesses against without: on code that goes on, on edited copies, and on single lines."""
    kinds: dict[str, tuple[Iterator[Sequence[int]], int]] = {
        "spec_speedup": (_repeated(lambda: rig.corpus.take(_N_PROMPT)), _N_OUTPUT),
        "spec_speedup_edits": (_edit_prompts(rig), _N_OUTPUT),
        "spec_speedup_lines": (key_prompts(rig, effort.n_pairs), _N_LINE_OUTPUT),
    }
    figures: dict[str, float | int | None] = {}
    rows: list[Row] = []
    every = _Pairs()
    for name, (prompts, n_output) in kinds.items():
        pairs = await _pairs_of(rig, islice(prompts, effort.n_pairs), n_output)
        ratio = paired_ratio(pairs.drafted, pairs.plain) if pairs.drafted else None
        figures[name] = None if ratio is None else ratio.value
        figures[name.replace("speedup", "acceptance")] = share(pairs.n_accepted, pairs.n_drafted)
        rows += [] if ratio is None else [ratio_row(name, ratio)]
        every.same += pairs.same
        every.identical += pairs.identical
    judged = [same for same in every.same if same is not None]
    figures["spec_same_text"] = share(sum(judged), len(judged))
    figures["spec_identical_text"] = share(sum(every.identical), len(every.identical))
    return Measured(figures, rows)


def same_text(drafted: Sequence[Token], plain: Sequence[Token]) -> bool | None:
    """Whether two answers are the same; None where they part at a close call, which proves nothing."""
    for one, other in zip_longest(drafted, plain):
        # Where one of the two ends, the other tells how close that was.
        margins = [token.margin for token in (one, other) if token is not None]
        if one is None or other is None or one.id != other.id:
            return None if min(margins) < _CLOSE_CALL else False
    return True


def edit_prompt(lines: Sequence[str]) -> str:
    """Some lines of code, and the first third of a copy in which the most used name is another one."""
    code = "".join(lines)
    names = Counter(_NAME.findall(code)).most_common(1)
    copied = "".join(lines[: len(lines) // 3])
    if names:
        copied = re.sub(rf"\b{names[0][0]}\b", f"{names[0][0]}_new", copied)
    return f"{code}\n\n{copied}"


async def _pairs_of(rig: Rig, prompts: Iterator[Sequence[int]], n_output: int) -> _Pairs:
    pairs = _Pairs()
    for number, prompt in enumerate(prompts):
        # Both shall find the prompt read: read along with it, the first token may come out another by rounding.
        await rig.generate(prompt, 1)
        found = {}
        for max_draft in (0, _MAX_DRAFT) if number % 2 else (_MAX_DRAFT, 0):
            found[max_draft] = await rig.generate(prompt, n_output, max_draft=max_draft)
        pairs.add(found[_MAX_DRAFT], found[0])
    return pairs


def _edit_prompts(rig: Rig) -> Iterator[Sequence[int]]:
    lines = library_file(_EDITED_FILE).read_text("utf-8").splitlines(keepends=True)
    start = 0
    while True:
        start = (start + _N_EDITED_LINES) % (len(lines) - _N_EDITED_LINES)
        prompt = edit_prompt(lines[start : start + _N_EDITED_LINES])
        yield rig.vocabulary.tokenize(prompt)[: rig.info.n_ctx - _N_OUTPUT]


def _repeated(make: Callable[[], Sequence[int]]) -> Iterator[Sequence[int]]:
    while True:
        yield make()
