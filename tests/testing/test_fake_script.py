"""Which prompt a scripted rule answers."""

from __future__ import annotations

import pytest

from codeassistd.errors import DecodeError
from codeassistd.testing.fake_script import FakeScript, Rule


@pytest.mark.parametrize(
    "prompt",
    [
        "import os\ndef f():\n    x = ",
        "<fim_prefix>import os\ndef f():\n    x = <fim_suffix>\nend<fim_middle>",
        "<fim_prefix>import os\ndef f():\n<fim_suffix>\nend<fim_middle>    x = ",
    ],
)
@pytest.mark.parametrize("after", ["x = ", "def f():\n    x = "])
def test_the_text_before_the_cursor_is_found_in_every_order(after: str, prompt: str) -> None:
    """Whether the typed start of the line is the end of the prefix or stands behind the middle marker."""
    assert Rule.after(after, "1").fits(prompt)


def test_text_elsewhere_is_not_before_the_cursor() -> None:
    """What stands in the suffix or further up does not count."""
    assert not Rule.after("x = ", "1").fits("<fim_prefix>x = 1\n<fim_suffix>x = <fim_middle>y = ")


def test_a_rule_may_fail_instead() -> None:
    """With its cause; other prompts are answered."""
    rules = [{"after": "broken = ", "failure": "on holiday"}, {"after": "= ", "answer": "1"}]
    script = FakeScript.from_mapping({"rules": rules, "default": "pass"})

    with pytest.raises(DecodeError, match="on holiday"):
        script.answer("broken = ")
    assert "1" == script.answer("x = ")
    assert "pass" == script.answer("x")
