"""Lines of a `.gitignore` are cut where comparing them would take seconds."""

from __future__ import annotations

import pytest

from codeassistd.wildcards import affordable


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("", ""),
        ("build/", "build/"),
        ("*.py[cod]", "*.py[cod]"),
        ("**/a*b*/*", "**/a*b*/*"),
        ("a*b*c*d", "a*b*c*d"),
        ("a*b*c*d*e", "a*b*c*"),
        ("/x/*/y/*/z/*/w/*/v*.log", "/x/*/y/*/z/*/w/*"),
        ("*a*a*a*a*a*a*b", "*a*a*"),
    ],
)
def test_a_line_ends_behind_the_last_star_that_can_be_afforded(line: str, expected: str) -> None:
    """Four in a line, three in a name; `**` is one."""
    assert expected == affordable(line)
