"""`eval`: how good suggestions and their context are, judged on real code. One module for each sub-verb."""

from __future__ import annotations

import typer

from codeassistd.cli import (
    eval_chat,
    eval_context,
    eval_fit,
    eval_gate,
    eval_infill,
    eval_long,
    eval_repo,
    eval_scenarios,
)

__all__ = ["register"]

_SUB_VERBS = (eval_chat, eval_context, eval_fit, eval_gate, eval_infill, eval_long, eval_repo, eval_scenarios)


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    group = typer.Typer(help="Judge quality on real code, beside the goals it should reach.")
    for module in _SUB_VERBS:
        module.register(group)
    app.add_typer(group, name="eval")
