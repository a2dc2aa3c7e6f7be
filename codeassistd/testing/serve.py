"""`python -P -m codeassistd.testing.serve SCRIPT.json`: the daemon with a scripted model.

The very assembly of `codeassistd serve`, with a fake backend in place of llama.cpp, so that tests can run real
processes without a model. See `fake_script` for what a script holds; one with `recordings` says again what a model once
said (`replay_backend`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from codeassistd.config_layers import load
from codeassistd.daemon.assembly import run_daemon
from codeassistd.errors import CodeassistdError
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.replay_backend import ReplayBackend
from codeassistd_lsp.server import serve

__all__ = ["main"]


def main(argv: Sequence[str]) -> int:
    """Run the daemon until it is stopped; `argv` is the path of the script."""
    (script,) = argv
    paths = Paths.resolve()
    try:
        return run_daemon(paths, load(paths).settings, _backend(Path(script)).load, serve)
    except CodeassistdError as error:
        sys.stderr.write(f"codeassistd: {error}\n")
        return error.exit_code


def _backend(script: Path) -> FakeBackend:
    if "recordings" in json.loads(script.read_text("utf-8")):
        return ReplayBackend.from_json(script)
    return FakeBackend.from_json(script)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
