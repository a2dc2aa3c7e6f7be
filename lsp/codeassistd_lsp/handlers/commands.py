"""`workspace/executeCommand`: what the editor runs when an item was accepted."""

from __future__ import annotations

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from codeassistd_lsp.connection import Connection
from codeassistd_lsp.protocol import ACCEPTED_COMMAND

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute_command)


def execute_command(ls: Connection, params: types.ExecuteCommandParams) -> None:
    """Note that a suggestion was accepted; one that is no longer known is accepted all the same."""
    if params.command != ACCEPTED_COMMAND:
        raise JsonRpcInvalidParams(f"unknown command; the only one is {ACCEPTED_COMMAND}")
    arguments = params.arguments or ()
    if len(arguments) != 1 or not isinstance(arguments[0], str):
        raise JsonRpcInvalidParams(f"{ACCEPTED_COMMAND} takes one argument, the id of the accepted suggestion")
    ls.daemon.completion.accepted(arguments[0])
