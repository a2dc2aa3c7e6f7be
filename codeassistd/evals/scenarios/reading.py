"""Reads scenarios from their files, one TOML file for each group; whatever is odd in them is told with its place."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from codeassistd.errors import UsageError
from codeassistd.evals.scenarios.scenario import Act, ActKind, Place, Scenario
from codeassistd.syntax.languages import Languages

__all__ = ["BASELINE", "MARK", "RAW", "TRUTH", "read_group", "read_scenarios"]

TRUTH = Path(__file__).parent.parent / "truth"
"""Where the scenarios lie."""
RAW = TRUTH / "raw"
"""What models said there."""
BASELINE = TRUTH / "baseline.json"
"""What came of them."""
MARK = "‸"
"""The cursor, in the text of a scenario; no language has this letter."""
#: A line of its own between the cells of a notebook.
_CELL_BREAK = "%%%\n"
_BOM = "\ufeff"
_GROUP_KEYS = {"about", "files", "scenario"}
_KEYS = {
    "name",
    "why",
    "file",
    "text",
    "language",
    "files",
    "unsaved",
    "do",
    "invoked",
    "menu",
    "settings",
    "show",
    "silent",
    "raw",
    "logprob",
    "margin",
    "line_ends",
    "bom",
    "final_newline",
}
_LINE_ENDS = {"lf": "\n", "crlf": "\r\n"}


def read_scenarios(folder: Path, names: Iterable[str] = ()) -> list[Scenario]:
    """All scenarios of a folder, or of the groups `names`, in the order of the files.

    Raises:
        UsageError: one of them is wrong, or there is no such group.
    """
    paths = {path.stem: path for path in sorted(folder.glob("*.toml"))}
    wanted = list(names) or list(paths)
    for name in wanted:
        if name not in paths:
            raise UsageError(f"there is no group {name}; there are {', '.join(paths) or 'none'}")
    scenarios = [scenario for name in wanted for scenario in read_group(paths[name])]
    _check_names(scenarios)
    return scenarios


def read_group(path: Path) -> list[Scenario]:
    """The scenarios of one file.

    Raises:
        UsageError: it is wrong.
    """
    try:
        table = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    if set(table) - _GROUP_KEYS:
        raise UsageError(f"{path}: unknown key {min(set(table) - _GROUP_KEYS)}")
    scenarios = []
    for number, entry in enumerate(table.get("scenario", []), 1):
        try:
            scenarios.append(_scenario(path.stem, table.get("files", {}), entry))
        except (KeyError, TypeError, ValueError) as error:
            what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            raise UsageError(f"{path}: scenario {number} ({entry.get('name', 'without a name')}): {what}") from error
    return scenarios


def _scenario(group: str, common: Mapping[str, str], entry: Mapping[str, Any]) -> Scenario:
    unknown = set(entry) - _KEYS
    if unknown:
        raise ValueError(f"unknown key {min(unknown)}")
    *cells, text = _texts(entry)
    silent = entry.get("silent", ())
    scenario = Scenario(
        group=group,
        name=entry["name"],
        why=entry["why"],
        language=entry.get("language") or _language_of(entry["file"]),
        file=entry["file"],
        opened=_marked(text),
        cells=tuple(cells),
        files={**common, **entry.get("files", {})},
        unsaved=entry.get("unsaved", {}),
        acts=tuple(_act(*words) for words in entry.get("do", ())),
        is_invoked=entry.get("invoked", False),
        menu=entry.get("menu", ""),
        settings=entry.get("settings", {}),
        show=entry.get("show", "").removesuffix("\n"),
        silent=(silent,) if isinstance(silent, str) else tuple(silent),
        raw=entry.get("raw"),
    )
    if bool(scenario.show) == bool(scenario.silent):
        raise ValueError("either show or silent says what is wanted")
    return replace(
        scenario, logprob=entry.get("logprob", scenario.logprob), margin=entry.get("margin", scenario.margin)
    )


def _texts(entry: Mapping[str, Any]) -> list[str]:
    """The cells of a notebook up to that with the cursor, or the one text of any other document."""
    text: str = entry["text"]
    if entry["file"].endswith(".ipynb"):
        cells = text.split(_CELL_BREAK)
        n_before = next((number for number, cell in enumerate(cells) if MARK in cell), 0)
        return [cell.removesuffix("\n") for cell in cells[: n_before + 1]]
    if not entry.get("final_newline", True):
        text = text.removesuffix("\n")
    text = text.replace("\n", _LINE_ENDS[entry.get("line_ends", "lf")])
    return [_BOM + text if entry.get("bom", False) else text]


def _marked(text: str) -> Place:
    if text.count(MARK) != 1:
        raise ValueError(f"its text has {text.count(MARK)} cursors ({MARK}), and one is needed")
    cursor = text.index(MARK)
    return Place(text.replace(MARK, ""), cursor)


def _act(kind: str, value: str | int | None = None) -> Act:
    if isinstance(value, int):
        return Act(ActKind(kind), amount=value)
    return Act(ActKind(kind), text=value or "")


def _language_of(file: str) -> str:
    language = Languages.default().by_path(file)
    if language is None:
        raise ValueError(f"no language is known for {file}; give one")
    return language.lsp_ids[0] if language.lsp_ids else language.name


def _check_names(scenarios: Iterable[Scenario]) -> None:
    """No two may have the same name, or one recording would stand for both."""
    for title, count in Counter(scenario.title for scenario in scenarios).items():
        if count > 1:
            raise UsageError(f"there are {count} scenarios with the name {title}")
