"""What a daemon has begun in the editor and must be ended if the daemon dies: spinners, registrations, questions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Footprint"]


class Footprint:
    """One daemon's open ends in the editor. Standard library only, since the proxy uses it."""

    def __init__(self) -> None:
        self._questions: set[object] = set()
        self._spinners: dict[object, None] = {}
        self._registrations: dict[object, object] = {}

    def note(self, message: Mapping[str, Any]) -> None:
        """The daemon sends this request or notification to the editor."""
        method, params = message.get("method"), message.get("params")
        if "id" in message:
            self._questions.add(message["id"])
        if not isinstance(params, dict):
            return
        if method == "$/progress":
            self._note_progress(params.get("token"), params.get("value"))
        elif method == "client/registerCapability":
            for one in params.get("registrations", ()):
                self._registrations[one.get("id")] = one.get("method")
        elif method == "client/unregisterCapability":
            # The protocol's own spelling.
            for one in params.get("unregisterations", ()):
                self._registrations.pop(one.get("id"), None)

    def answered(self, identity: object) -> bool:
        """The editor answers a request: whether this daemon has asked it, and waited until now."""
        known = identity in self._questions
        self._questions.discard(identity)
        return known

    def farewell(self) -> list[dict[str, Any]]:
        """Messages that end what is open."""
        messages: list[dict[str, Any]] = [
            {"method": "$/progress", "params": {"token": token, "value": {"kind": "end"}}} for token in self._spinners
        ]
        if self._registrations:
            gone = [{"id": identity, "method": method} for identity, method in self._registrations.items()]
            # Daemons make up their registrations' ids anew, so no two such requests share this one.
            identity = f"codeassistd/unregister/{gone[0]['id']}"
            params = {"unregisterations": gone}
            messages.append({"id": identity, "method": "client/unregisterCapability", "params": params})
        return messages

    def _note_progress(self, token: object, value: object) -> None:
        kind = value.get("kind") if isinstance(value, dict) else None
        if kind == "begin":
            self._spinners[token] = None
        elif kind == "end":
            self._spinners.pop(token, None)
