"""What models said at the cursors of the scenarios: one JSON file for each group, one line for each token.

A text that was written by hand stands in the scenario itself, and is played as tokens that are all equally sure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.errors import UsageError
from codeassistd.evals.scenarios.scenario import Scenario
from codeassistd.testing.replay_backend import Recording, Said

__all__ = ["RawText", "read_raw_texts", "recordings_of", "titles_without_text", "written_raw_texts"]

#: As a vocabulary would cut it, nearly: words with the blank before them, other characters, runs of blanks.
_PIECE = re.compile(r"[ \t]?\w+|[^\w\s]|\s+")
#: Letters before the cursor by which the model's prompt is told from all others.
_MOST_LETTERS = 240
_DIGITS = 3


@dataclass(frozen=True, slots=True)
class RawText:
    """What was said in one scenario.

    Attributes:
        model: its name; empty for what was written by hand.
    """

    model: str
    tokens: tuple[Said, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(said.text for said in self.tokens)


def read_raw_texts(folder: Path) -> dict[str, RawText]:
    """The recordings in `folder`, by the titles of their scenarios.

    Raises:
        UsageError: a file is none of ours.
    """
    found: dict[str, RawText] = {}
    for path in sorted(folder.glob("*.json")):
        try:
            for name, entry in json.loads(path.read_text("utf-8")).items():
                said = tuple(Said(str(text), float(logprob), float(margin)) for text, logprob, margin in entry["said"])
                found[f"{path.stem}: {name}"] = RawText(str(entry["model"]), said)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise UsageError(f"{path} holds no recordings ({error}); make them with --record") from error
    return found


def written_raw_texts(texts: Mapping[str, RawText]) -> str:
    """The file of one group; `texts` by the names of the scenarios."""
    entries = []
    for name, raw in texts.items():
        said = ",\n".join(f"      {_token(one)}" for one in raw.tokens)
        head = f'  {json.dumps(name, ensure_ascii=False)}: {{\n    "model": {json.dumps(raw.model)},\n    "said": ['
        entries.append(f"{head}\n{said}\n    ]\n  }}" if said else f"{head}]\n  }}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


def _token(said: Said) -> str:
    return json.dumps([said.text, round(said.logprob, _DIGITS), round(said.margin, _DIGITS)], ensure_ascii=False)


def written_by_hand(scenario: Scenario) -> RawText:
    """The text that the scenario itself gives."""
    pieces = _PIECE.findall(scenario.raw or "")
    return RawText("", tuple(Said(piece, scenario.logprob, scenario.margin) for piece in pieces))


def raw_text_of(scenario: Scenario, recorded: Mapping[str, RawText]) -> RawText | None:
    """What the model says there; None where nothing is known."""
    return written_by_hand(scenario) if scenario.raw is not None else recorded.get(scenario.title)


def recordings_of(scenarios: Sequence[Scenario], recorded: Mapping[str, RawText]) -> list[Recording]:
    """What a model is to say at each cursor; scenarios without a text are left out.

    Raises:
        UsageError: two scenarios cannot be told apart by what stands before their cursors.
    """
    ends: dict[str, str] = {}
    found: list[Recording] = []
    for scenario in scenarios:
        raw = raw_text_of(scenario, recorded)
        if raw is None:
            continue
        end = _end(scenario)
        for other, title in ends.items():
            if end.endswith(other) or other.endswith(end):
                raise UsageError(f"{scenario.title}: the text before its cursor ends like that of {title}")
        ends[end] = scenario.title
        found.append(Recording(end, raw.tokens))
    return found


def _end(scenario: Scenario) -> str:
    before = scenario.first_asked().before.replace("\r\n", "\n").removeprefix("\ufeff")
    # Before the first letter of a document stands its name alone.
    return before[-_MOST_LETTERS:].rstrip(" \t") or f"{scenario.file}\n"


def titles_without_text(scenarios: Iterable[Scenario], recorded: Mapping[str, RawText]) -> list[str]:
    """The scenarios for which nothing is known that a model would say."""
    return [scenario.title for scenario in scenarios if raw_text_of(scenario, recorded) is None]
