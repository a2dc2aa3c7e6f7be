"""An editor without a screen that asks questions: the road of every editor's chat view, for the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from codeassistd.chat.request import MAX_TEXT, RawOutput
from codeassistd.cli.editor import Editor, ServerState
from codeassistd.documents.uri import uri_of
from codeassistd.errors import UsageError

__all__ = ["Answer", "ChatEditor", "Question"]


@dataclass(frozen=True, slots=True)
class Question:
    """What the user asks, with the files and outputs that go along."""

    text: str
    files: tuple[Path, ...] = ()
    outputs: tuple[RawOutput, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came; see `codeassistd_lsp.protocol`."""

    turn: int
    text: str
    ended: str
    n_prompt: int
    n_cached: int
    parts: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    warnings: tuple[str, ...] = ()


class ChatEditor(Editor):
    """One connection that asks in one conversation at a time.

    Attributes:
        session: the conversation.
    """

    def __init__(self, root: Path | None, session: str, on_state: Callable[[ServerState], None]) -> None:
        super().__init__(root, on_state)
        self.session = session
        self._tokens = itertools.count(1)
        self._shows: dict[object, Callable[[str], None]] = {}

    async def ask(self, question: Question, show: Callable[[str], None]) -> Answer:
        """Ask, and tell `show` what is said as it comes; cancelling this takes the question back.

        Raises:
            UsageError: the question is too long to be handed over.
            DaemonError: the server says why not, in one line, or it is gone.
        """
        if len(question.text) > MAX_TEXT:
            raise UsageError(
                f"the question has {len(question.text)} letters, and {MAX_TEXT} can be asked; shorten it, "
                "or show a log by --run 'cat FILE'"
            )
        token = f"answer-{next(self._tokens)}"
        self._shows[token] = show
        params = {
            "session": self.session,
            "text": question.text,
            "files": [uri_of(path) for path in question.files],
            "outputs": [_output(output) for output in question.outputs],
            "partialResultToken": token,
        }
        try:
            result = await self._need().request("codeassistd/chat", params)
        finally:
            del self._shows[token]
        return Answer(
            turn=int(result["turn"]),
            text=str(result["text"]),
            ended=str(result["ended"]),
            n_prompt=int(result["n_prompt"]),
            n_cached=int(result["n_cached"]),
            parts=tuple(result["parts"]),
            warnings=tuple(map(str, result["warnings"])),
        )

    async def turns(self) -> Sequence[Mapping[str, Any]]:
        """What was said in the conversation so far."""
        opened = await self._need().request("codeassistd/chat/open", {"session": self.session})
        turns: Sequence[Mapping[str, Any]] = opened["turns"]
        return turns

    async def forget(self) -> None:
        """Delete the conversation."""
        await self._need().request("codeassistd/chat/delete", {"session": self.session})

    def hear(self, method: str, params: Any) -> None:
        """Take a notification of the server."""
        if method == "$/progress" and isinstance(params, Mapping):
            show = self._shows.get(params.get("token"))
            value = params.get("value")
            if show is not None and isinstance(value, Mapping):
                show(str(value.get("text", "")))
            return
        super().hear(method, params)


def _output(output: RawOutput) -> dict[str, object]:
    told: dict[str, object] = {"command": output.command, "text": output.text}
    if output.exit_code is not None:
        told["exitCode"] = output.exit_code
    return told
