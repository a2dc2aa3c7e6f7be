"""A template in its child process: what it writes, and how it is ended."""

from __future__ import annotations

import sys

import pytest

from codeassistd.chat.template_run import TemplateLimits, Written, run_template

ONE = [[{"role": "user", "content": "So?"}]]
TWO = [*ONE, [*ONE[0], {"role": "assistant", "content": "Yes."}]]
LIMITS = TemplateLimits(cpu_s=0.5, memory_bytes=256 * 2**20, max_letters=1000)
ENDLESS = Written(fault="it does not come to an end")
pytestmark = pytest.mark.slow


def test_each_conversation_is_written() -> None:
    """With the variables, letters outside of ASCII and line breaks as they are."""
    source = (
        "{{ bos_token }}{% for message in messages %}{{ message.role }}: {{ message.content }}\u20ac\n\n{% endfor %}"
    )
    assert [
        Written("<s>user: So?\u20ac\n\n"),
        Written("<s>user: So?\u20ac\n\nassistant: Yes.\u20ac\n\n"),
    ] == run_template(source, {"bos_token": "<s>"}, TWO)


def test_a_fault_is_told_for_its_conversation_alone() -> None:
    """The others are written."""
    source = "{% if messages | length == 1 %}{{ raise_exception('too few') }}{% endif %}fine"
    assert [Written(fault="too few"), Written("fine")] == run_template(source, {}, TWO)


@pytest.mark.skipif(sys.platform == "win32", reason="has no limits of processor time; there the clock ends it")
@pytest.mark.parametrize(
    "source",
    [
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
        # One operation that never asks the interpreter whether it may go on.
        "{{ 9 ** (9 ** 9) }}",
    ],
)
def test_a_template_without_an_end_is_ended(source: str) -> None:
    """By the system, whatever it is at."""
    assert [ENDLESS] == run_template(source, {}, ONE, LIMITS)


def test_what_was_written_before_that_stands() -> None:
    """Conversations come in order of their length."""
    source = "{% if messages | length > 1 %}{{ (messages | length) ** (9 ** 9) }}{% endif %}short"
    assert [Written("short"), ENDLESS] == run_template(source, {}, TWO, TemplateLimits(cpu_s=0.5, wall_s=20))


@pytest.mark.skipif(sys.platform != "linux", reason="others do not keep to a limit of memory")
def test_a_template_that_wants_all_the_memory_does_not_get_it() -> None:
    """It fails, in one line."""
    assert [Written(fault="MemoryError")] == run_template("{{ 'x' * 10 ** 10 }}", {}, ONE, LIMITS)


def test_a_template_that_writes_too_much_is_not_read() -> None:
    """Its text would be read for each question."""
    assert [Written(fault="it writes too much")] == run_template("{{ 'x' * 1001 }}", {}, ONE, LIMITS)


def test_the_clock_ends_what_uses_no_time_of_the_processor() -> None:
    """As for a process that never gets to run."""
    assert [ENDLESS] == run_template("fine", {}, ONE, TemplateLimits(wall_s=0.0))
