"""`serve`: be the daemon in the foreground; it is what `start` and the proxy run in the background."""

from __future__ import annotations

import gc
from functools import partial

import typer

from codeassistd.cli.options import Assignments
from codeassistd.config_layers import parse_assignments
from codeassistd.daemon.tuned import load_tuned
from codeassistd.paths import Paths

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("serve")(_serve)


def _serve(*, assignments: Assignments = None) -> None:
    """Be the daemon in the foreground until it is stopped; what it has to say goes to its log."""
    paths = Paths.resolve()
    overrides = parse_assignments(assignments or ())
    settle = partial(load_tuned, paths, overrides)
    loaded = settle()
    # Here and not above: a help page must not load the engine, whose native library may not even run here.
    from codeassistd.daemon.assembly import run_daemon  # noqa: PLC0415 - see above
    from codeassistd_lsp.server import serve  # noqa: PLC0415 - see above

    code = run_daemon(
        paths, loaded.settings, None, serve, pinned=frozenset(overrides), tuned=loaded.tuned, settle=settle
    )
    # All is closed and given back. Without this the interpreter would search all of the modules' objects for rings on
    # its way out, for 0.4 s of the processor, while `stop` waits for the end of the process.
    gc.freeze()
    raise typer.Exit(code)
