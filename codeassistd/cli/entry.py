"""The console script: hands `lsp` to the proxy before anything but the standard library is imported.

An editor waits for the proxy at every start of a window, and holds one for as long as the window is open: Typer alone
would cost it as much time and memory as the whole proxy.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

__all__ = ["main"]

# What editors append on their own; anything else (`--help`, a mistake) is left to the command line's parser.
_PROXY_FLAGS = ("--stdio", "--clientProcessId=")
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    argv = list(sys.argv[1:] if arguments is None else arguments)
    if argv[:1] == ["lsp"] and all(argument.startswith(_PROXY_FLAGS) for argument in argv[1:]):
        from codeassistd.daemon import proxy  # noqa: PLC0415 - one of the two is imported, never both

        return proxy.main(argv[1:])
    _write_anything()
    try:
        from codeassistd.cli import app  # noqa: PLC0415 - see above

        return app.run(argv)
    except KeyboardInterrupt:
        # While the parser was being imported, which takes longer than many a verb.
        return _INTERRUPTED


def _write_anything() -> None:
    """Have written as an escape what standard output has no letter for, in place of an error half-way.

    Answers and paths hold any letter, while a terminal may be of Latin-1, as pipes are on Windows.
    """
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
