"""What the tests of all editors share."""

from __future__ import annotations

import pytest

from tests.support.editor_days import Stopwatch


@pytest.fixture
def stopwatch(capsys: pytest.CaptureFixture[str]) -> Stopwatch:
    """Measures, and prints what it measured past pytest's capture, since it is a figure to look at."""
    return Stopwatch(capsys.disabled)
