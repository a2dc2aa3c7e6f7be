"""Tells an editor that there are suggestions for its completion menu, while the setting asks for them.

An editor that asked in its initialization options has been told by the answer to `initialize`. Any other is told by a
registration, which comes and goes with the setting; but not one that draws suggestions inline, since it would show each
twice and let the two requests supersede each other. Used on the loop's thread.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Coroutine
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from codeassistd.config import CompletionSettings
from codeassistd.daemon.capabilities import MENU_TRIGGERS
from codeassistd_lsp.client import Client
from codeassistd_lsp.rpc import Rpc

__all__ = ["MenuOffer"]

_NOT_TOLD = (
    "completion.menu is on, but this editor can be told of it only when it starts the server: "
    "set completion.menu in its initializationOptions"
)
_REFUSED = "the editor refused to take suggestions into its completion menu"


class MenuOffer:
    """Of one connection."""

    def __init__(
        self, rpc: Rpc, spawn: Callable[[Coroutine[Any, Any, None]], None], warn: Callable[[str], None]
    ) -> None:
        self._rpc = rpc
        self._spawn = spawn
        self._warn = warn
        # Of the registration in force; empty while there is none.
        self._id = ""

    def follow(self, client: Client, settings: CompletionSettings) -> None:
        """These settings hold now; not before the editor has said `initialized`."""
        if client.is_told_of_menu or client.draws_inline:
            return
        if settings.menu and not client.registers_menu:
            self._warn(_NOT_TOLD)
        elif settings.menu and not self._id:
            # Anew each time: the proxy ends those of a daemon that has died by their ids.
            self._id = uuid.uuid4().hex
            self._spawn(self._register(self._id))
        elif not settings.menu and self._id:
            gone, self._id = self._id, ""
            self._spawn(self._unregister(gone))

    async def _register(self, identity: str) -> None:
        # Without a selector of ours the editor takes the one that it starts the server for.
        options = types.CompletionRegistrationOptions(trigger_characters=MENU_TRIGGERS)
        one = types.Registration(id=identity, method=types.TEXT_DOCUMENT_COMPLETION, register_options=options)
        params = types.RegistrationParams(registrations=[one])
        await self._ask(types.CLIENT_REGISTER_CAPABILITY, params)

    async def _unregister(self, identity: str) -> None:
        one = types.Unregistration(id=identity, method=types.TEXT_DOCUMENT_COMPLETION)
        await self._ask(types.CLIENT_UNREGISTER_CAPABILITY, types.UnregistrationParams(unregisterations=[one]))

    async def _ask(self, method: str, params: object) -> None:
        try:
            await self._rpc.send_request_async(method, params)
        except JsonRpcException:
            self._warn(_REFUSED)
