"""Editors without a client of ours: their own ones, set up by the very lines of our README."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.editor_places import PACKAGED, packaged_root
from tests.support.editor_programs import PATIENT, program_on_path
from tests.support.processes import Home
from tests.support.readme_snippets import snippet
from tests.support.terminal import Terminal
from tests.support.waiting import SAFETY_S, wait_for

pytestmark = pytest.mark.editor

SCRIPT = {"rules": [{"after": "total = ", "answer": "price * count"}], "default": ""}

#: Opens the file, has eglot connect as `eglot-ensure` does at the first command, and asks until the daemon is ready.
ASK_BY_EGLOT = """
(setq eglot-sync-connect 60)
(find-file (pop command-line-args-left))
(apply #'eglot--connect (eglot--guess-contact))
(insert "total = ")
(while (equal (buffer-string) "total = ")
  (accept-process-output nil 0.05)
  (completion-at-point))
(save-buffer)
(eglot-shutdown (eglot-current-server))
"""


#: Opens the file, and has a key accept that every terminal can send; the client's own is Control-Enter. That it is
#: connected is told by a file: a message stays on the screen until the next one, which may come at once.
OPEN_BY_LSP_MODE = """
(setq lsp-auto-guess-root t lsp-enable-snippet nil require-final-newline nil)
(require 'lsp-mode)
(require 'lsp-inline-completion)
(define-key lsp-inline-completion-active-map (kbd "<f8>") #'lsp-inline-completion-accept)
(add-hook 'lsp-after-initialize-hook (lambda () (write-region "" nil "../initialized")))
(find-file (pop command-line-args-left))
(lsp)
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home for a daemon with a scripted model, and for the editor's own files."""
    home = Home(tmp_path)
    yield home
    home.close()


@pytest.fixture
def file(home: Home) -> Path:
    """An empty Python file in a folder of its own."""
    file = home.root / "shop/shop.py"
    (file.parent / ".git").mkdir(parents=True)
    file.touch()
    return file


def environ(home: Home) -> Mapping[str, str]:
    """What an editor is started with: our program on PATH, and no file of its user."""
    path = f"{program_on_path(home, home.serve_command(SCRIPT))}:{os.environ['PATH']}"
    return {**home.environ, **PATIENT, "PATH": path, "HOME": str(home.root), "XDG_CONFIG_HOME": str(home.root)}


def installed(name: str) -> Path:
    """Where an editor lies; skips loudly where it is not there."""
    root = packaged_root(os.environ, name)
    if not (root / PACKAGED[name].program).exists():
        pytest.skip(f"NO {name.upper()}: it is not tested here; run: make test-editors")
    return root


@dataclass(frozen=True, slots=True)
class Emacs:
    """An installed Emacs, which was not made to lie where it lies."""

    command: list[str]
    environ: Mapping[str, str]
    packages: list[Path]

    @classmethod
    def installed(cls) -> Emacs:
        """Skips loudly where there is none."""
        root = installed("emacs-30.2")
        [share] = root.glob("usr/share/emacs/[0-9]*")
        [dump] = root.glob("usr/libexec/emacs/*/*/emacs-*.pdmp")
        places = {
            "EMACSLOADPATH": str(share / "lisp"),
            "EMACSDATA": str(share / "etc"),
            "EMACSDOC": str(share / "etc"),
            "EMACSPATH": str(dump.parent),
        }
        program = root / PACKAGED["emacs-30.2"].program
        # It would call a compiler that is not beside it.
        quiet = "(setq native-comp-enable-subr-trampolines nil inhibit-automatic-native-compilation t)"
        command = [str(program), f"--dump-file={dump}", "--quick", "--eval", quiet]
        return cls(command, places, sorted(root.glob("usr/share/emacs/site-lisp/elpa-src/*")))

    def packages_loaded(self) -> str:
        """Lisp that makes its packages known, as its package manager would."""
        paths = "".join(f'(add-to-list \'load-path "{package}")\n' for package in self.packages)
        names = [package.name.rpartition("-")[0] for package in self.packages]
        return paths + "".join(f'(load "{name}-autoloads" t)\n' for name in names)


def test_emacs_with_eglot(home: Home, file: Path) -> None:
    """`completion-at-point` inserts the suggestion at the cursor."""
    emacs = Emacs.installed()
    setup = home.root / "setup.el"
    setup.write_text(f"(require 'eglot)\n{snippet('Emacs')}\n{ASK_BY_EGLOT}")
    done = subprocess.run(
        [*emacs.command, "--batch", "--load", str(setup), str(file)],
        env={**environ(home), **emacs.environ},
        capture_output=True,
        text=True,
        timeout=10 * SAFETY_S,
        check=False,
    )

    assert b"total = price * count\n" == file.read_bytes(), done.stderr


def test_emacs_with_lsp_mode(home: Home, file: Path) -> None:
    """It draws the suggestion by itself behind what is typed, and warns of nothing."""
    emacs = Emacs.installed()
    setup = home.root / "setup.el"
    setup.write_text(f"{emacs.packages_loaded()}\n{snippet('Emacs', 1)}\n{OPEN_BY_LSP_MODE}")
    command = [*emacs.command, "-nw", "--load", str(setup), str(file)]
    terminal = Terminal(command, home.root, {**environ(home), **emacs.environ})
    try:
        wait_for((home.root / "initialized").exists, "the connection")
        home.until_serving()
        terminal.keys("total = ")
        terminal.until("total = price * count")
        assert "Unknown" not in terminal.screen()
        terminal.keys("<F8><C-x><C-s>")
        wait_for(lambda: file.read_bytes().rstrip() == b"total = price * count", "the saved file")
    finally:
        terminal.close()


def test_helix(home: Home, file: Path) -> None:
    """Its menu, opened by hand, has an entry named by the suggestion, and Enter takes it."""
    root = installed("helix-25")
    # Nothing is typed: Helix 25.01 sends the changes of letters that come close together in any order.
    file.write_text("total = \n")
    config = home.root / "helix"
    config.mkdir()
    (config / "languages.toml").write_text(snippet("Helix"))
    (config / "config.toml").write_text("[editor]\ncompletion-timeout = 5\n")
    command = [str(root / PACKAGED["helix-25"].program), str(file)]
    terminal = Terminal(command, home.root, {**environ(home), "HELIX_RUNTIME": str(root / "usr/lib/hx/runtime")})
    try:
        terminal.until("shop.py")
        home.until_serving()
        terminal.keys("A")
        terminal.until("INS")
        terminal.until("price * count", by="<C-x>")
        terminal.keys("<Tab><CR><Esc>")
        terminal.until("NOR")
        terminal.keys(":w<CR>")
        terminal.until("written")
    finally:
        terminal.close()

    assert b"total = price * count\n" == file.read_bytes()
