"""Prompts that are being read though nobody waits for them: one for each document of each editor."""

from __future__ import annotations

from codeassistd.completion.asking import Asked, Asking
from codeassistd.engine.generation import Generation

__all__ = ["Prewarms"]


class Prewarms:
    """They run behind all completions; what they read by their end stays cached."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._running: dict[tuple[str, str], Generation] = {}

    def read(self, client: str, uri: str, asked: Asked) -> None:
        """Have a prompt read, in place of the one that is being read for this document."""
        self.end(client, uri)
        self._running[client, uri] = self._asking.read(asked, client)

    def end(self, client: str, uri: str) -> None:
        """Stop reading for this document."""
        generation = self._running.pop((client, uri), None)
        if generation is not None:
            generation.cancel()

    def drop_client(self, client: str) -> None:
        """The editor is gone."""
        for key in [key for key in self._running if key[0] == client]:
            self.end(*key)
