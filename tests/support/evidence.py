"""Evidence, records and tokens made up for tests."""

from __future__ import annotations

from dataclasses import replace

from codeassistd.completion.evidence import Evidence, Situation
from codeassistd.completion.history.record import Fate, Record
from codeassistd.completion.place import Place
from codeassistd.engine.request import Token
from codeassistd.syntax.languages import Languages
from codeassistd.testing.marked_text import marked

__all__ = ["USUAL", "place_at", "record", "tokens"]

USUAL = Evidence(
    situation=Situation.STATEMENT,
    mean_logprob=-0.4,
    min_logprob=-1.2,
    first_logprob=-0.6,
    min_margin=0.8,
    n_letters=12,
    n_lines=1,
)


def place_at(source: str, language: str = "python") -> Place:
    """The place at the mark `|`."""
    text, offset = marked(source)
    data = text.encode()
    return Place.of(
        data[:offset].decode(), data[offset:].decode(), Languages.default().by_id(language), knows_start=True
    )


def tokens(*texts: str, logprob: float = -0.1, margin: float = 5.0) -> list[Token]:
    """Tokens that the model is equally sure of."""
    return [Token(number, text, logprob, margin) for number, text in enumerate(texts)]


def record(identity: str = "a", fate: Fate = Fate.SHOWN, evidence: Evidence = USUAL, **more: object) -> Record:
    """A suggestion of the history."""
    plain = Record(
        id=identity,
        shown_at=1_750_000_000.0,
        language="python",
        trigger="automatic",
        source="engine",
        gate="constants",
        score=0.5,
        evidence=evidence,
        fate=fate,
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # the caller's fields
