"""Our own words in the protocol: methods beside the standard's, and the command behind an accepted item.

`codeassistd/status`
    Notification to the editor whenever the daemon's state changes, and once after `initialized`:
    `{state: "starting" | "loading" | "indexing" | "ready" | "working" | "error", detail: string}`.
    `starting` is said by the proxy alone, and `working` by nobody yet: it is kept for what a user waits for by choice.
    As a request from the editor (no parameters) it gives all that `codeassistd status --json` gives.
`codeassistd/explain`
    Request: `{id?: string}`, the id of a suggestion, by default the newest request. Gives the span that tells how that
    request went (times, tokens, why nothing came), or null if it is no longer kept. It holds no source text.
`codeassistd/snippet`
    Notification from the editor: `{active: boolean}`, when its user begins and ends to fill in a snippet's places.
    Until it ends, nothing is suggested unasked.
`codeassistd/partial`
    Notification to the editor while it waits for the answer to `textDocument/inlineCompletion`, only if it says
    `capabilities.experimental.codeassistd.partial = true` in `initialize`:
    `{id: string, uri: string, version: integer, position: Position, text: string}`. The text is all that is fit to show
    so far for that cursor of that version; the next one, or the answer, takes its place. The id is that of the item.
`codeassistd/chat`
    Request: `{session?, text, textDocument?, selection?, files?, outputs?, partialResultToken?}`, a question in a
    conversation of the workspace (`session`, else the one called `default`). `textDocument` is what the user looks at,
    `selection` the range in it that is selected, `files` more files by uri, `outputs` of commands
    (`{command, text, exitCode?}`). While the answer is written, each piece is told by `$/progress` with that token and
    `{kind: "delta", text}`. Gives `{session, turn, text, parts: [{label, uri, n_tokens}], ended: "stop" | "length",
    n_prompt, n_cached, warnings}`. Taken back, it ends with -32800; the question is kept with what was said by
    then. What is refused has `data: {exitCode}`, 2 for what the question has wrong and 1 for the rest.
`codeassistd/chat/list`
    Request: `{}`. Gives `{sessions: [{session, n_turns, updated}]}` of this connection's first workspace, the newest
    first; `updated` is seconds since 1970.
`codeassistd/chat/open`
    Request: `{session}`. Gives `{session, turns: [{turn, role: "user" | "assistant", text, is_cut}]}`; `is_cut` says of
    an answer that it did not come to its end: it was taken back or failed, or the daemon was killed meanwhile.
`codeassistd/chat/delete`
    Request: `{session}`. Gives `{}`, also where there was none.
`codeassistd.accepted`
    Command of every item: the editor runs it with the suggestion's id once the item was accepted.
`codeassistd.snooze`
    Command: nothing is suggested unasked for the minutes of its one argument, 30 without one; 0 ends a snooze. Gives
    `{snoozed_s: number}`. It holds for all editors of the daemon.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = [
    "ACCEPTED_COMMAND",
    "CHAT",
    "CHAT_DELETE",
    "CHAT_LIST",
    "CHAT_OPEN",
    "EXPLAIN",
    "NOTIFICATION_TYPES",
    "PARTIAL",
    "REQUEST_TYPES",
    "SECTION",
    "SNIPPET",
    "SNOOZE_COMMAND",
    "STATUS",
    "ChatRequest",
    "ExplainParams",
    "ExplainRequest",
    "InitializeRequest",
    "SnippetNotification",
    "SnippetParams",
    "StatusRequest",
]

STATUS = "codeassistd/status"
EXPLAIN = "codeassistd/explain"
SNIPPET = "codeassistd/snippet"
PARTIAL = "codeassistd/partial"
CHAT = "codeassistd/chat"
CHAT_LIST = "codeassistd/chat/list"
CHAT_OPEN = "codeassistd/chat/open"
CHAT_DELETE = "codeassistd/chat/delete"
ACCEPTED_COMMAND = "codeassistd.accepted"
SNOOZE_COMMAND = "codeassistd.snooze"
#: The section of an editor's settings that is ours.
SECTION = "codeassistd"


@dataclass(frozen=True, slots=True)
class StatusRequest:
    """Asks how the daemon stands."""

    id: int | str
    method: str
    jsonrpc: str
    params: Any = None


@dataclass(frozen=True, slots=True)
class ExplainParams:
    """Which request to explain; None is the newest."""

    id: str | None = None


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """Asks how one request went."""

    id: int | str
    method: str
    jsonrpc: str
    params: ExplainParams | None = None


@dataclass(frozen=True, slots=True)
class InitializeRequest:
    """`initialize` with its parameters as they came.

    Editors announce what they can do in lists of numbers and words that grow with each version of the standard. Read
    strictly, one unknown word would refuse the whole editor, so `Client` takes what it needs and skips the rest.
    """

    id: int | str
    method: str
    jsonrpc: str
    params: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A request about conversations; its parameters are read by `chat_params`, which tells what is wrong with them."""

    id: int | str
    method: str
    jsonrpc: str
    params: Any = None


@dataclass(frozen=True, slots=True)
class SnippetParams:
    """Whether a snippet's places are being filled in."""

    active: bool


@dataclass(frozen=True, slots=True)
class SnippetNotification:
    """Tells that a snippet begins or ends."""

    method: str
    jsonrpc: str
    params: SnippetParams


#: Types of the requests that the standard's library does not know, or reads too strictly.
REQUEST_TYPES: dict[str, type] = {
    STATUS: StatusRequest,
    EXPLAIN: ExplainRequest,
    CHAT: ChatRequest,
    CHAT_LIST: ChatRequest,
    CHAT_OPEN: ChatRequest,
    CHAT_DELETE: ChatRequest,
    "initialize": InitializeRequest,
}
#: Types of the notifications that the standard's library does not know.
NOTIFICATION_TYPES: dict[str, type] = {SNIPPET: SnippetNotification}
