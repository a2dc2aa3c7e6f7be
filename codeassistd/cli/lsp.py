"""`lsp --stdio`: what an editor starts.

`entry.py` hands the verb to the proxy before this module could be imported; it is here for its help page and for
arguments that the proxy does not take.
"""

from __future__ import annotations

from typing import Annotated

import typer

from codeassistd.daemon import proxy

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("lsp")(_lsp)


def _lsp(
    *,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Speak LSP on standard input and output (the default).")
    ] = True,
) -> None:
    """Speak LSP with an editor; starts the daemon if there is none."""
    del stdio
    raise typer.Exit(proxy.main(["--stdio"]))
