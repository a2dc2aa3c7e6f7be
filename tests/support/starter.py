"""The starter model for tests that need real text: pulled once per machine and kept in the user's cache."""

from __future__ import annotations

import os
from pathlib import Path

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.catalogue.progress import ignore_progress
from codeassistd.paths import Paths


def starter_paths() -> Paths:
    """Directories of the tests' own, that outlive a test run."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Paths.resolve({"CODEASSISTD_HOME": str(cache / "codeassistd" / "tests")})


def starter_file() -> Path:
    """The starter's file as published; pulls it (93 MB) if this machine does not have it yet."""
    return Catalogue(starter_paths()).pull("starter", ignore_progress).path
