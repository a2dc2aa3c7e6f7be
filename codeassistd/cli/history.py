"""`history show | clear`: what became of suggestions, as numbers; the history holds no source text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import typer
from rich.text import Text

from codeassistd.cli.figure_cell import figure_cell
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import answers, print_table
from codeassistd.completion.history.record import Record
from codeassistd.completion.history.store import HistoryStore
from codeassistd.completion.history.summary import grouped, summary
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.paths import Paths

__all__ = ["register"]

_COLUMNS = {
    "n_shown": "shown",
    "n_accepted": "accepted",
    "n_partly": "partly",
    "n_typed": "typed",
    "n_dismissed": "dismissed",
    "accepted_share": "share accepted",
    "kept_30s_share": "kept 30 s",
    "kept_2min_share": "2 min",
    "kept_10min_share": "10 min",
}


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    history = typer.Typer(help="What became of suggestions, as numbers and without any text.")
    history.command("show")(_show)
    history.command("clear")(_clear)
    app.add_typer(history, name="history")


def _show(*, as_json: AsJson = False) -> None:
    """Print what became of suggestions, and which gate they are judged by."""
    paths = Paths.resolve()
    records, gate = _records(paths), _gate(paths)
    if as_json:
        typer.echo(_report(records, gate).as_json())
        return
    rows = [_row("all", records), *(_row(name, members) for name, members in grouped(records).items())]
    print_table(["", *_COLUMNS.values()], rows)
    if gate:
        answers().print(Text(f"gate: {gate['effective']} ({gate['why']})"))
    else:
        answers().print(Text("gate: not known, since no daemon is running"))


def _clear() -> None:
    """Forget what became of suggestions; the gate goes back to its constants."""
    paths = Paths.resolve()
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is not None:
        with ControlClient(connection) as daemon:
            # It has the store open, and learned from it. One that keeps no history has neither.
            if daemon.call("status")["gate"]["asked"] == "learned":
                _tell(daemon.call("history.clear")["n_rows"])
                return
    if not paths.history_file.exists():
        _tell(0)
        return
    store = HistoryStore.open(paths.history_file)
    try:
        _tell(store.clear())
    finally:
        store.close()


def _tell(n_rows: int) -> None:
    typer.echo(f"forgot {n_rows} suggestions")


def _records(paths: Paths) -> list[Record]:
    if not paths.history_file.exists():
        return []
    store = HistoryStore.open(paths.history_file)
    try:
        return store.newest()
    finally:
        store.close()


def _gate(paths: Paths) -> Mapping[str, Any]:
    """What the running daemon says about its gate; empty without one."""
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is None:
        return {}
    with ControlClient(connection) as daemon:
        gate: Mapping[str, Any] = daemon.call("status")["gate"]
    return gate


def _report(records: Sequence[Record], gate: Mapping[str, Any]) -> Report:
    return Report(
        "history show",
        asked={"gate": gate.get("asked")},
        effective={"gate": gate.get("effective"), "why": gate.get("why"), "problem": gate.get("problem")},
        figures=summary(records),
        rows=[{"group": name, **summary(members)} for name, members in grouped(records).items()],
    )


def _row(name: str, records: Sequence[Record]) -> list[str | Text]:
    figures = summary(records)
    return [Text(name), *(figure_cell(column, figures[column], None) for column in _COLUMNS)]
