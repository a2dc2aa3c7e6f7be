"""From the figures of a run to Markdown: the tables of docs/benchmarks.md and docs/evals.md. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

__all__ = ["block", "filled", "names_in"]

Kept = Mapping[str, Any]
"""What a command printed with `--json`, and `machine`, where it was run."""

_BLOCK = re.compile(r"(<!-- figures: ([\w-]+) -->\n).*?(<!-- /figures -->)", re.DOTALL)
_MEGABYTE, _GIGABYTE = 1e6, 1e9
_MANY = 100.0
_SMALL = 0.01
#: A longer table says nothing on a page; the JSON beside it has all of it.
_MAX_ROWS = 40
#: Tables of single cases say nothing on a page either.
_CASES = frozenset({"problems", "holes", "misses"})
_NOTHING = "Not measured yet."
_PACE = re.compile(r"(?P<figure>\w+?)_at_(?P<pace>\d+)(?P<gate>_gate_off)?")


def names_in(page: str) -> list[str]:
    """The figures that a page shows, in order."""
    return [match[2] for match in _BLOCK.finditer(page)]


def filled(page: str, figures: Mapping[str, Kept]) -> str:
    """The page with its blocks made anew; one without figures says that there are none."""

    def fill(match: re.Match[str]) -> str:
        kept = figures.get(match[2])
        return f"{match[1]}\n{_NOTHING if kept is None else block(kept)}\n\n{match[3]}"

    return _BLOCK.sub(fill, page)


def block(kept: Kept) -> str:
    """What a page says of one run: how it was made, its figures, its tables."""
    return "\n\n".join(_SHAPES.get(kept["command"], _plain)(kept))


def _plain(kept: Kept) -> Iterator[str]:
    yield _origin(kept)
    yield _figures(kept)
    for name, rows in _tables(kept["rows"]):
        yield f"{name}:" if name else "One row each:"
        yield _rows(rows)


def _by_pace(kept: Kept) -> Iterator[str]:
    """A figure's name ends in its pace, and one column for each pace can be read."""
    yield _origin(kept)
    columns: dict[str, dict[str, Any]] = {}
    for name, value in kept["figures"].items():
        match = _PACE.fullmatch(name)
        if match is not None:
            column = f"{match['pace']} ms{', gate off' if match['gate'] else ''}"
            columns.setdefault(column, {})[match["figure"]] = value
    goals = kept["asked"].get("goals", {})
    names = dict.fromkeys(name for column in columns.values() for name in column)
    goal_of = {match["figure"]: goal for name, goal in goals.items() if (match := _PACE.fullmatch(name))}
    table = [
        [f"`{name}`", *(_cell(name, column.get(name)) for column in columns.values()), goal_of.get(name, "")]
        for name in names
    ]
    yield _table(["figure", *columns, "goal"], table)


def _by_cell(kept: Kept) -> Iterator[str]:
    """All combinations in one table, and as pictures."""
    yield _origin(kept)
    yield _rows(kept["rows"])
    yield "![Time for a key by combination](figures/matrix_p90.svg)"
    yield "![Loss of quality by cache format and pruning](figures/matrix_nll.svg)"
    yield _figures(kept)


def _by_group(kept: Kept) -> Iterator[str]:
    """All scenes that were played, and each group of them; neither each language nor each miss."""
    yield _origin(kept)
    groups = [row for row in kept["rows"] if "group" in row]
    names = groups[0] if groups else {}
    yield _rows([{name: "all" if name == "group" else kept["figures"].get(name) for name in names}, *groups])


def _by_repository(kept: Kept) -> Iterator[str]:
    """A column for each repository beside all of them, then why definitions are missing, then what was compared."""
    yield _origin(kept)
    tables = dict(_tables(kept["rows"]))
    goals, columns = kept["asked"].get("goals", {}), {"all": kept["figures"]}
    columns |= {str(row["repository"]): row for row in tables.pop("repositories", ())}
    yield _table(
        ["figure", *columns, "goal"],
        [
            [f"`{name}`", *(_cell(name, column.get(name)) for column in columns.values()), str(goals.get(name, ""))]
            for name in kept["figures"]
        ],
    )
    for name, rows in tables.items():
        yield f"{name}:"
        yield _rows(rows)


_SHAPES: Mapping[str, Callable[[Kept], Iterator[str]]] = {
    "bench typing": _by_pace,
    "bench matrix": _by_cell,
    "eval context": _by_repository,
    "eval scenarios": _by_group,
}


def _origin(kept: Kept) -> str:
    machine, effective = kept["machine"], kept["effective"]
    model = f", model {effective['model']}" if effective.get("model") else ""
    load = f", load before {effective['load_before']:.1f}" if "load_before" in effective else ""
    where = f"{machine['processor']}, {machine['n_processors']} threads"
    return f"`codeassistd {kept['command']}` of version {kept['version']}{model}, on {where}{load}."


def _figures(kept: Kept) -> str:
    goals, reached = kept["asked"].get("goals", {}), kept["effective"].get("reached", {})
    intervals = {row["figure"]: row for row in kept["rows"] if row.get("table") == "ratios"}
    rows = []
    for name, value in kept["figures"].items():
        if isinstance(value, Mapping | list) or value == "":
            continue
        interval = intervals.get(name)
        between = "" if interval is None else f"{_cell(name, interval['low'])} to {_cell(name, interval['high'])}"
        verdict = "" if name not in reached else ", reached" if reached[name] else ", missed"
        rows.append([f"`{name}`", _cell(name, value), between, f"{goals.get(name, '')}{verdict}"])
    headings = ["figure", "value", "in 95 of 100", "goal"]
    # A column that says nothing is left out.
    used = [place for place in range(len(headings)) if any(row[place] for row in rows)]
    return _table([headings[place] for place in used], [[row[place] for place in used] for row in rows])


def _tables(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """The rows by their `table`, but for that of the intervals, which stand beside their figures, and for cases."""
    named: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        named.setdefault(str(row.get("table", "")), []).append(row)
    yield from (
        (name, table) for name, table in named.items() if name not in {"ratios", *_CASES} and len(table) <= _MAX_ROWS
    )


def _rows(rows: Sequence[Mapping[str, Any]]) -> str:
    names = [
        name
        for name in dict.fromkeys(name for row in rows for name in row)
        if name != "table" and any(_is_told(row.get(name)) for row in rows)
    ]
    return _table(names, [[_cell(name, row.get(name)) for name in names] for row in rows])


def _is_told(value: object) -> bool:
    return value not in (None, "") and not isinstance(value, Mapping | list)


def _table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(name: str, value: object) -> str:
    """A value in the unit that its name tells."""
    if value is None or isinstance(value, Mapping | list):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _size(value) if name.endswith("bytes") else _number(value)
    return str(value).replace("|", "\\|").replace("\n", " ")


def _size(n_bytes: float) -> str:
    return f"{n_bytes / _GIGABYTE:.2f} GB" if n_bytes >= _GIGABYTE else f"{n_bytes / _MEGABYTE:.1f} MB"


def _number(value: float) -> str:
    """Three digits or so, which is as many as a single run can bear."""
    if isinstance(value, int):
        return str(value)
    if value and abs(value) < _SMALL:
        return f"{value:.2g}"
    return f"{value:.0f}" if abs(value) >= _MANY else f"{value:.3f}" if abs(value) < 1 else f"{value:.2f}"
