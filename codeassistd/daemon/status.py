"""How the daemon stands: one word for the status line, and one plain dict for `status` and the editors."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

import psutil

from codeassistd import __version__
from codeassistd.completion.history.outcomes import Outcomes
from codeassistd.config import Settings
from codeassistd.engine.request import EngineState
from codeassistd.index.types import IndexPhase
from codeassistd.metrics.spans import Outcome, Source, Span

if TYPE_CHECKING:
    from codeassistd.daemon.daemon import Daemon

__all__ = ["daemon_state", "daemon_status", "gate_status", "plain"]

_SCHEMA = 1
#: Endings that say something about the engine; a request that was silent, cancelled or too late says nothing.
_TELLING = frozenset({Outcome.SHOWN, Outcome.EMPTY, Outcome.ERROR})
#: Parts of the engine's status that stand elsewhere.
_NOT_FIGURES = frozenset({"state", "detail", "asked", "effective", "warnings", "last_error", "last_error_at"})


def daemon_state(daemon: Daemon) -> tuple[str, str]:
    """One of loading, indexing, ready, error; and a detail for people.

    An engine whose newest telling request failed counts as an error until one succeeds again.
    """
    engine = daemon.engine.status()
    if engine.state in {EngineState.FAILED, EngineState.EMPTY}:
        return "error", engine.detail or "no model is chosen; see `codeassistd model list`"
    if engine.state is EngineState.LOADING:
        return "loading", engine.detail
    if engine.state is EngineState.UNLOADED:
        return "ready", engine.detail
    failure = _standing_failure(daemon.spans.recent())
    if failure:
        return "error", failure
    crawl = _crawl(daemon)
    if crawl:
        return "indexing", crawl
    return "ready", engine.detail or _snoozed(daemon)


def daemon_status(daemon: Daemon) -> dict[str, object]:
    """All that is known, as plain values; the schema grows, and its number changes if it ever shrinks.

    `model` has what was asked for beside what is in force, `completions` the number of requests by how they ended and
    the share of prompt tokens that did not have to be read again; `context` how long prompts may take to read;
    `sources` how many suggestions came from where, `saved_ms` what the engine did not have to do again for them,
    `follow_ups` what was worked out ahead, `semantic` what became of answers that were proposed again; `metrics` the
    main figures, see `metrics.figures`, and `exporter` where they are served over HTTP; `tuned` what `tune` has found,
    beside what is in force; `chat` the open conversations, each with the tokens it takes in the cache. Times are
    seconds, sizes bytes.
    """
    engine = daemon.engine.status()
    state, detail = daemon_state(daemon)
    spans = daemon.spans
    return {
        "schema": _SCHEMA,
        "version": __version__,
        "pid": os.getpid(),
        "uptime_s": round(daemon.uptime_s, 3),
        "state": state,
        "detail": detail,
        "last_error": engine.last_error,
        "last_error_at": engine.last_error_at,
        "model": _model(daemon),
        "engine": {key: value for key, value in _table(engine).items() if key not in _NOT_FIGURES},
        "index": plain(daemon.indexer.status()) if daemon.indexer is not None else {},
        "sessions": [
            {
                "id": session.id,
                "client": session.client_name,
                "roots": [str(root) for root in session.roots],
                "n_documents": len(session.documents),
            }
            for session in daemon.sessions
        ],
        "completions": {
            **{outcome.value: spans.counts.get(outcome, 0) for outcome in Outcome},
            "n_prompt": spans.n_prompt,
            "n_cached": spans.n_cached,
            "reuse": round(spans.n_cached / spans.n_prompt, 4) if spans.n_prompt else 0.0,
            "n_drafted": spans.n_drafted,
            "n_accepted": spans.n_accepted,
            "sources": {source.value: spans.sources.get(source, 0) for source in Source if source is not Source.NONE},
            "saved_ms": round(spans.saved_ms, 1),
            "follow_ups": plain(daemon.completion.follow_ups),
            "semantic": daemon.completion.semantic.status(),
        },
        "context": daemon.completion.reading(daemon.settings.context),
        "chat": daemon.chat.status(daemon.settings.chat),
        "snoozed_s": round(daemon.snooze.left_s, 1),
        "gate": gate_status(daemon.outcomes),
        "tuned": _tuned(daemon.tuned, daemon.settings),
        "metrics": daemon.measuring.figures().as_table(),
        "exporter": daemon.exporter.status(),
        "socket": str(daemon.paths.socket_file),
        "log_file": str(daemon.paths.log_file),
        "idle_exit_s": daemon.settings.daemon.idle_exit_s,
        "memory_bytes": psutil.Process().memory_info().rss,
    }


def _tuned(tuned: Mapping[str, str], settings: Settings) -> dict[str, object]:
    """What the tuned profile asks for beside what is in force, which is the user's own where that differs."""
    values = settings.model_dump(mode="json")
    effective = {key: values[key.partition(".")[0]][key.partition(".")[2]] for key in tuned}
    return {"asked": dict(tuned), "effective": effective}


def plain(value: object) -> object:
    """`value` as JSON knows it."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Path):
        return str(value)
    if is_dataclass(value) and not isinstance(value, type):
        return _table(value)
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain(item) for item in value]
    return value


def _table(value: object) -> dict[str, object]:
    return {field.name: plain(getattr(value, field.name)) for field in fields(value)}  # type: ignore[arg-type]  # a dataclass


def _standing_failure(spans: Sequence[Span]) -> str:
    """Why the newest request that tells anything failed, or nothing."""
    newest = next((span for span in reversed(spans) if span.outcome in _TELLING), None)
    return newest.reason or "the engine failed" if newest is not None and newest.outcome is Outcome.ERROR else ""


def _snoozed(daemon: Daemon) -> str:
    """That the user wants quiet, and for how long yet; or nothing."""
    minutes = math.ceil(daemon.snooze.left_s / 60)
    return f"snoozed for {minutes} min" if minutes else ""


def _crawl(daemon: Daemon) -> str:
    """How far the first reading of the workspaces is, or nothing."""
    if daemon.indexer is None:
        return ""
    crawling = [one for one in daemon.indexer.status().workspaces if one.phase is IndexPhase.CRAWLING]
    if not crawling:
        return ""
    return f"{sum(one.n_done for one in crawling)} of {sum(one.n_total for one in crawling)} files"


def _model(daemon: Daemon) -> dict[str, object]:
    engine, model = daemon.engine.status(), daemon.model
    prepared, profile = model.prepared_of(daemon.engine.vocabulary), model.profile
    return {
        "name": prepared.name if prepared else "",
        "path": str(prepared.path) if prepared else "",
        "state": engine.state.value,
        "profile": {
            "order": profile.order.value if profile else "",
            "source": profile.source if profile else "",
            "warning": profile.warning if profile else "",
        },
        # Of the model people know the name; the engine knows the path of the file alone.
        "asked": {**dict(engine.asked), **dict(prepared.asked if prepared else ())},
        "effective": {**dict(engine.effective), **dict(prepared.effective if prepared else ())},
        "warnings": [*(prepared.warnings if prepared else ()), *engine.warnings],
    }


def gate_status(outcomes: Outcomes) -> dict[str, object]:
    """Which gate judges suggestions: the one that is asked for beside the one in force, and why it is that one."""
    gate, journal = outcomes.gate, outcomes.journal
    return {
        "asked": "learned" if journal is not None else "constants",
        "effective": gate.name,
        "why": gate.why,
        "n_rows": gate.n_rows,
        "problem": journal.problem if journal is not None else "",
    }
