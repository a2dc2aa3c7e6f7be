"""What came back for the keys of a file, and the figures that are made of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from codeassistd.metrics.goals import Goal, at_most
from codeassistd.metrics.stats import percentile, share

__all__ = ["TYPING_GOALS", "FileTyped", "Reply", "is_without_engine", "typing_figures"]


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to the request that followed one key.

    Attributes:
        latency_ms: from the request to its answer.
        suggestion: the text of the item for that key's text; None where none came.
        id: of the suggestion; the daemon can explain it for a while.
        since: what was typed between the request and the answer.
        ahead: what the file has after that key.
    """

    latency_ms: float
    suggestion: str | None
    id: str
    since: str
    ahead: str

    @property
    def is_shown(self) -> bool:
        """Whether it held an item."""
        return self.suggestion is not None

    @property
    def is_still_right(self) -> bool:
        """Whether the item could be shown when it arrived: what was typed meanwhile is how it begins."""
        return self.suggestion is not None and self.suggestion.startswith(self.since)

    @property
    def agrees(self) -> bool:
        """Whether the first line of the item is what the file goes on with."""
        if self.suggestion is None:
            return False
        first = self.suggestion.lstrip("\r\n").partition("\n")[0].rstrip()
        return bool(first) and self.ahead.lstrip("\r\n").startswith(first)


@dataclass(frozen=True, slots=True)
class FileTyped:
    """One file, typed at one pace.

    Attributes:
        interval_ms: time between two keys; 0 types each key as soon as the one before has its answer.
        first: the answer right after the file was opened.
        replies: one for each key.
        n_explained: shown items whose story the daemon still had.
        n_without_engine: those of them that the engine was not asked for.
        cpu_s: time of all processors that the daemon's process took for the keys.
        n_prompt, n_cached: tokens of the prompts, and those of them that did not have to be read again.
    """

    name: str
    interval_ms: int
    first: Reply
    replies: tuple[Reply, ...]
    n_explained: int
    n_without_engine: int
    cpu_s: float
    n_prompt: int
    n_cached: int


def is_without_engine(story: Mapping[str, Any]) -> bool:
    """Whether the engine did not have to be asked for a shown item, by the daemon's story of its request."""
    return bool(story["source"] != "engine")


#: By the figure's name without its pace; measured on a processor with the starter model.
TYPING_GOALS: Mapping[str, Goal] = {
    "p50_ms": at_most(40),
    "p90_ms": at_most(140),
    "first_ms": at_most(2000),
    "cpu_s_per_key": at_most(0.2),
}


def typing_figures(files: Sequence[FileTyped]) -> dict[str, float | int | None]:
    """The figures of some files together; None where there is nothing to say.

    Latencies count only answers that hold an item, so they stand beside the share of keys that got one.
    """
    replies = [reply for file in files for reply in file.replies]
    shown = [reply for reply in replies if reply.is_shown]
    latencies = [reply.latency_ms for reply in shown]
    firsts = [file.first for file in files]
    first_latencies = [first.latency_ms for first in firsts if first.is_shown]
    return {
        "n_keys": len(replies),
        "p50_ms": percentile(latencies, 50),
        "p90_ms": percentile(latencies, 90),
        "p99_ms": percentile(latencies, 99),
        "show_rate": share(len(shown), len(replies)),
        "agree_share": share(sum(reply.agrees for reply in shown), len(shown)),
        "still_right_share": share(sum(reply.is_still_right for reply in shown), len(shown)),
        "without_engine_share": share(
            sum(file.n_without_engine for file in files), sum(file.n_explained for file in files)
        ),
        "cpu_s_per_key": share(sum(file.cpu_s for file in files), len(replies)),
        "prefix_reuse": share(sum(file.n_cached for file in files), sum(file.n_prompt for file in files)),
        "first_ms": percentile(first_latencies, 50),
        "first_max_ms": max(first_latencies, default=None),
        "first_show_rate": share(len(first_latencies), len(firsts)),
    }
