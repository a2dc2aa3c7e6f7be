"""`codeassistd/snippet`: the editor says that its user has begun or ended to fill in a snippet's places."""

from __future__ import annotations

from codeassistd_lsp.connection import Connection
from codeassistd_lsp.protocol import SNIPPET, SnippetParams

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(SNIPPET)(snippet)


def snippet(ls: Connection, params: SnippetParams) -> None:
    """Be silent from here on, or not any more."""
    ls.moments.in_snippet = params.active
