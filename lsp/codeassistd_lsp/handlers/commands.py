"""`workspace/executeCommand`: what the editor runs when an item was accepted, and when its user wants quiet."""

from __future__ import annotations

from collections.abc import Sequence

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from codeassistd.completion.snooze import DEFAULT_MINUTES, MAX_MINUTES
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.protocol import ACCEPTED_COMMAND, SNOOZE_COMMAND

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.WORKSPACE_EXECUTE_COMMAND)(execute_command)


def execute_command(ls: Connection, params: types.ExecuteCommandParams) -> dict[str, object] | None:
    """Do what is asked."""
    if params.command == ACCEPTED_COMMAND:
        _accepted(ls, params.arguments or ())
        return None
    if params.command == SNOOZE_COMMAND:
        return _snooze(ls, params.arguments or ())
    raise JsonRpcInvalidParams(f"unknown command; there are {ACCEPTED_COMMAND} and {SNOOZE_COMMAND}")


def _accepted(ls: Connection, arguments: Sequence[object]) -> None:
    """Note that a suggestion was accepted; one that is no longer known is accepted all the same."""
    if len(arguments) != 1 or not isinstance(arguments[0], str):
        raise JsonRpcInvalidParams(f"{ACCEPTED_COMMAND} takes one argument, the id of the accepted suggestion")
    ls.daemon.completion.accepted(arguments[0])
    ls.daemon.outcomes.accepted(arguments[0])


def _snooze(ls: Connection, arguments: Sequence[object]) -> dict[str, object]:
    """Be quiet for some minutes."""
    minutes = arguments[0] if arguments else DEFAULT_MINUTES
    if not isinstance(minutes, int) or isinstance(minutes, bool) or not 0 <= minutes <= MAX_MINUTES:
        raise JsonRpcInvalidParams(f"{SNOOZE_COMMAND} takes one argument, minutes from 0 to {MAX_MINUTES}; 0 ends it")
    ls.daemon.snooze.begin(minutes)
    return {"snoozed_s": ls.daemon.snooze.left_s}
