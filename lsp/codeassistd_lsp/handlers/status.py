"""`codeassistd/status` and `codeassistd/explain`: how the daemon stands, and how one request went."""

from __future__ import annotations

from codeassistd.metrics.explained import explained
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.protocol import EXPLAIN, STATUS, ExplainParams

__all__ = ["follow", "register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(STATUS)(status)
    connection.feature(EXPLAIN)(explain)


def status(ls: Connection, params: object) -> dict[str, object]:
    """All that is known about the daemon."""
    del params
    return ls.daemon.status()


def explain(ls: Connection, params: ExplainParams | None) -> dict[str, object] | None:
    """The span of one request, or None if it is not kept any more."""
    spans = ls.daemon.spans
    span = spans.find(params.id) if params is not None and params.id is not None else spans.last()
    return None if span is None else explained(span)


def follow(ls: Connection) -> None:
    """Tell the editor how the daemon stands, now and whenever that changes."""
    if ls.client.shows_progress:
        ls.spawn(ls.progress.follow())
    told: list[tuple[str, str]] = []

    def tell() -> None:
        state = ls.daemon.state()
        if told != [state]:
            told[:] = [state]
            ls.protocol.notify(STATUS, {"state": state[0], "detail": state[1]})
        ls.progress.poke()

    ls.until_closed(ls.daemon.subscribe(tell))
    tell()
