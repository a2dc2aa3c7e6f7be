"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.errors import UsageError

__all__ = ["AsJson", "Assignments", "Beside", "ModelName", "Roots", "WithText", "folder", "folders"]

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

ModelName = Annotated[
    str, typer.Option("--model", metavar="NAME|PATH", help="A model of `model list`, or a GGUF file; default: yours.")
]

Roots = Annotated[list[Path], typer.Argument(metavar="REPO...", help="Roots of the repositories to cut.")]


def folder(root: Path, of: str = "workspace") -> Path:
    """A folder that was given, by its whole path; `of` says what it is the root of.

    Raises:
        UsageError: it is none.
    """
    # First, for a link that leads to itself has no whole path.
    if not root.is_dir():
        raise UsageError(f"{root} is not a folder; give the root of a {of}")
    return root.resolve()


def folders(roots: Sequence[Path]) -> list[Path]:
    """The roots of repositories that were given; raises like `folder`."""
    return [folder(root, "repository") for root in roots]
