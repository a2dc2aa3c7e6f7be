"""Workspace folders: opened at the start, added and removed while the editor runs, each with its own settings."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from codeassistd.config import Settings
from codeassistd.config_layers import WORKSPACE_FILE
from codeassistd.documents.uri import path_of
from codeassistd.errors import ConfigError
from codeassistd_lsp.connection import Connection

__all__ = ["open_root", "register", "reread_settings", "root_of", "settings_at"]


def register(connection: Connection) -> None:
    """Answer these methods on `connection`."""
    connection.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_workspace_folders)


def did_change_workspace_folders(ls: Connection, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Open and close workspaces. What is in both lists was renamed, and stays open."""
    added = [path for folder in params.event.added if (path := path_of(folder.uri)) is not None]
    for folder in params.event.removed:
        root = path_of(folder.uri)
        if root is not None and root not in added:
            ls.settings.forget_workspace(root)
            ls.settings_watch.forget(root)
            ls.daemon.close_workspace(ls.session, root)
    for root in added:
        open_root(ls, root)


def open_root(ls: Connection, root: Path) -> None:
    """Work in a workspace: let it be indexed, and let its settings hold in it."""
    ls.daemon.open_workspace(ls.session, root)
    _read_settings(ls, root)


def reread_settings(ls: Connection, saved: Path) -> None:
    """Read a workspace's settings again if `saved` is their file."""
    if saved.name == WORKSPACE_FILE and saved.parent in ls.session.roots:
        _read_settings(ls, saved.parent)


def root_of(ls: Connection, path: Path | None) -> Path | None:
    """The innermost workspace that holds `path`; None for untitled buffers and files outside."""
    if path is None:
        return None
    holding = [root for root in ls.session.roots if path.is_relative_to(root)]
    return max(holding, key=lambda root: len(root.parts), default=None)


def settings_at(ls: Connection, root: Path | None) -> Settings:
    """What holds in a workspace now, with its file read again if that was changed; None for outside of any."""
    if root is not None and ls.settings_watch.has_changed(root):
        _read_settings(ls, root)
    return ls.settings.of(root)


def _read_settings(ls: Connection, root: Path) -> None:
    ls.settings_watch.reading(root)
    try:
        ls.settings.read_workspace(root)
    except ConfigError as error:
        ls.warn(str(error))
