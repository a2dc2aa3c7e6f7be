"""Real processes in directories of their own: daemons with a scripted model, and proxies as an editor starts them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import psutil

from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.connection import Connection
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths
from codeassistd.testing.lsp_client import LspClient
from tests.support.waiting import SAFETY_S, wait_for

__all__ = ["Home", "Proxy", "command_line", "has_ended", "proxy_with"]

_ECHO: Mapping[str, object] = {"rules": [{"after": "total = ", "answer": "a + b"}], "default": ""}


class Home:
    """A place with its own settings, logs, socket and at most one daemon; `close` ends what was started in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths = Paths.resolve({"CODEASSISTD_HOME": str(root)})
        self.environ = {
            **os.environ,
            "CODEASSISTD_HOME": str(root),
            "CODEASSISTD_INDEX__ENABLED": "false",
            # A busy machine answers late, and a test waits for the answer.
            "CODEASSISTD_COMPLETION__DEADLINE_MS": "60000",
        }
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def launcher(self) -> Launcher:
        """Reaches the daemon of this home."""
        return Launcher(self.paths)

    def serve_command(self, script: Mapping[str, object] | None = None) -> list[str]:
        """The command that is a daemon with a scripted model."""
        file = self.root / "script.json"
        file.write_text(json.dumps(_ECHO if script is None else script))
        return [sys.executable, "-P", "-m", "codeassistd.testing.serve", str(file)]

    def spawn(self, command: Sequence[str], **streams: int) -> subprocess.Popen[bytes]:
        """Start any process of this home; it is ended by `close`."""
        process = subprocess.Popen(list(command), env=self.environ, start_new_session=True, **streams)
        self._processes.append(process)
        return process

    def start_daemon(self, script: Mapping[str, object] | None = None) -> subprocess.Popen[bytes]:
        """Start a daemon with a scripted model and wait until it answers."""
        process = self.spawn(self.serve_command(script))
        self.call("status")
        return process

    def connection(self) -> Connection:
        """A control connection to the daemon, as soon as there is one."""
        return wait_for(lambda: self.launcher.connect(Kind.CONTROL), "a daemon that answers")

    def call(self, method: str, **params: object) -> object:
        """Ask the daemon."""
        with ControlClient(self.connection()) as daemon:
            return daemon.call(method, params)

    def status(self) -> dict[str, object]:
        """The daemon's status; that of the next daemon where one ends while it is asked."""

        def told() -> object:
            try:
                return self.call("status")
            except DaemonError:
                return None

        status = wait_for(told, "a daemon that tells its status")
        assert isinstance(status, dict)
        return status

    def daemon_pid(self) -> int:
        """The process that answers on the socket."""
        pid = self.status()["pid"]
        assert isinstance(pid, int)
        return pid

    def until_ready(self) -> None:
        """Wait until the model is loaded."""
        wait_for(lambda: self.status()["state"] == "ready", "a loaded model")

    def until_serving(self) -> None:
        """Wait until the model is loaded, and an editor connected."""
        self.until_ready()
        wait_for(lambda: self.status()["sessions"], "an editor that is connected")

    def close(self) -> None:
        """End what was started here, however it feels."""
        if self.paths.socket_file.is_socket():
            with contextlib.suppress(Exception):
                connection = Launcher(self.paths, answer_s=5.0).connect(Kind.CONTROL)
                if connection is not None:
                    with ControlClient(connection) as daemon:
                        pid = daemon.call("status")["pid"]
                        os.kill(pid, signal.SIGKILL)
        for process in self._processes:
            if process.poll() is None:
                process.kill()
            process.wait(SAFETY_S)
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream is not None:
                    stream.close()

    @contextlib.asynccontextmanager
    async def proxy(self, command: Sequence[str] | None = None) -> AsyncIterator[Proxy]:
        """A proxy as an editor starts it, by its own road to the daemon or by a daemon that `command` starts."""
        words = [sys.executable, "-P", "-m", "codeassistd", "lsp", "--stdio"]
        if command is not None:
            words = [sys.executable, "-P", "-c", proxy_with(command)]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, env=self.environ)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with LspClient(process.stdout, process.stdin) as client:
                yield Proxy(process, client)
        finally:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()


def proxy_with(command: Sequence[str]) -> str:
    """A program that is the proxy's own assembly, but for the command that starts a daemon.

    No daemon of it is too short-lived: the tests kill them as soon as they answer.
    """
    return f"""
import os, sys
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.link import Link
from codeassistd.daemon.proxy import Proxy
from codeassistd.paths import Paths
make = lambda relay, post: Link(Launcher(Paths.resolve(), command={list(command)!r}), relay, post, steady_s=0.0)
sys.exit(Proxy(0, os.dup(1), make).run())
"""


def command_line(process: psutil.Process) -> list[str]:
    """The words that a process was started with; none where it has just ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def has_ended(process: psutil.Process) -> bool:
    """Whether a process has ended, also where nobody waits for it and it stays in the table."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


class Proxy:
    """A running proxy and the client at its streams."""

    def __init__(self, process: asyncio.subprocess.Process, client: LspClient) -> None:
        self.process = process
        self.client = client

    async def code(self) -> int:
        """Wait for its end; returns the exit code."""
        async with asyncio.timeout(SAFETY_S):
            return await self.process.wait()

    async def status(self, state: str, after: int = 0) -> object:
        """Wait until the editor was told of that state."""
        return await self.client.wait_for("codeassistd/status", lambda params: params["state"] == state, after)
