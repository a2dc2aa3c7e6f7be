"""The real starter model for tests of the engine: given by the environment, else pulled once per machine."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

from tests.support.starter import starter_file

__all__ = ["model_file"]


@cache
def model_file() -> Path:
    """The file that CODEASSISTD_TEST_MODEL names, or the starter as published."""
    named = os.environ.get("CODEASSISTD_TEST_MODEL")
    return Path(named) if named else starter_file()
