"""Puts the daemon together, runs it, and takes it apart again: the one place that knows all the rooms.

The order of the start: lock, log, parts, socket; of the end: socket, connections, engine and index, lock. So whoever
finds a socket finds a daemon that is ready to talk, and whoever gets the lock finds nothing left of the one before.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import sys
from collections.abc import Callable, Mapping
from functools import partial

from codeassistd import __version__
from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.chat.archive import Archive
from codeassistd.chat.service import ChatService
from codeassistd.clock import Clock, SystemClock
from codeassistd.completion.history.journal import Journal
from codeassistd.completion.history.outcomes import Outcomes
from codeassistd.completion.semantic_cache import SemanticCache
from codeassistd.completion.service import CompletionService
from codeassistd.config import Settings
from codeassistd.config_layers import Loaded
from codeassistd.context.builder import ContextBuilder
from codeassistd.daemon.announcer import Announcer
from codeassistd.daemon.daemon import Daemon, ServeConnection
from codeassistd.daemon.listener import Listener
from codeassistd.daemon.lock import Lock
from codeassistd.daemon.model import Model
from codeassistd.daemon.power import Power
from codeassistd.daemon.prompt_log import LoggedBuilder, LoggedService
from codeassistd.daemon.reception import Reception
from codeassistd.daemon.succession import greet_predecessors
from codeassistd.daemon.transport import transport_for
from codeassistd.daemon.tuned import NO_VALUES
from codeassistd.engine.backend import BackendFactory
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.errors import AlreadyRunningError
from codeassistd.index.ignored import is_ignored
from codeassistd.index.indexer import Indexer
from codeassistd.index.types import NoIndex
from codeassistd.log import Log
from codeassistd.metrics.spans import SpanLog
from codeassistd.paths import Paths, make_private_dir

__all__ = ["build_daemon", "run_daemon"]

_log = logging.getLogger(__name__)

#: Native libraries print past our log's own look at its size.
_TRIM_S = 60.0


def run_daemon(
    paths: Paths,
    settings: Settings,
    backend_factory: BackendFactory | None,
    serve_lsp: ServeConnection,
    *,
    pinned: frozenset[str] = frozenset(),
    tuned: Mapping[str, str] = NO_VALUES,
    settle: Callable[[], Loaded] | None = None,
) -> int:
    """Be the daemon until it is stopped; returns the exit code.

    Args:
        paths: where everything lies.
        settings: what is in force until the daemon ends.
        backend_factory: loads the model in place of llama.cpp, for tests.
        serve_lsp: speaks with one editor.
        pinned: dotted keys of settings from the command line, which no workspace's file changes.
        tuned: what the tuned profile says, for `status`; `settings` holds it already, below the user's own.
        settle: reads the settings again, with the profile of the model that is chosen by then.

    Raises:
        AlreadyRunningError: another daemon of this user and version holds the lock.
        SocketTakenError: something that is not our socket lies at its path; it is left alone.
        DaemonError: a folder is not ours, or the system refuses the socket.
    """
    make_private_dir(paths.runtime_dir)
    lock = Lock.take(paths.lock_file)
    if lock is None:
        raise AlreadyRunningError(f"a daemon is running already (process {Lock.holder(paths.lock_file)})")
    try:
        log = Log(paths.log_file, settings.log)
        try:
            make = partial(
                build_daemon, paths, settings, SystemClock(), backend_factory, pinned=pinned, tuned=tuned, settle=settle
            )
            asyncio.run(_live(paths, make, serve_lsp, log))
        finally:
            log.close()
    finally:
        lock.release()
    return 0


def build_daemon(
    paths: Paths,
    settings: Settings,
    clock: Clock,
    backend_factory: BackendFactory | None = None,
    *,
    pinned: frozenset[str] = frozenset(),
    tuned: Mapping[str, str] = NO_VALUES,
    settle: Callable[[], Loaded] | None = None,
) -> Daemon:
    """The daemon with all its parts, not started; call it on the loop it will live on."""
    announcer = Announcer(asyncio.get_running_loop())
    model = Model(Catalogue(paths), settings.model, backend_factory, paths.tried_file)
    options = EngineOptions.from_settings(settings.model, paths.kv_dir)
    engine = Engine(model.load_logged, clock, announcer.announce, options)
    indexer = Indexer(paths, settings.index, clock, announcer.announce) if settings.index.enabled else None
    spans = SpanLog(on_add=announcer.announce)
    builder_class, service_class = ContextBuilder, CompletionService
    if settings.log.prompts:
        builder_class, service_class = LoggedBuilder, LoggedService
    lookup = indexer.lookup if indexer is not None else NoIndex()
    builder = builder_class(lookup)
    return Daemon(
        paths=paths,
        settings=settings,
        clock=clock,
        model=model,
        engine=engine,
        completion=service_class(
            engine,
            builder,
            spans,
            model.profile_of,
            clock,
            on_battery=Power(clock).on_battery,
            semantic=SemanticCache(paths.semantic_dir, settings.completion.semantic_cache_mb, model.vectors, clock),
        ),
        chat=ChatService(
            engine,
            lookup=lookup,
            archive=Archive(paths.chat_file, clock),
            spans=spans,
            clock=clock,
            is_ignored=is_ignored,
        ),
        outcomes=Outcomes(clock, Journal(paths.history_file, clock) if settings.completion.history else None),
        indexer=indexer,
        spans=spans,
        announcer=announcer,
        pinned=pinned,
        tuned=tuned,
        settle=settle,
    )


async def _live(paths: Paths, make: Callable[[], Daemon], serve_lsp: ServeConnection, log: Log) -> None:
    daemon = make()
    reception = Reception(daemon, serve_lsp)
    listener = Listener(transport_for(paths), reception.judge, reception.serve)
    await listener.open()
    # After the socket: until here an error is told to whoever starts us on standard error.
    log.take_standard_streams()
    _log.info("daemon %s started, listening on %s", __version__, paths.socket_file)
    trimming = asyncio.get_running_loop().create_task(_trim(log, daemon.clock))
    try:
        _stop_on_signals(daemon)
        daemon.start()
        await asyncio.to_thread(greet_predecessors, paths)
        await daemon.stop_requested.wait()
    finally:
        trimming.cancel()
        reception.announce_stop()
        await listener.close()
        await daemon.stop()
        _log.info("daemon stopped")


async def _trim(log: Log, clock: Clock) -> None:
    while True:
        await clock.sleep(_TRIM_S)
        log.trim()


def _stop_on_signals(daemon: Daemon) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        if sys.platform == "win32":
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(daemon.request_stop))
        else:
            loop.add_signal_handler(number, daemon.request_stop)
