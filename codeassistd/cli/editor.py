"""An editor without a screen: opens one document after the other in a real `codeassistd lsp --stdio` child.

It is how `complete` and `demo` get their suggestions: over the road of every editor, so that what they show is what an
editor gets.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeassistd.config_layers import find_workspace
from codeassistd.daemon.lsp_link import LspLink
from codeassistd.errors import DaemonError
from codeassistd.syntax.languages import Languages
from codeassistd.text import PositionEncoding, Text

__all__ = ["PROXY", "Buffer", "Editor", "ServerState", "language_of", "workspace_of"]

#: `-P` keeps the folder it is started in off the import path.
PROXY = (sys.executable, "-P", "-m", "codeassistd", "lsp", "--stdio")

#: States of the server in which it can answer with a suggestion.
_ABLE = frozenset({"ready", "indexing"})
_INVOKED = 1
#: The kinds of `window/logMessage` that are errors or warnings.
_BAD_NEWS = frozenset({1, 2})
#: Nobody types meanwhile, and the first prompt of a connection is never in the cache: better late than nothing.
_DEADLINE_MS = 60_000


@dataclass(frozen=True, slots=True)
class ServerState:
    """What the server last said about itself: one of starting, loading, indexing, ready, error."""

    state: str = "starting"
    detail: str = ""

    @property
    def is_able(self) -> bool:
        """Whether a request would be answered by the model."""
        return self.state in _ABLE


@dataclass(frozen=True, slots=True)
class Buffer:
    """A document as an editor would show it, with unsaved text if need be, and the cursor in it.

    Attributes:
        offset: bytes from the start of the text.
    """

    uri: str
    language: str
    text: Text
    offset: int


class Editor:
    """One connection; `open` it, `wait` for the model, ask, `close` it."""

    def __init__(
        self,
        root: Path | None,
        on_state: Callable[[ServerState], None],
        on_warning: Callable[[str], None] = lambda _: None,
    ) -> None:
        """Work in `root`; tell each new state of the server to `on_state`, and what is amiss to `on_warning`."""
        self._root = root
        self._on_state = on_state
        self._on_warning = on_warning
        self._state = ServerState()
        self._changed = asyncio.Event()
        self._encoding = PositionEncoding.UTF16
        self._link: LspLink | None = None

    async def open(self, environ: Mapping[str, str] | None = None) -> None:
        """Start the proxy (and by it the daemon, if there is none) and introduce ourselves."""
        self._link = await LspLink.spawn(PROXY, self.hear, environ)
        answer = await self._link.request("initialize", self._introduction())
        encoding = answer.get("capabilities", {}).get("positionEncoding", PositionEncoding.UTF16)
        self._encoding = PositionEncoding(encoding)
        await self._link.notify("initialized", {})

    async def close(self) -> None:
        """Say goodbye and end the proxy; the daemon lives on."""
        if self._link is not None:
            await self._link.close()

    async def wait(self, enough: Callable[[ServerState], bool], timeout_s: float) -> None:
        """Wait for a state that is `enough`, or for a loaded model whose last request failed: the next one may not.

        Raises:
            DaemonError: the server reports an error, or the time is over.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while not enough(self._state):
                    if (told := self._state).state == "error":
                        if await self._has_model():
                            return
                        raise DaemonError(told.detail)
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError as error:
            last = f"{self._state.state} {self._state.detail}".strip()
            raise DaemonError(
                f"not ready within {timeout_s:g} s (last state: {last}); see `codeassistd logs`"
            ) from error

    async def _has_model(self) -> bool:
        """Whether a model is loaded; False where nobody can say."""
        try:
            status = await self._need().request("codeassistd/status", None)
        except DaemonError:
            return False
        return bool(status["model"]["state"] == "ready")

    async def suggest(self, buffer: Buffer) -> str | None:
        """Open the document, ask for a suggestion at its cursor, and close it again."""
        document = {"uri": buffer.uri, "languageId": buffer.language, "version": 1, "text": str(buffer.text)}
        position = buffer.text.position_at(buffer.offset, self._encoding)
        await self._need().notify("textDocument/didOpen", {"textDocument": document})
        answer = await self._need().request(
            "textDocument/inlineCompletion",
            {
                "textDocument": {"uri": buffer.uri},
                "position": {"line": position.line, "character": position.character},
                "context": {"triggerKind": _INVOKED},
            },
        )
        await self._need().notify("textDocument/didClose", {"textDocument": {"uri": buffer.uri}})
        items = answer.get("items", []) if isinstance(answer, dict) else answer or []
        return str(items[0]["insertText"]) if items else None

    async def explain(self) -> dict[str, Any]:
        """The span of this connection's last request."""
        answer = await self._need().request("codeassistd/explain", {})
        return answer if isinstance(answer, dict) else {}

    def _need(self) -> LspLink:
        if self._link is None:
            raise DaemonError("the connection is not open")
        return self._link

    def _introduction(self) -> dict[str, object]:
        folder = {"uri": self._root.as_uri(), "name": self._root.name} if self._root else None
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "codeassistd command line"},
            "rootUri": self._root.as_uri() if self._root else None,
            "workspaceFolders": [folder] if folder else None,
            "initializationOptions": {"completion": {"deadline_ms": _DEADLINE_MS}},
            "capabilities": {
                "general": {"positionEncodings": [PositionEncoding.UTF8, PositionEncoding.UTF16]},
                "textDocument": {"inlineCompletion": {}},
            },
        }

    def hear(self, method: str, params: Any) -> None:
        """Take a notification of the server."""
        if not isinstance(params, Mapping):
            return
        if method == "window/logMessage" and params.get("type") in _BAD_NEWS:
            self._on_warning(str(params.get("message", "")))
        if method != "codeassistd/status":
            return
        self._state = ServerState(str(params.get("state", "")), str(params.get("detail", "")))
        self._changed.set()
        self._on_state(self._state)


def language_of(path: Path) -> str:
    """The LSP language id that an editor would give the file."""
    language = Languages.default().by_path(path)
    return language.lsp_ids[0] if language else "plaintext"


def workspace_of(path: Path) -> Path | None:
    """The nearest folder above that is a repository or has settings of its own; None outside of any."""
    return find_workspace(path.parent)
