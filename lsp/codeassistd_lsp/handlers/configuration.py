"""The editor's settings, pushed by `didChangeConfiguration` or pulled by `workspace/configuration`."""

from __future__ import annotations

from collections.abc import Mapping

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from codeassistd.errors import ConfigError
from codeassistd_lsp.connection import Connection
from codeassistd_lsp.protocol import SECTION
from codeassistd_lsp.session_settings import has_section, section_of

__all__ = ["pull", "register"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)


def did_change_configuration(ls: Connection, params: types.DidChangeConfigurationParams) -> None:
    """Take what was pushed. An editor that can be asked often pushes nothing but the news that it should be.

    A section of ours is taken at once, also an empty one: the requests behind it are answered by it.
    """
    if ls.client.answers_configuration and not has_section(params.settings):
        ls.spawn(pull(ls))
    else:
        _take(ls, section_of(params.settings))


async def pull(ls: Connection) -> None:
    """Ask the editor for its settings."""
    asked = types.ConfigurationParams(items=[types.ConfigurationItem(section=SECTION)])
    try:
        answer = await ls.protocol.send_request_async(types.WORKSPACE_CONFIGURATION, asked)
    except JsonRpcException:
        ls.warn("the editor did not tell its settings; the daemon's own hold")
        return
    settings = answer[0] if answer else None
    _take(ls, settings if isinstance(settings, Mapping) else {})


def _take(ls: Connection, settings: Mapping[str, object]) -> None:
    try:
        ls.settings.take_editor(settings)
    except ConfigError as error:
        ls.warn(str(error))
    ls.session.settings = ls.settings.of(None)
    ls.menu_offer.follow(ls.client, ls.session.settings.completion)
