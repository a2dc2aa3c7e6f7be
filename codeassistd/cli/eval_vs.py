"""`--vs KEY=VALUE` of every `eval`: the same cases once more with other settings, and what that changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer
from rich.text import Text

from codeassistd.cli.figure_cell import figure_cell, number_of
from codeassistd.cli.terminal import answers, print_table
from codeassistd.config import Settings
from codeassistd.config_layers import load, parse_assignments
from codeassistd.errors import ConfigError
from codeassistd.paths import Paths

__all__ = ["Vs", "other_settings", "show_paired", "show_vs"]

Vs = Annotated[
    list[str] | None,
    typer.Option(
        "--vs",
        metavar="KEY=VALUE",
        help="Compare with this setting, case by case, as in `--vs model.kv_type_k=q8_0`; several make one comparison.",
    ),
]


def other_settings(
    paths: Paths, overrides: Mapping[str, str], assignments: Sequence[str] | None, sections: Sequence[str] = ()
) -> tuple[dict[str, str], Settings | None]:
    """What `--vs` asks for: the overrides of the other side, and its settings; nothing and None without it.

    Args:
        paths: where the user's settings lie.
        overrides: those of our side.
        assignments: what was given with `--vs`.
        sections: of settings that this eval heeds; empty for all.

    Raises:
        ConfigError: a key is unknown or a value is wrong, or the eval would not heed it.
    """
    others = parse_assignments(assignments or (), "--vs")
    if not others:
        return {}, None
    for key in others:
        if sections and key.partition(".")[0] not in sections:
            may = ", ".join(f"{section}.*" for section in sections)
            raise ConfigError(f"--vs {key}: it makes no difference here; what does is {may}")
    both = {**overrides, **others}
    try:
        return both, load(paths, overrides=both).settings
    except ConfigError as error:
        # Our own side was read before, so the value that is wrong is one of these.
        raise ConfigError(str(error).replace("--set:", "--vs:", 1)) from error


def show_vs(rows: Sequence[Mapping[str, object]]) -> None:
    """Print the comparison among the rows of a report, if there is one."""
    show_paired([row for row in rows if row.get("table") == "vs"], "with the settings of --vs, case by case")


def show_paired(rows: Sequence[Mapping[str, object]], title: str) -> None:
    """Print rows of `vs_rows` under a title; nothing without rows."""
    if not rows:
        return
    about = [key for key in rows[0] if key not in {"table", *_COLUMNS, "low", "high"}]
    answers().print(Text(f"\n{title}", style="bold"))
    print_table((*about, *_COLUMNS.values()), ([*(str(row[key]) for key in about), *_cells(row)] for row in rows))


_COLUMNS = {
    "figure": "figure",
    "n_pairs": "pairs",
    "ours": "ours",
    "theirs": "theirs",
    "change": "change (in 95 of 100)",
    "verdict": "verdict",
}


def _cells(row: Mapping[str, object]) -> list[str | Text]:
    name = str(row["figure"])
    low, high, change = number_of(row["low"]), number_of(row["high"]), number_of(row["change"])
    span = "-" if change is None or low is None or high is None else f"{change:+.3f} ({low:+.3f} to {high:+.3f})"
    return [
        name,
        str(row["n_pairs"]),
        figure_cell(name, number_of(row["ours"]), None),
        figure_cell(name, number_of(row["theirs"]), None),
        span,
        str(row["verdict"]),
    ]
