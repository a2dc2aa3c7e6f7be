"""Notices that a workspace's settings file was changed, whoever changed it: an editor, a git checkout, a script.

Looked at when a completion is asked for, and seldom enough to cost nothing. Used on the loop's thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.config_layers import WORKSPACE_FILE

__all__ = ["LOOK_S", "SettingsWatch"]

LOOK_S = 1.0
"""Time between two looks at a file: shorter than it takes to go back from the settings to the code."""


@dataclass(slots=True)
class _Look:
    """What a file was like when it was read, and when it was looked at last, by the clock."""

    stamp: tuple[int, int] | None
    at_s: float


class SettingsWatch:
    """The settings files of one editor's workspaces."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._looks: dict[Path, _Look] = {}

    def reading(self, root: Path) -> None:
        """The file of a workspace is about to be read; what is written from now on is a change."""
        self._looks[root] = _Look(_stamp(root), self._clock.monotonic_s())

    def forget(self, root: Path) -> None:
        """The editor has left a workspace."""
        self._looks.pop(root, None)

    def has_changed(self, root: Path) -> bool:
        """Whether the file is another than when it was read; False too where it was looked at just now."""
        look, now_s = self._looks.get(root), self._clock.monotonic_s()
        if look is None or now_s - look.at_s < LOOK_S:
            return False
        look.at_s = now_s
        return _stamp(root) != look.stamp


def _stamp(root: Path) -> tuple[int, int] | None:
    """Time of the last change and size; None where there is no such file."""
    try:
        status = (root / WORKSPACE_FILE).stat()
    except (OSError, ValueError):
        return None
    return status.st_mtime_ns, status.st_size
