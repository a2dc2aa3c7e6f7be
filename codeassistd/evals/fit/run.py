"""`eval fit`: asks a real server at each spot, accepts what comes, and judges the document that this gives.

The server is a scratch daemon behind `codeassistd lsp --stdio`: what is judged is what an editor would get. Automatic
requests are what users see; those by hand pass the rules of silence, so they show more faults.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from codeassistd.clock import SystemClock
from codeassistd.daemon.launcher import SERVE
from codeassistd.errors import DaemonError
from codeassistd.evals.fit.spots import Spot
from codeassistd.evals.fit.verdict import Verdict, judge
from codeassistd.metrics.spans import Outcome
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages
from codeassistd.testing.lsp_client import AUTOMATIC, INVOKED, LspClient, LspError
from codeassistd.testing.lsp_process import lsp_process, until_ready
from codeassistd.testing.scratch import scratch_daemon
from codeassistd.text import PositionEncoding, Text

__all__ = ["Asked", "FitPlan", "FitRun", "Trigger", "run_fit"]

_READY_S = 300.0
#: Nobody waits for the answers here: fit is judged, not speed.
_DEADLINE_MS = 60_000
#: What is no silence but a fault: such as a daemon that ended, so that the next one has to load its model first.
_FAILED = frozenset({Outcome.LOADING.value, Outcome.ERROR.value})


class Trigger(StrEnum):
    """How the editor asks."""

    INVOKED = "invoked"
    AUTOMATIC = "automatic"


@dataclass(frozen=True, slots=True)
class FitPlan:
    """What is asked, and of whom.

    Attributes:
        command: starts what an editor starts: a server that speaks on its standard streams.
        serve: starts the scratch daemon.
        root: the workspace that the server is told of.
        overrides: settings of the scratch daemon, as `parse_assignments` returns them.
    """

    command: Sequence[str]
    root: Path
    spots: Sequence[Spot]
    trigger: Trigger = Trigger.INVOKED
    overrides: Mapping[str, str] = field(default_factory=dict)
    serve: Sequence[str] = SERVE


@dataclass(frozen=True, slots=True)
class Asked:
    """One spot, and what came of it.

    Attributes:
        inserted: what was accepted; None if nothing came.
        verdict: on the document after that; None if nothing came.
        reason: why nothing came, in the words of the server.
        filters: what was done to the model's text.
        evidence: what the gate knew of the text, by name; empty if there was none.
    """

    spot: Spot
    inserted: str | None
    verdict: Verdict | None
    reason: str
    filters: tuple[str, ...]
    evidence: Mapping[str, float | str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class FitRun:
    """All spots; `model` is what the daemon says about its model."""

    asked: tuple[Asked, ...]
    model: Mapping[str, Any]


def run_fit(plan: FitPlan, user: Paths, on_spot: Callable[[], None]) -> FitRun:
    """Carry the plan out; blocks.

    Raises:
        DaemonError: there is no daemon to be had, it has no model, or it fails.
    """
    with scratch_daemon(user, plan.overrides, plan.serve) as daemon:
        return asyncio.run(_ask_all(plan, daemon.environ, on_spot))


async def _ask_all(plan: FitPlan, environ: Mapping[str, str], on_spot: Callable[[], None]) -> FitRun:
    languages, asked = Languages.default(), []
    async with lsp_process(plan.command, environ) as client:
        await client.initialize(
            plan.root,
            capabilities={"textDocument": {"inlineCompletion": {}}},
            options={"completion": {"deadline_ms": _DEADLINE_MS, "ignored_files": True}},
        )
        status = await until_ready(client, SystemClock(), _READY_S)
        for spot in plan.spots:
            asked.append(await _ask(client, spot, plan.trigger, languages))
            on_spot()
        await client.leave()
    return FitRun(tuple(asked), status["model"])


async def _ask(client: LspClient, spot: Spot, trigger: Trigger, languages: Languages) -> Asked:
    uri = spot.path.as_uri()
    text = Text.of(spot.before)
    place = text.position_at(len(text), PositionEncoding.UTF16)
    client.open(uri, spot.before + spot.after, spot.language)
    kind = INVOKED if trigger is Trigger.INVOKED else AUTOMATIC
    try:
        items = await client.complete(uri, place.line, place.character, trigger_kind=kind)
        story = await client.request("codeassistd/explain", {}) or {}
    except (LspError, TimeoutError) as error:
        raise DaemonError(f"the language server failed ({error}); see `codeassistd logs`") from error
    client.close_document(uri)
    if story.get("outcome") in _FAILED:
        raise DaemonError(
            f"the daemon fell out at {spot.path}:{spot.line} ({story['reason']}); nothing after it would count"
        )
    inserted = str(items[0]["insertText"]) if items else None
    return Asked(
        spot=spot,
        inserted=inserted,
        verdict=None if inserted is None else judge(spot, inserted, languages),
        reason=str(story.get("reason", "")),
        filters=tuple(story.get("filters", ())),
        evidence=dict(story.get("evidence", {})),
    )
