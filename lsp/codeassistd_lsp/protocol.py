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
    "EXPLAIN",
    "NOTIFICATION_TYPES",
    "PARTIAL",
    "REQUEST_TYPES",
    "SECTION",
    "SNIPPET",
    "SNOOZE_COMMAND",
    "STATUS",
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
    "initialize": InitializeRequest,
}
#: Types of the notifications that the standard's library does not know.
NOTIFICATION_TYPES: dict[str, type] = {SNIPPET: SnippetNotification}
