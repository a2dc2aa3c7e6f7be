"""Whether a document is as good after accepting a suggestion: judged from outside, not by the filters that made it."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from dataclasses import dataclass

from codeassistd.evals.fit.spots import Spot
from codeassistd.evals.python_source import parses
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.soundness import n_faults
from codeassistd.text import Text

__all__ = ["Verdict", "judge", "surplus"]

# Shorter lines stand twice for good reasons.
_MIN_LINE = 8
_LETTER = re.compile(r"[^\W\d_]")
_STRING = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'")
_PAIRS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is wrong with the document after accepting.

    Attributes:
        parses_as_well: whether it has no more faults than before, read from nothing by the grammar.
        compiles_as_well: whether Python's own parser still takes it, if it took it before; None where it cannot tell. A
            block that was opened last may be empty yet.
        doubled: what stands there twice: "line", "closer", "separator"; empty if nothing does.
    """

    parses_as_well: bool
    compiles_as_well: bool | None
    doubled: str

    @property
    def is_good(self) -> bool:
        """Whether nothing is wrong."""
        return self.parses_as_well and self.compiles_as_well is not False and not self.doubled


def judge(spot: Spot, inserted: str, languages: Languages) -> Verdict:
    """The verdict on `inserted` at `spot`."""
    return Verdict(
        _parses_as_well(spot, inserted, languages),
        _compiles_as_well(spot, inserted) if spot.language == "python" else None,
        _doubled_line(spot, inserted) or _doubled_closer(spot, inserted) or _doubled_separator(spot, inserted),
    )


def _parses_as_well(spot: Spot, inserted: str, languages: Languages) -> bool:
    language = languages.by_id(spot.language)
    grammar = None if language is None else languages.grammar(language)
    if grammar is None:
        return True
    before = spot.before + spot.after
    n_before = n_faults(grammar, Text.of(before))
    finals = [spot.before + inserted + spot.after]
    if inserted.rstrip().endswith("{") and surplus(before)["}"] < 0:
        # It is written from above and not closed yet: a block more to close is nothing new.
        finals.append(spot.before + inserted + "}" + spot.after)
    return any(n_faults(grammar, Text.of(final)) <= n_before for final in finals)


def _compiles_as_well(spot: Spot, inserted: str) -> bool | None:
    if not parses(spot.before + spot.after):
        return None
    bodies = ["", " pass", " pass\n" + _lead(spot, inserted) + "finally: pass"] if inserted.endswith(":") else [""]
    return any(parses(spot.before + inserted + body + spot.after) for body in bodies)


def _lead(spot: Spot, inserted: str) -> str:
    """The indentation of the last line of what was put in."""
    line = (spot.before + inserted).rpartition("\n")[2]
    return line[: len(line) - len(line.lstrip())]


def _doubled_line(spot: Spot, inserted: str) -> str:
    """A line beside its equal, unless the file itself has it so."""
    above, _, head = spot.before.rpartition("\n")
    tail, _, below = spot.after.partition("\n")
    written = (head + inserted + tail).split("\n")
    lines = [_last(above), *(line.rstrip() for line in written if line.strip()), _first(below)]
    if not inserted.strip():
        return ""
    # The two next to the suggestion may be equal by themselves.
    truth = {line.strip() for line in spot.removed.splitlines()} | {(head + spot.removed + tail).strip()}
    for first, second in itertools.pairwise(lines):
        if first == second and len(first.strip()) >= _MIN_LINE and _LETTER.search(first) and first.strip() not in truth:
            return "line"
    return ""


def _doubled_closer(spot: Spot, inserted: str) -> str:
    """More closers than the hole wants, where the document behind it goes on with one."""
    following = spot.after.lstrip()[:1]
    if following not in _PAIRS.values() or not inserted.rstrip().endswith(following):
        return ""
    wanted = max(0, surplus(spot.removed)[following])
    return "closer" if surplus(inserted)[following] > wanted else ""


def _doubled_separator(spot: Spot, inserted: str) -> str:
    following, end = spot.after[:1], inserted.rstrip()[-1:]
    return "separator" if following and following == end and following in ",;" else ""


def surplus(text: str) -> Counter[str]:
    """Closers of each kind that the text has more than openers."""
    counts = Counter(_STRING.sub("", text))
    return Counter({closer: counts[closer] - counts[opener] for opener, closer in _PAIRS.items()})


def _last(text: str) -> str:
    return next((line.rstrip() for line in reversed(text.split("\n")) if line.strip()), "")


def _first(text: str) -> str:
    return next((line.rstrip() for line in text.split("\n") if line.strip()), "")
