"""Options that several verbs share."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["AsJson", "Assignments", "Beside", "WithText"]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object for programs.")]

Assignments = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Set one setting for this run, as in `--set model.n_ctx=2048`; repeatable."
    ),
]

Beside = Annotated[bool, typer.Option("--beside", help="Measure even while a daemon holds a model.")]

WithText = Annotated[
    bool, typer.Option("--text", help="List what was put in, too; without it no source text is printed.")
]
