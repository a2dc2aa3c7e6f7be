"""`initialize`, `initialized`, `shutdown`, `exit`: an editor comes and goes; the daemon stays."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from codeassistd.daemon.capabilities import initialize_result, position_encoding
from codeassistd.errors import ConfigError
from codeassistd_lsp.client import Client
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.handlers import configuration, status, workspace
from codeassistd_lsp.protocol import SECTION
from codeassistd_lsp.rpc import Phase
from codeassistd_lsp.session_settings import section_of

__all__ = ["register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.INITIALIZE)(initialize)
    connection.feature(types.INITIALIZED)(initialized)
    connection.feature(types.SHUTDOWN)(shutdown)
    connection.feature(types.EXIT)(exit_)


def initialize(ls: Connection, params: dict[str, Any]) -> dict[str, object]:
    """Learn who the editor is, and say what we can do: the same words that the proxy has told it already."""
    client = ls.client = Client.of(params)
    ls.protocol.phase = Phase.OPEN
    ls.session.client_name = client.name
    ls.session.documents.encoding = position_encoding(params)
    for root in client.roots:
        workspace.open_root(ls, root)
    try:
        # Some editors pass their settings flat, some as a section like everywhere else.
        ls.settings.take_options(section_of(client.options) if SECTION in client.options else client.options)
    except ConfigError as error:
        ls.warn(str(error))
    ls.session.settings = ls.settings.of(None)
    return initialize_result(params)


def initialized(ls: Connection, params: types.InitializedParams) -> None:
    """The editor is ready to be asked and told."""
    del params
    if ls.client.answers_configuration:
        ls.spawn(configuration.pull(ls))
    ls.menu_offer.follow(ls.client, ls.session.settings.completion)
    status.follow(ls)


def shutdown(ls: Connection, params: None) -> None:
    """The editor is about to leave: give up what runs for it. Works at any time, also while the model loads."""
    del params
    ls.protocol.phase = Phase.SHUT_DOWN
    ls.protocol.cancel_all()


def exit_(ls: Connection, params: None) -> None:
    """This connection ends, with or without `shutdown` (the proxy's exit code tells which); the daemon lives on."""
    del params
    ls.protocol.phase = Phase.ENDED
