"""What was asked under load and what became of it, and the figures that are made of that. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from codeassistd.metrics.stats import percentile, share

__all__ = ["N_COLD_KEYS", "Asked", "Fate", "Kind", "Phase", "class_rows", "keystroke_figures", "mix"]


class Kind(StrEnum):
    """What a client does."""

    TYPING = "typing"
    """Types, and waits for the answer to each key."""
    CHAT = "chat"
    """Asks about some long files, and reads the answer as it comes."""
    BACKGROUND = "background"
    """Opens long documents, which are read ahead, and asks by hand in them."""


class Phase(StrEnum):
    """When it was asked."""

    WARM = "warm"
    """One client types and one chats, so that nothing that is compared is done for the first time."""
    ALONE = "alone"
    """One client types, and nothing else is done."""
    BESIDE = "beside"
    """It types while a chat is answered."""
    LOAD = "load"
    """All clients at once."""


class Fate(StrEnum):
    """How a request ended."""

    ANSWERED = "answered"
    """Something came that can be shown."""
    EMPTY = "empty"
    """The server had nothing to say."""
    REFUSED = "refused"
    """It said that it will not, such as a chat for which there is no room."""
    TAKEN_BACK = "taken back"
    """We took it back, at the end."""
    LOST = "lost"
    """Nothing came at all."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One request.

    Attributes:
        sent_s, ended_s: when it was sent, and when its reply came.
        first_s: when the first piece of a streamed answer came; None where none did.
        n_pieces: pieces of it.
        nth: which key of its document it was asked behind, from 1; 0 for what no key was typed for.
    """

    kind: Kind
    phase: Phase
    fate: Fate
    sent_s: float
    ended_s: float
    first_s: float | None = None
    n_pieces: int = 0
    nth: int = 0

    @property
    def total_ms(self) -> float:
        """From the request to its reply."""
        return 1000 * (self.ended_s - self.sent_s)

    @property
    def first_ms(self) -> float | None:
        """From the request to the first piece."""
        return None if self.first_s is None else 1000 * (self.first_s - self.sent_s)

    @property
    def piece_ms(self) -> float | None:
        """From one piece to the next, on average; None for less than two."""
        if self.first_s is None or self.n_pieces < 2:  # noqa: PLR2004 - a pause lies between two
            return None
        return 1000 * (self.ended_s - self.first_s) / (self.n_pieces - 1)


#: Half of the clients type, since that is what most do most of the time.
_TURNS = (Kind.TYPING, Kind.CHAT, Kind.TYPING, Kind.BACKGROUND)


def mix(n_clients: int) -> tuple[Kind, ...]:
    """What each client does."""
    return tuple(_TURNS[number % len(_TURNS)] for number in range(n_clients))


#: Keys of a document that was opened just now, whose prompts are read from their beginnings.
N_COLD_KEYS = 3
#: Fewer keys than this have no 90th percentile worth a ratio.
_N_LEAST = 30


def class_rows(asked: Sequence[Asked], seconds: float) -> list[dict[str, object]]:
    """One row for each kind of client under load; times are of requests that were answered, if only by nothing."""
    rows: list[dict[str, object]] = []
    for kind in Kind:
        own = [one for one in asked if one.kind is kind and one.phase is Phase.LOAD]
        done = [one for one in own if one.fate in {Fate.ANSWERED, Fate.EMPTY}]
        totals = [one.total_ms for one in done]
        firsts = [one.first_ms for one in done if one.first_ms is not None]
        pieces = [one.piece_ms for one in done if one.piece_ms is not None]
        rows.append(
            {
                "table": "classes",
                "class": kind.value,
                "n_asked": len(own),
                **{f"n_{fate.name.lower()}": sum(one.fate is fate for one in own) for fate in Fate},
                "per_s": share(len(done), seconds),
                **{f"total_ms_p{percent}": percentile(totals, percent) for percent in (50, 90, 99)},
                **{f"first_ms_p{percent}": percentile(firsts, percent) for percent in (50, 90)},
                **{f"piece_ms_p{percent}": percentile(pieces, percent) for percent in (50, 90)},
            }
        )
    return rows


def keystroke_figures(asked: Sequence[Asked]) -> dict[str, float | int | None]:
    """How much longer a key waits beside a chat than alone: the 90th percentile of each, and the one by the other.

    The first keys of a document are left out of both: it is read for them, and chance says in which phase that falls.
    """
    keys = [
        one
        for one in asked
        if one.kind is Kind.TYPING and one.fate in {Fate.ANSWERED, Fate.EMPTY} and one.nth > N_COLD_KEYS
    ]
    alone, beside = ([one.total_ms for one in keys if one.phase is phase] for phase in (Phase.ALONE, Phase.BESIDE))
    alone_ms, beside_ms = percentile(alone, 90), percentile(beside, 90)
    chats = [one for one in asked if one.kind is Kind.CHAT and one.phase is Phase.BESIDE]
    is_enough = min(len(alone), len(beside)) >= _N_LEAST
    return {
        "keystroke_alone_ms_p90": alone_ms,
        "keystroke_beside_chat_ms_p90": beside_ms,
        "keystroke_ratio": beside_ms / alone_ms if is_enough and beside_ms and alone_ms else None,
        "n_keys_alone": len(alone),
        "n_keys_beside_chat": len(beside),
        "n_pieces_beside_keys": sum(one.n_pieces for one in chats),
    }
