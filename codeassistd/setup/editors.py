"""Finds editors on this machine, and puts our clients into them; what the user has there is never touched.

The clients' files are shipped in the wheel beside this package, as `codeassistd_editors`; in a clone they lie in
`editors`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import codeassistd
from codeassistd import __version__
from codeassistd.paths import OutsidePlaces
from codeassistd.setup.installed import Installed, Item, Kind, is_unchanged, take_away, tree_mark

__all__ = ["EXTENSION", "Client", "NeovimClient", "Presence", "VsCodeClient", "client_files", "find_clients"]

EXTENSION = "codeassistd.codeassistd"
"""The name of our extension for VS Code and its kin."""
_CODE_COMMANDS = ("code", "code-insiders", "codium", "cursor")
_EDITOR_S = 120.0


class Presence(StrEnum):
    """How our client stands in an editor."""

    ABSENT = "absent"
    CURRENT = "current"
    OUTDATED = "outdated"
    """Ours, of another version."""
    FOREIGN = "foreign"
    """Something is there that we did not put there; it is left alone."""
    NO_FILES = "no files"
    """This installation does not carry the client."""


class Client(Protocol):
    """Our client for one editor of this machine."""

    @property
    def name(self) -> str:
        """The editor, for people."""

    @property
    def place(self) -> str:
        """Where the client goes."""

    @property
    def by_hand(self) -> str:
        """What a user does who wants it in another way."""

    def presence(self) -> Presence:
        """How it stands there now."""

    def install(self) -> str:
        """Put it there; answers why that failed, or an empty text."""


@dataclass(frozen=True, slots=True)
class NeovimClient:
    """A package that Neovim loads at its start: a link to the shipped files, or a copy where links cannot be made."""

    files: Path | None
    package: Path
    installed: Installed

    @property
    def name(self) -> str:
        """The editor."""
        return "Neovim"

    @property
    def place(self) -> str:
        """The folder of the package."""
        return str(self.package)

    @property
    def by_hand(self) -> str:
        """The line for a user who keeps his plugins himself."""
        if self.files is None:
            return "put editors/neovim of a clone on the runtime path"
        return f"vim.opt.runtimepath:append('{self.files}')"

    def presence(self) -> Presence:
        """How the package stands."""
        if self.files is None:
            return Presence.NO_FILES
        if not os.path.lexists(self.package):
            return Presence.ABSENT
        if self.package.is_symlink() and self.package.readlink() == self.files:
            return Presence.CURRENT
        item = self.installed.find(self.place)
        if item is None or not is_unchanged(item):
            return Presence.FOREIGN
        is_same = item.kind is Kind.TREE and item.mark == tree_mark(self.files)
        return Presence.CURRENT if is_same else Presence.OUTDATED

    def install(self) -> str:
        """Make the link, or the copy."""
        presence = self.presence()
        if self.files is None or presence not in {Presence.ABSENT, Presence.OUTDATED}:
            return "" if presence is Presence.CURRENT else f"{presence}: left alone"
        old = self.installed.find(self.place)
        if old is not None and (problem := take_away(old)):
            return problem
        try:
            self.package.parent.mkdir(parents=True, exist_ok=True)
            self.installed.put(self._place_files(self.files))
        except OSError as error:
            return f"{self.package} cannot be written: {error.strerror}"
        return ""

    def _place_files(self, files: Path) -> Item:
        try:
            # A link follows an update of this program by itself.
            self.package.symlink_to(files, target_is_directory=True)
        except OSError:
            shutil.copytree(files, self.package)
            return Item(Kind.TREE, self.place, tree_mark(self.package))
        return Item(Kind.LINK, self.place, str(files))


@dataclass(frozen=True, slots=True)
class VsCodeClient:
    """An extension, which the editor installs itself; `command` is the editor's own."""

    vsix: Path | None
    command: str
    installed: Installed

    @property
    def name(self) -> str:
        """The editor, by its command."""
        return f"VS Code ({Path(self.command).name})"

    @property
    def place(self) -> str:
        """The editor's command; the editor knows the rest."""
        return self.command

    @property
    def by_hand(self) -> str:
        """The command."""
        package = self.vsix or "codeassistd.vsix"
        origin = "" if self.vsix else "`make vscode` in a clone packages it; then "
        return f"{origin}{Path(self.command).name} --install-extension {package}"

    def presence(self) -> Presence:
        """How the extension stands, by the editor's own list."""
        version = self._version()
        if version == __version__:
            return Presence.CURRENT
        if self.vsix is None:
            return Presence.NO_FILES
        if not version:
            return Presence.ABSENT
        return Presence.OUTDATED if self.installed.find(self.command) else Presence.FOREIGN

    def install(self) -> str:
        """Have the editor install it."""
        presence = self.presence()
        if self.vsix is None or presence not in {Presence.ABSENT, Presence.OUTDATED}:
            return "" if presence is Presence.CURRENT else f"{presence}: left alone"
        code, said = self._run("--install-extension", str(self.vsix))
        if code != 0:
            return said[-1] if said else f"{self.command} ended with exit code {code}"
        self.installed.put(Item(Kind.EXTENSION, self.command, EXTENSION))
        return ""

    def _version(self) -> str:
        """The version that is installed; empty if none is."""
        _, said = self._run("--list-extensions", "--show-versions")
        found = (line.partition("@") for line in said)
        return next((version.strip() for name, _, version in found if name.lower() == EXTENSION), "")

    def _run(self, *arguments: str) -> tuple[int, Sequence[str]]:
        """Exit code and lines of the editor's command."""
        try:
            done = subprocess.run(
                [self.command, *arguments],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=_EDITOR_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return 1, [f"{self.command} does not run: {error}"]
        return done.returncode, [*done.stdout.splitlines(), *done.stderr.splitlines()]


def find_clients(outside: OutsidePlaces, installed: Installed, environ: Mapping[str, str]) -> list[Client]:
    """Our clients for the editors on `PATH`."""
    path = environ.get("PATH")
    clients: list[Client] = []
    if shutil.which("nvim", path=path):
        clients.append(NeovimClient(client_files("neovim"), outside.neovim_package, installed))
    for name in _CODE_COMMANDS:
        command = shutil.which(name, path=path)
        if command is not None:
            clients.append(VsCodeClient(client_files("codeassistd.vsix"), command, installed))
    return clients


def client_files(name: str) -> Path | None:
    """The folder or file of a client, as shipped; None where this installation does not carry it."""
    root = Path(codeassistd.__file__).resolve().parent.parent
    places = [root / "codeassistd_editors" / name, root / "editors" / name, root / "editors/vscode/dist" / name]
    return next((place for place in places if place.exists()), None)
