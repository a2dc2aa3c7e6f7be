from __future__ import annotations

import json

from codeassistd import __version__
from codeassistd.cli.report import Report


def test_every_answer_for_programs_has_one_shape() -> None:
    """The keys and their order are an interface; a change of meaning raises `schema`."""
    report = Report("config show", {"a": 1}, {"a": 2}, {"n": 3}, [{"key": "größe"}])

    content = json.loads(report.as_json())

    assert ["schema", "command", "version", "asked", "effective", "figures", "rows"] == list(content)
    assert [1, "config show", __version__, {"a": 1}, {"a": 2}, {"n": 3}, [{"key": "größe"}]] == list(content.values())


def test_letters_are_not_escaped() -> None:
    """People read it too."""
    assert "größe" in Report("x", figures={"name": "größe"}).as_json()
