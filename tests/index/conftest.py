"""What all tests of the index share."""

from __future__ import annotations

import pytest

from tests.support.indexing import ENVIRONMENT


@pytest.fixture(autouse=True)
def _no_settings_of_the_developer_in_git(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules of whoever runs the tests (a global ignore file) must not decide them."""
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
