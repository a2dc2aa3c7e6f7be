"""A program in a terminal, as its user sees it: Neovim without any plugin is the terminal."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pynvim
import pytest

from tests.support.waiting import SAFETY_S, wait_for

__all__ = ["Terminal"]

_BARE = "set laststatus=0 cmdheight=0 noruler noshowmode"
"""The program has all of the screen."""
_AGAIN_S = 10.0
"""So long that keys are pressed again only where they were lost, not where the answer to them is on its way."""


class Terminal:
    """80 columns and 24 lines with one program in them; `close` ends both.

    Attributes:
        address: where Neovim listens.
    """

    def __init__(self, command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
        """Start it in a folder."""
        self.address = folder / "terminal.sock"
        self._process = subprocess.Popen(
            [_neovim(), "--clean", "--headless", "--listen", str(self.address), "--cmd", _BARE],
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._api = wait_for(lambda: _attached(self.address), "the terminal")
        start = "vim.fn.jobstart(..., { term = true })" if self._api.funcs.has("nvim-0.11") else "vim.fn.termopen(...)"
        self._api.exec_lua(f"{start} vim.cmd.startinsert()", list(command))

    def keys(self, keys: str) -> None:
        """Type, in Neovim's key notation; Escape must be the last, since with a letter behind it it is another key."""
        self._api.input(keys)

    def screen(self) -> str:
        """What stands on the screen."""
        return "\n".join(self._api.current.buffer[:])

    def until(self, wanted: str, by: str = "") -> None:
        """Wait until a text stands on the screen, that the keys `by` bring, which are pressed again after a while."""
        pressed_s = float("-inf")

        def looked() -> bool:
            nonlocal pressed_s
            if by and time.monotonic() - pressed_s > _AGAIN_S:
                pressed_s = time.monotonic()
                self.keys(by)
            return wanted in self.screen()

        self._wait(looked, f"the text {wanted!r} on the screen")

    def until_shown(self, holds: Callable[[str], bool], what: str) -> None:
        """Wait for a screen as a whole; one that is being drawn may hold parts of it."""
        self._wait(lambda: holds(self.screen()), what)

    def _wait(self, looked: Callable[[], bool], what: str) -> None:
        try:
            wait_for(looked, what)
        except AssertionError as error:
            raise AssertionError(f"{error}; at last the screen was\n{self.screen()}") from error

    def close(self) -> None:
        """End the program and its terminal."""
        with contextlib.suppress(OSError, EOFError):
            self._api.command("qall!")
        self._process.wait(SAFETY_S)
        self._api.close()


def _attached(address: Path) -> pynvim.Nvim | None:
    """The editor behind a socket; None while it does not listen yet."""
    try:
        return pynvim.attach("socket", path=str(address))
    except OSError:
        return None


def _neovim() -> str:
    own = Path(sys.executable).parent / "nvim"
    found = str(own) if own.exists() else shutil.which("nvim", path=os.environ.get("PATH"))
    if found is None:
        pytest.skip("NO NEOVIM to be a terminal: editors in one are not tested here")
    return found
