"""How the daemon stands: one word for the status line, and one plain dict for `status` and the editors."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from codeassistd.daemon.daemon import Daemon

__all__ = ["daemon_state", "daemon_status"]


def daemon_state(daemon: Daemon) -> tuple[str, str]:
    """The word and its detail."""
    raise NotImplementedError


def daemon_status(daemon: Daemon) -> dict[str, object]:
    """The dict."""
    raise NotImplementedError
