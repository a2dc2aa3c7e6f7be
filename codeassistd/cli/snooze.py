"""`snooze [MINUTES] | --off`: quiet for a while, in all editors."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from codeassistd.completion.snooze import DEFAULT_MINUTES, MAX_MINUTES
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import UsageError
from codeassistd.paths import Paths

__all__ = ["register"]


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    app.command("snooze")(_snooze)


def _snooze(
    minutes: Annotated[
        int | None,
        typer.Argument(metavar="[MINUTES]", min=1, max=MAX_MINUTES, help=f"For how long; default: {DEFAULT_MINUTES}."),
    ] = None,
    *,
    off: Annotated[bool, typer.Option("--off", help="End the snooze.")] = False,
) -> None:
    """Suggest nothing by itself for a while, in all editors; asking by hand still works."""
    if off and minutes is not None:
        raise UsageError("--off ends a snooze and takes no minutes; give one of the two")
    wanted = 0 if off else minutes or DEFAULT_MINUTES
    with ControlClient.connect(Launcher(Paths.resolve())) as daemon:
        left_s = daemon.call("snooze", {"minutes": wanted})["snoozed_s"]
    typer.echo(f"snoozed for {math.ceil(left_s / 60)} min" if left_s else "suggestions are on")
