"""Make `.venv` and install the package into it, from nothing or again.

Used by `make demo` and `make test`. Takes exact versions from `requirements.lock`, and llama-cpp-python from the wheel
that `codeassistd/engine/llama/wheel.py` builds for this machine. A stamp in the environment names all that was
installed, so that a second run takes no time. Standard library only.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
VENV = REPO / ".venv"
LOCK = REPO / "requirements.lock"
STAMP = VENV / "codeassistd-installed"
MIN_PYTHON = (3, 11)


def main() -> int:
    """Install; exit code 2 when something the user must provide is missing."""
    parser = argparse.ArgumentParser(description="Install codeassistd into .venv")
    parser.add_argument("--extra", action="append", default=[], help="optional dependencies to install (dev)")
    parser.add_argument("--cuda", action="store_const", const=True, default=False, help="build llama.cpp for CUDA")
    options = parser.parse_args()
    if sys.version_info < MIN_PYTHON:
        return fail(f"Python {sys.version.split()[0]} is too old; run make PYTHON=python3.11 (or newer)")
    wanted = stamp(options.extra, cuda=options.cuda)
    python = str(VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python"))
    if STAMP.exists() and set(wanted) <= set(STAMP.read_text(encoding="utf-8").splitlines()):
        return 0
    if not Path(python).exists():
        say(f"making {VENV.name} with Python {sys.version.split()[0]}")
        try:
            venv.create(VENV, with_pip=True, symlinks=os.name != "nt")
        except subprocess.CalledProcessError:
            return fail("python3 has no ensurepip; install it (Debian: apt-get install python3-venv)")
    STAMP.unlink(missing_ok=True)
    wheel_script = [str(REPO / "codeassistd/engine/llama/wheel.py"), "--python", python, "--lock", str(LOCK)]
    built = subprocess.run(
        [python, "-P", *wheel_script, *(["--cuda"] if options.cuda else [])],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if built.returncode != 0:
        return built.returncode
    package = f"{REPO}[{','.join(options.extra)}]" if options.extra else str(REPO)
    say("installing the packages of requirements.lock")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    steps = (
        [*pip, "--no-deps", "--force-reinstall", built.stdout.strip()],
        [*pip, "--constraint", str(LOCK), "--editable", package],
    )
    for step in steps:
        done = subprocess.run(step, check=False)
        if done.returncode != 0:
            return fail(f"pip failed with exit code {done.returncode}: {' '.join(step)}")
    STAMP.write_text("\n".join(wanted) + "\n", encoding="utf-8")
    return 0


def stamp(extras: list[str], *, cuda: bool) -> list[str]:
    """One line for each thing that, when changed, needs a new installation."""
    files = [LOCK, REPO / "pyproject.toml", REPO / "codeassistd/engine/llama/wheel.py"]
    digest = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
    device = "cuda" if cuda else "cpu"
    base = f"{digest} {sys.implementation.cache_tag} {device} CMAKE_ARGS={os.environ.get('CMAKE_ARGS', '')}"
    return [base, *(f"{base} extra={extra}" for extra in extras)]


def say(line: str) -> None:
    """Tell the user what takes the time."""
    print(f"codeassistd: {line}", file=sys.stderr, flush=True)


def fail(line: str) -> int:
    """Tell the user what to provide."""
    say(line)
    return 2


if __name__ == "__main__":
    sys.exit(main())
