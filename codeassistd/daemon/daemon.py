"""The daemon: owner of everything that lives as long as the process.

Model, index, spans and editor connections hang here, each with its lifetime; the loop's thread is the single writer. It
says how things stand (`state`, `status`), tells subscribers when that may have changed, and ends itself: on request,
after the idle time without editors, or after its last editor once a newer version has taken over.

Absent on purpose: sockets and signals (`listener`, `assembly`), and the language server, which is handed in as a
function. Nothing here waits for a request.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from codeassistd.chat.service import ChatService
from codeassistd.clock import Clock
from codeassistd.completion.history.outcomes import Outcomes
from codeassistd.completion.service import CompletionService
from codeassistd.completion.snooze import Snooze
from codeassistd.config import Settings
from codeassistd.config_layers import Loaded
from codeassistd.daemon.announcer import Announcer
from codeassistd.daemon.exporter import Exporter
from codeassistd.daemon.measuring import Measuring
from codeassistd.daemon.model import Model
from codeassistd.daemon.session import Session
from codeassistd.daemon.status import daemon_state, daemon_status
from codeassistd.daemon.tuned import NO_VALUES, retuned
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.index.indexer import Indexer
from codeassistd.metrics.spans import SpanLog
from codeassistd.paths import Paths

__all__ = ["Daemon", "ServeConnection"]


class Daemon:
    """One user's engine, index and sessions; used on the loop's thread only.

    Attributes:
        outcomes: what becomes of suggestions.
        measuring: the metrics, which hear of each request.
        exporter: serves them over HTTP, if that is asked for.
        snooze: the user wants quiet, in all editors.
        indexer: None where the index is switched off.
        pinned: dotted keys of settings from the command line, which no workspace's file changes.
        tuned: what the tuned profile says, as texts by dotted key, whether or not it is in force.
        settings: in force; replaced where another model comes with other tuned values.
        stop_requested: set once, when the daemon is to end.
    """

    def __init__(
        self,
        *,
        paths: Paths,
        settings: Settings,
        clock: Clock,
        model: Model,
        engine: Engine,
        completion: CompletionService,
        chat: ChatService,
        outcomes: Outcomes,
        indexer: Indexer | None,
        spans: SpanLog,
        announcer: Announcer,
        pinned: frozenset[str] = frozenset(),
        tuned: Mapping[str, str] = NO_VALUES,
        settle: Callable[[], Loaded] | None = None,
    ) -> None:
        self.paths = paths
        self.settings = settings
        self.clock = clock
        self.model = model
        self.engine = engine
        self.completion = completion
        self.chat = chat
        self.outcomes = outcomes
        self.snooze = Snooze(clock, announcer.announce)
        self.indexer = indexer
        self.spans = spans
        self.measuring = Measuring(engine, spans, clock)
        self.exporter = Exporter(settings.metrics, paths.metrics_token_file, self.measuring.registry.text)
        self.pinned = pinned
        self.tuned = tuned
        self._settle = settle
        self.stop_requested = asyncio.Event()
        self._announcer = announcer
        self._started_s = clock.monotonic_s()
        self._sessions: dict[str, Session] = {}
        self._workspaces: dict[Path, set[str]] = {}
        self._session_numbers = itertools.count(1)
        self._idle: asyncio.Task[None] | None = None
        self._retiring = False

    @property
    def sessions(self) -> tuple[Session, ...]:
        """The open editor connections, oldest first."""
        return tuple(self._sessions.values())

    @property
    def uptime_s(self) -> float:
        """Seconds since this daemon was made."""
        return self.clock.monotonic_s() - self._started_s

    def start(self) -> None:
        """Begin to load the model and to read the index; returns at once."""
        self.engine.start()
        if self.indexer is not None:
            self.indexer.start()
        self.exporter.start()
        self._await_idle_end()

    def state(self) -> tuple[str, str]:
        """One of loading, indexing, ready, error; and a detail for people, perhaps empty.

        Editors also know `starting`, which the proxy says before there is a daemon. Whether a request of theirs is
        being worked on they know best themselves.
        """
        return daemon_state(self)

    def status(self) -> dict[str, object]:
        """All that is known about the daemon, as plain values; documented in `daemon.status`."""
        return daemon_status(self)

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` on the loop whenever `state` may have changed; returns the way to stop that."""
        return self._announcer.subscribe(callback)

    def open_session(self) -> Session:
        """A new editor has connected."""
        session = Session(id=f"s{next(self._session_numbers)}", settings=self.settings)
        self._sessions[session.id] = session
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        self._announcer.announce()
        return session

    def close_session(self, session: Session) -> None:
        """The editor is gone: let go of its workspaces and documents. Closing twice is harmless."""
        if self._sessions.pop(session.id, None) is None:
            return
        for root in tuple(session.roots):
            self.close_workspace(session, root)
        self._await_idle_end()
        self._announcer.announce()

    def open_workspace(self, session: Session, root: Path) -> None:
        """`session` works in `root`: the index keeps it up to date for as long as any session does."""
        if root in session.roots:
            return
        session.roots.append(root)
        holders = self._workspaces.setdefault(root, set())
        if not holders and self.indexer is not None:
            self.indexer.add_workspace(root)
        holders.add(session.id)

    def close_workspace(self, session: Session, root: Path) -> None:
        """`session` has left `root`; the last one to leave lets the index forget it in memory (the rows stay)."""
        if root not in session.roots:
            return
        session.roots.remove(root)
        holders = self._workspaces[root]
        holders.discard(session.id)
        if not holders:
            del self._workspaces[root]
            self.completion.semantic.drop_workspace(root)
            self.completion.stories.drop_workspace(root)
            if self.indexer is not None:
                self.indexer.remove_workspace(root)

    def reload_model(self) -> None:
        """Load the model that is chosen now, with what was tuned for it; until it is there, the old one goes on.

        Raises:
            NotReadyError: the engine is stopped.
            ConfigError: the settings cannot be read any more; nothing was changed.
        """
        if self._settle is not None:
            now = self._settle()
            self.settings = retuned(self.settings, self.tuned, now)
            self.tuned = now.tuned
            self.model.settings = self.settings.model
        options = EngineOptions.from_settings(self.settings.model, self.paths.kv_dir)
        self.engine.reload(self.model.load_logged, options)

    def request_stop(self) -> None:
        """End soon and in order; the assembly does it."""
        self.stop_requested.set()

    def retire(self) -> None:
        """A newer version has taken over: end as soon as the last editor has left."""
        self._retiring = True
        if not self._sessions:
            self.request_stop()

    async def stop(self) -> None:
        """Stop the engine and the indexer; their threads are waited for without holding the loop."""
        if self._idle is not None:
            self._idle.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._idle
        self.snooze.close()
        await asyncio.to_thread(self.exporter.stop)
        await self.outcomes.close()
        await self.chat.close()
        await asyncio.to_thread(self.engine.stop)
        await asyncio.to_thread(self.completion.semantic.close)
        if self.indexer is not None:
            await asyncio.to_thread(self.indexer.stop)

    def _await_idle_end(self) -> None:
        """Without sessions: end at once if retiring, else after the idle time."""
        if self._sessions:
            return
        if self._retiring:
            self.request_stop()
        elif self.settings.daemon.idle_exit_s > 0 and self._idle is None:
            self._idle = asyncio.get_running_loop().create_task(self._end_when_idle())

    async def _end_when_idle(self) -> None:
        # Cancelled by the next session, so whoever gets past the wait has found nobody there all the time.
        await self.clock.sleep(self.settings.daemon.idle_exit_s)
        self.request_stop()


ServeConnection = Callable[[Daemon, Session, asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
"""Speaks the language server protocol with one editor until it leaves; handed in from the floor above."""
