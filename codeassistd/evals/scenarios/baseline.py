"""What came of each scenario when it was last looked at, so that a change is a line in a diff."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from codeassistd.errors import UsageError
from codeassistd.evals.scenarios.outcome import Outcome

__all__ = ["differences", "read_baseline", "written_baseline"]


def read_baseline(path: Path) -> dict[str, str]:
    """The lines of a baseline by the titles of the scenarios; none where there is no baseline yet.

    Raises:
        UsageError: it cannot be read.
    """
    if not path.exists():
        return {}
    try:
        lines: dict[str, str] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is no baseline ({error}); make one with --update-baseline") from error
    return lines


def written_baseline(outcomes: Sequence[Outcome]) -> str:
    """The file of these outcomes."""
    lines = {one.scenario.title: one.line for one in outcomes}
    return json.dumps(lines, indent=2, ensure_ascii=False) + "\n"


def differences(baseline: Mapping[str, str], outcomes: Sequence[Outcome]) -> list[str]:
    """One line for each scenario that came out otherwise, is new, or is gone."""
    now = {one.scenario.title: one.line for one in outcomes}
    return [
        f"{title}: {baseline.get(title, 'not known yet')} -> {now.get(title, 'gone')}"
        for title in dict.fromkeys([*baseline, *now])
        if baseline.get(title) != now.get(title)
    ]
