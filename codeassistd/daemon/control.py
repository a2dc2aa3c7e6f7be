"""What the command line asks a running daemon: one JSON-RPC 2.0 object per line, answered in order.

status                                all of `Daemon.status`
metrics                               figures since the connection asked before (else since the daemon's start) by
                                      layer and by request, what holds users up, and how the newest requests went
metrics.text                          all that is counted, as Prometheus reads it
stop                                  ends the daemon in order; answered before it does
index.status                          the part about the index
index.build {path}                    reads a workspace; `index.progress` notifications until it is done
index.rebuild {path}                  the same with all that is known of it dropped first
index.search {path, words, limit}     pieces of its files that hold some of the words, the best first, once it is read
model.reload                          loads the model that is chosen now; answered at once, `status` tells the rest
snooze {minutes}                      nothing is suggested unasked for so long; 0 ends that; gives the seconds left
cache.clear                           forgets the answers kept to be proposed again; gives files and bytes removed
history.clear                         forgets what became of suggestions; gives how many were known
chat.delete {root, session}           forgets a conversation; `root` is a folder's URI or empty; gives if there was one
chat.purge {root?}                    forgets all conversations, or those of a workspace; gives how many there were
spans.explain {id?, text?}            the story of a request, by default the newest; null if it is not kept. With `text`
                                      also the source text that it is about, while that is kept
spans.list                            the kept requests in short, the newest first
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from codeassistd.chat.conversation import ConversationKey
from codeassistd.completion.snooze import MAX_MINUTES
from codeassistd.daemon.daemon import Daemon
from codeassistd.daemon.status import plain
from codeassistd.errors import CodeassistdError, StoreError, UsageError
from codeassistd.index.indexer import Indexer
from codeassistd.index.types import IndexPhase, IndexStatus, WorkspaceStatus
from codeassistd.metrics.bottleneck import bottleneck
from codeassistd.metrics.explained import explained, listed
from codeassistd.metrics.figures import request_rows
from codeassistd.metrics.reading import Reading

__all__ = ["ControlConnection"]

_log = logging.getLogger(__name__)

Params = Mapping[str, object]

#: Longest wait of `index.build`; the largest repositories take minutes.
_BUILD_S = 3600.0
_INVALID_REQUEST, _UNKNOWN_METHOD, _OUR_ERROR, _INTERNAL = -32600, -32601, -32000, -32603


class ControlConnection:
    """One command line at the other end."""

    def __init__(self, daemon: Daemon, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._daemon = daemon
        self._reader = reader
        self._writer = writer
        self._read_before: Reading | None = None
        self._methods: dict[str, Callable[[Params], Awaitable[object]]] = {
            "status": self._status,
            "metrics": self._metrics,
            "metrics.text": self._metrics_text,
            "stop": self._stop,
            "index.status": self._index_status,
            "index.build": self._index_build,
            "index.rebuild": self._index_rebuild,
            "index.search": self._index_search,
            "model.reload": self._model_reload,
            "snooze": self._snooze,
            "cache.clear": self._cache_clear,
            "history.clear": self._history_clear,
            "spans.explain": self._explain,
            "spans.list": self._spans,
            "chat.delete": self._chat_delete,
            "chat.purge": self._chat_purge,
        }

    async def run(self) -> None:
        """Answer until the client leaves."""
        while line := await self._reader.readline():
            await self._send(await self._answer(line))

    async def _answer(self, line: bytes) -> dict[str, object]:
        try:
            request = json.loads(line)
        except ValueError:
            request = None
        if not isinstance(request, dict) or not isinstance(request.get("method"), str):
            return _error(None, _INVALID_REQUEST, "a request is one JSON object per line, with a method")
        identity, params = request.get("id"), request.get("params")
        method = self._methods.get(request["method"])
        if method is None:
            return _error(identity, _UNKNOWN_METHOD, f"the daemon does not know {request['method']}")
        try:
            result = await method(params if isinstance(params, dict) else {})
        except CodeassistdError as error:
            return _error(identity, _OUR_ERROR, str(error), error.exit_code)
        except ConnectionError:
            # It was told how far its request is, and has left: nobody waits for an answer.
            raise
        except Exception as error:  # noqa: BLE001 - the one guard of this protocol: every client gets its answer
            _log.exception("%s failed", request["method"])
            return _error(identity, _INTERNAL, f"internal error: {type(error).__name__}; see `codeassistd logs`")
        return {"id": identity, "result": result}

    async def _send(self, message: Mapping[str, object]) -> None:
        self._writer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        await self._writer.drain()

    async def _status(self, params: Params) -> object:
        del params
        return self._daemon.status()

    async def _metrics(self, params: Params) -> object:
        del params
        measuring, spans = self._daemon.measuring, self._daemon.spans.recent()
        await measuring.measure_memory()
        now = measuring.reading()
        figures = measuring.figures(now, self._read_before)
        self._read_before = now
        return {
            "figures": figures.as_table(),
            "requests": request_rows(spans),
            "bottleneck": plain(bottleneck(figures)),
            "newest_ms": [round(span.total_ms, 1) for span in spans],
        }

    async def _metrics_text(self, params: Params) -> object:
        del params
        return {"text": self._daemon.measuring.registry.text()}

    async def _stop(self, params: Params) -> object:
        del params
        self._daemon.request_stop()
        return {}

    async def _model_reload(self, params: Params) -> object:
        del params
        self._daemon.reload_model()
        return {}

    async def _explain(self, params: Params) -> object:
        identity, spans = params.get("id"), self._daemon.spans
        span = spans.find(identity) if isinstance(identity, str) else spans.last()
        if span is None:
            return None
        texts = self._daemon.completion.stories.find(span.id) if params.get("text") is True else None
        return {**explained(span), "story": plain(texts)}

    async def _spans(self, params: Params) -> object:
        del params
        return [listed(span) for span in reversed(self._daemon.spans.recent())]

    async def _snooze(self, params: Params) -> object:
        minutes = params.get("minutes")
        if not isinstance(minutes, int) or not 0 <= minutes <= MAX_MINUTES:
            raise UsageError(f"a snooze has from 0 to {MAX_MINUTES} minutes; 0 ends it")
        self._daemon.snooze.begin(minutes)
        return {"snoozed_s": self._daemon.snooze.left_s}

    async def _cache_clear(self, params: Params) -> object:
        del params
        self._daemon.completion.forget_answers()
        n_files, n_bytes = await asyncio.wrap_future(self._daemon.completion.semantic.clear())
        return {"n_files": n_files, "n_bytes": n_bytes}

    async def _history_clear(self, params: Params) -> object:
        del params
        journal = self._daemon.outcomes.journal
        if journal is None:
            raise UsageError("this daemon keeps no history (completion.history); stop it to clear what is on disk")
        return {"n_rows": await asyncio.wrap_future(journal.clear())}

    async def _chat_delete(self, params: Params) -> object:
        root, session = params.get("root"), params.get("session")
        if not isinstance(root, str) or not isinstance(session, str):
            raise UsageError("a conversation has a `root` and a `session`, both texts")
        return {"deleted": await self._daemon.chat.delete(ConversationKey(root, session))}

    async def _chat_purge(self, params: Params) -> object:
        root = params.get("root")
        if not isinstance(root, str | None):
            raise UsageError("`root` is a text; without one all conversations go")
        return {"n_conversations": await self._daemon.chat.purge(root)}

    async def _index_status(self, params: Params) -> object:
        del params
        return self._daemon.status()["index"]

    async def _index_build(self, params: Params) -> object:
        # One that is open already was read before; then this compares it with the disk.
        async with self._reading(params, Indexer.refresh) as (_, workspace):
            return plain(workspace)

    async def _index_rebuild(self, params: Params) -> object:
        async with self._reading(params, Indexer.rebuild) as (_, workspace):
            return plain(workspace)

    async def _index_search(self, params: Params) -> object:
        words, limit = params.get("words"), params.get("limit")
        if not isinstance(words, list) or not isinstance(limit, int):
            raise UsageError("a search needs `words`, a list of texts, and `limit`, a number")
        async with self._reading(params, Indexer.refresh) as (indexer, workspace):
            texts = [str(word) for word in words]
            found = await asyncio.to_thread(indexer.lookup.search, workspace.root, texts, None, limit)
            return [plain(chunk) for chunk in found]

    @asynccontextmanager
    async def _reading(
        self, params: Params, ask: Callable[[Indexer, Path], None]
    ) -> AsyncIterator[tuple[Indexer, WorkspaceStatus]]:
        """Have the workspace at `path` read, telling the client how far it is; it stays open until the block ends."""
        indexer = self._daemon.indexer
        if indexer is None:
            raise UsageError("the index is switched off; set `index.enabled = true`")
        root = Path(str(params.get("path", "")))
        if not root.is_absolute() or not await asyncio.to_thread(root.is_dir):
            raise UsageError(f"{root} is not a folder; give the path of a workspace")
        # A session of its own keeps the daemon from ending as idle, and shows in `status` who keeps it busy.
        session = self._daemon.open_session()
        session.client_name = "codeassistd index"
        changed = asyncio.Event()
        unsubscribe = self._daemon.subscribe(changed.set)
        try:
            self._daemon.open_workspace(session, root)
            ask(indexer, root)
            done = asyncio.get_running_loop().create_task(asyncio.to_thread(indexer.wait_idle, _BUILD_S, root))
            done.add_done_callback(lambda _: changed.set())
            while not done.done():
                await changed.wait()
                changed.clear()
                step = _workspace(indexer.status(), root)
                if step is not None:
                    await self._send({"method": "index.progress", "params": plain(step)})
            status = indexer.status()
            workspace = _workspace(status, root)
            if workspace is None or workspace.phase is IndexPhase.WAITING:
                raise StoreError(status.problem or f"{root} was not taken into the index; see `codeassistd logs`")
            yield indexer, workspace
        finally:
            unsubscribe()
            self._daemon.close_session(session)


def _workspace(status: IndexStatus, root: Path) -> WorkspaceStatus | None:
    """The numbers of one workspace; None until the indexer has taken it in."""
    return next((workspace for workspace in status.workspaces if workspace.root == root), None)


def _error(identity: object, code: int, message: str, exit_code: int = 1) -> dict[str, object]:
    return {"id": identity, "error": {"code": code, "message": message, "data": {"exit_code": exit_code}}}
