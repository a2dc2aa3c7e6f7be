"""The settings of one editor connection: the daemon's, with those of each workspace and of the editor on top.

A layer is taken as a whole or not at all: with a wrong key in it, what held before holds on. Workspaces of one editor
may differ, so settings are asked for by root.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from codeassistd.config import Settings
from codeassistd.config_layers import WORKSPACE_FILE, load, overlay
from codeassistd.paths import Paths
from codeassistd_lsp.protocol import SECTION

__all__ = ["SessionSettings", "has_section", "section_of"]


class SessionSettings:
    """Layers, lowest first: the daemon's settings, the workspace's file, initialization options, the editor's.

    A workspace's file changes neither what the environment sets nor what the daemon's command line set (`pinned`).
    The daemon's may be others when another model is loaded, so they are asked for each time.
    """

    def __init__(self, paths: Paths, base: Callable[[], Settings], pinned: frozenset[str] = frozenset()) -> None:
        self._paths = paths
        self._base_now = base
        self._base = base()
        self._pinned = pinned
        self._options: Mapping[str, object] = {}
        self._editor: Mapping[str, object] = {}
        self._workspaces: dict[Path, Mapping[str, object]] = {}
        self._merged: dict[Path | None, Settings] = {}

    def of(self, root: Path | None) -> Settings:
        """What holds for documents in the workspace `root`; None for those outside of any."""
        if self._base is not self._base_now():
            self._base = self._base_now()
            self._merged.clear()
        merged = self._merged.get(root)
        if merged is None:
            merged = self._base
            if root is not None and (values := self._workspaces.get(root)):
                merged = overlay(merged, str(root / WORKSPACE_FILE), values)
            merged = overlay(merged, "initializationOptions", self._options)
            merged = self._merged[root] = overlay(merged, "editor", self._editor)
        return merged

    def take_options(self, values: Mapping[str, object]) -> None:
        """Put the editor's initialization options in force.

        Raises:
            ConfigError: a key or value is wrong; nothing was changed.
        """
        overlay(self._base, "initializationOptions", values)
        self._options = values
        self._merged.clear()

    def take_editor(self, values: Mapping[str, object]) -> None:
        """Put the editor's settings in force, in place of all that it sent before.

        Raises:
            ConfigError: a key or value is wrong; nothing was changed.
        """
        overlay(self._base, "editor", values)
        self._editor = values
        self._merged.clear()

    def read_workspace(self, root: Path) -> None:
        """Read the settings file of a workspace (again).

        Raises:
            ConfigError: it cannot be read, or a key or value is wrong; nothing was changed.
        """
        loaded = load(self._paths, workspace=root)
        file = str(root / WORKSPACE_FILE)
        # What the environment overrules has another origin, and stays as the daemon has it.
        self._workspaces[root] = {
            key: _value(loaded.settings, key)
            for key, origin in loaded.origins.items()
            if origin == file and key not in self._pinned
        }
        self._merged.clear()

    def forget_workspace(self, root: Path) -> None:
        """The editor has left a workspace."""
        self._workspaces.pop(root, None)
        self._merged.clear()


def section_of(settings: object) -> Mapping[str, object]:
    """Our section of what an editor sends: `{codeassistd: {...}}`; anything else holds no settings of ours."""
    section = settings.get(SECTION) if isinstance(settings, Mapping) else None
    return section if isinstance(section, Mapping) else {}


def has_section(settings: object) -> bool:
    """Whether an editor has sent our section, be it an empty one."""
    return isinstance(settings, Mapping) and isinstance(settings.get(SECTION), Mapping)


def _value(settings: Settings, key: str) -> object:
    section, _, name = key.partition(".")
    value: object = getattr(getattr(settings, section), name)
    return value
