"""Settings of the whole test run: private directories, and the count of cases that hold."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from hypothesis import settings

# A run of the tests must mean the same tomorrow; look for new examples with HYPOTHESIS_PROFILE=default.
settings.register_profile("repeatable", derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

_CASE_FILE = re.compile(r"tests/cases/test_case_(\d+)")
_CASES_IN_ALL = 54


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test may see or change the settings, models or daemon of the person who runs it."""
    for name in ("CODEASSISTD_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("CODEASSISTD_HOME", "/nonexistent/tests-must-choose-a-home")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A test that drives a real model or editor is slow by nature."""
    for item in items:
        if item.get_closest_marker("model") or item.get_closest_marker("editor"):
            item.add_marker(pytest.mark.slow)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many of the known faults are kept out, by number."""
    held: dict[int, bool] = {}
    for outcome in ("passed", "failed", "error", "skipped"):
        for report in terminalreporter.stats.get(outcome, []):
            match = _CASE_FILE.search(Path(str(getattr(report, "nodeid", ""))).as_posix())
            if match:
                number = int(match.group(1))
                held[number] = held.get(number, True) and outcome == "passed"
    if held:
        missing = sorted(number for number, good in held.items() if not good)
        good = sum(held.values())
        terminalreporter.write_line(
            f"cases with tests that hold: {good} of {_CASES_IN_ALL}"
            + (f"; do not hold: {', '.join(map(str, missing))}" if missing else "")
        )
