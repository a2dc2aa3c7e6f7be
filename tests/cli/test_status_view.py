from __future__ import annotations

import pytest

from codeassistd.cli.status_view import profile_words


@pytest.mark.parametrize(
    ("order", "source", "expected"),
    [
        ("prefix", "none", "prefix (no markers)"),
        ("psm", "metadata", "psm (markers from metadata)"),
        ("", "", "not known yet"),
    ],
)
def test_how_the_model_is_asked_in_words(order: str, source: str, expected: str) -> None:
    """The starter has no markers, which is no place that they come from."""
    assert expected == profile_words({"order": order, "source": source, "warning": ""})
