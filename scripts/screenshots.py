"""Make the pictures of the README anew: VS Code, Neovim and `make demo`, with the starter model behind them.

Used by `make screenshots`, after `make test-editors` has fetched the editors. What is suggested on them is what the
model says; nothing is drawn in. They are not made where an editor or the model cannot be had.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scripts.screen import Screen
from tests.support.neovim import Build, Neovim
from tests.support.processes import Home
from tests.support.terminal import Terminal
from tests.support.vscode import VsCode
from tests.support.waiting import wait_for

REPO = Path(__file__).resolve().parent.parent
IMAGES = REPO / "docs/images"
#: Where `make demo` keeps the model.
DEMO = REPO / ".demo"
PROGRAM = [sys.executable, "-P", "-m", "codeassistd"]
#: A small model on a busy machine; the demo compiles nothing, but loads and reads.
PATIENCE_S = 300.0

SHOP = '''"""The shelf of a small shop."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    """Something that is sold."""

    name: str
    price: float
    count: int


def total(items: list[Item]) -> float:
    """What all items are worth."""
    return sum(item.price * item.count for item in items)


def cheapest(items: list[Item]) -> Item:
    """The item with the lowest price."""
    return min(items, key=lambda item: item.price)


'''
DEAREST = '''def dearest(items: list[Item]) -> Item:
    """The item with the highest price."""
'''
AVERAGE = "def average_price(items: list[Item]) -> float:\n"


def main() -> int:
    """Make all three; exit code 1 where one could not be made."""
    IMAGES.mkdir(exist_ok=True)
    environ = {**os.environ, "CODEASSISTD_HOME": str(DEMO)}
    subprocess.run([*PROGRAM, "model", "pull", "starter"], env=environ, check=True)
    n_missing = 0
    for name, make in (("vscode.png", vscode), ("neovim.svg", neovim), ("demo.svg", demo)):
        try:
            make(IMAGES / name)
            say(f"made {name}")
        except pytest.skip.Exception as missing:
            say(f"NOT MADE: {name}: {missing}")
            n_missing += 1
    return 1 if n_missing else 0


def vscode(picture: Path) -> None:
    """A suggestion in VS Code."""
    with model_home() as home:
        folder = shop(home, DEAREST)
        editor = VsCode(home, [*PROGRAM, "serve"], folder)
        try:
            window = editor.window("shop.py")
            window.page.set_viewport_size({"width": 1000, "height": 640})
            window.until_status("Ready")
            window.press("Control+End")
            window.type("    return ")
            wait_for_suggestion(lambda: window.page.wait_for_timeout(20) or window.ghost())
            window.until_status("Ready")
            window.page.screenshot(path=str(picture))
        finally:
            editor.close()


def neovim(picture: Path) -> None:
    """A suggestion in Neovim."""
    with model_home() as home:
        folder = shop(home, AVERAGE)
        editor = Neovim(home, Build.of("0.12"), [*PROGRAM, "serve"])
        try:
            editor.api.command("set statusline=\\ %t%m%=%{%v:lua.require'codeassistd'.statusline()%}\\  laststatus=2")
            editor.api.command("set number noruler cmdheight=0 shortmess+=F expandtab")
            screen = Screen(str(home.root / "nvim.sock"), 88, 30)
            editor.api.command(f"lcd {folder}")
            editor.open(folder / "shop.py")
            editor.until_ready()
            editor.keys("Go")
            wait_for_suggestion(lambda: editor.status()[0] == "ready" and is_shown(editor.ghost(), screen))
            picture.write_text(screen.svg("nvim shop.py"), encoding="utf-8")
        finally:
            editor.close()


def demo(picture: Path) -> None:
    """What `make demo` prints once all is installed."""
    with tempfile.TemporaryDirectory() as folder:
        line = f"{' '.join(PROGRAM)} demo"
        words = ["sh", "-c", f"cd {REPO} && printf '$ make demo\\n' && {line} && printf '$ ' && read answer"]
        terminal = Terminal(words, Path(folder), os.environ)
        try:
            screen = Screen(str(terminal.address), 104, 38)
            wait_for(lambda: screen.text().rstrip().endswith("\n$"), "the end of the demo", PATIENCE_S)
            picture.write_text(screen.svg("make demo"), encoding="utf-8")
        finally:
            terminal.close()


@contextmanager
def model_home() -> Iterator[Home]:
    """A home of its own whose daemon has the starter model, and shows whatever it says, however long that takes."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "data").symlink_to(DEMO / "data")
        home = Home(root)
        home.environ |= {
            "CODEASSISTD_COMPLETION__EAGERNESS": "always",
            "CODEASSISTD_COMPLETION__DEADLINE_MS": "60000",
            "CODEASSISTD_COMPLETION__IGNORED_FILES": "true",
        }
        try:
            yield home
        finally:
            home.close()


def shop(home: Home, last: str) -> Path:
    """A folder with a file to go on with behind its last function's head."""
    folder = home.root / "shop"
    folder.mkdir()
    (folder / "shop.py").write_text(SHOP + last, encoding="utf-8")
    return folder


def is_shown(ghost: str | None, screen: Screen) -> bool:
    """Whether all lines of a suggestion stand on the screen."""
    return ghost is not None and all(line in screen.text() for line in ghost.split("\n"))


def wait_for_suggestion(look: Callable[[], object]) -> None:
    """Wait until something is suggested."""
    wait_for(look, "a suggestion of the model", PATIENCE_S)


def say(line: str) -> None:
    """Tell what was made."""
    print(f"codeassistd: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
