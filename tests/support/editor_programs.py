"""Our program as an editor finds it on PATH, with a scripted model behind it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.support.processes import Home, proxy_with

__all__ = ["PATIENT", "program_on_path"]

#: A busy machine is slow to start git; here it is not waited for in vain.
PATIENT: Mapping[str, str] = {"CODEASSISTD_COMPLETION__IGNORED_FILES": "true"}


def program_on_path(home: Home, daemon: Sequence[str]) -> Path:
    """A folder with a `codeassistd` that is the real one, but for the command of its daemon."""
    folder = home.root / "bin"
    folder.mkdir(exist_ok=True)
    program = folder / "codeassistd"
    program.write_text(
        f"#!{sys.executable} -P\n"
        "import sys\n"
        "if sys.argv[1:2] != ['lsp']:\n"
        "    from codeassistd.cli.entry import main\n"
        "    sys.exit(main())\n"
        f"{proxy_with(daemon)}"
    )
    program.chmod(0o700)
    return folder
