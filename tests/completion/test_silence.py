"""The user is busy, or does not want anything here."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.completion.moment import Ignored, Moment
from codeassistd.completion.policy import silence_at, silence_of
from codeassistd.completion.types import Trigger
from codeassistd.config_layers import load
from codeassistd.documents.document import Document
from codeassistd.errors import ConfigError
from codeassistd.metrics.spans import Outcome
from codeassistd.paths import Paths
from codeassistd.text import Text
from tests.support.completing import Bench, cursor
from tests.support.evidence import place_at

PLACE = place_at("x = |")


@pytest.mark.parametrize("moment", [Moment(in_snippet=True), Moment(is_after_large_edit=True)])
async def test_a_busy_user_is_left_alone(moment: Moment) -> None:
    """In a snippet and after a paste nothing comes by itself; the prompt is read, since the next key may ask."""
    bench = Bench()
    result = await bench.complete(replace(cursor("x = |"), moment=moment))
    asked = await bench.complete(replace(cursor("x = |", trigger=Trigger.INVOKED), moment=moment), "1")

    assert (None, Outcome.SILENT) == (result.suggestion, result.span.outcome)
    assert 0 == bench.engine.plays[0].request.params.max_tokens
    assert "1" == (asked.suggestion and asked.suggestion.text)


def test_the_reasons_are_plain() -> None:
    """One sentence that a user understands."""
    reasons = [
        silence_at(PLACE, Trigger.AUTOMATIC, Moment(in_snippet=True)),
        silence_at(PLACE, Trigger.AUTOMATIC, Moment(is_after_large_edit=True)),
        silence_of(replace(cursor(), moment=Moment(snoozed_s=61.0))),
        silence_of(replace(cursor(), moment=Moment(ignored=Ignored.YES))),
        silence_of(replace(cursor(), moment=Moment(ignored=Ignored.UNKNOWN))),
        silence_of(cursor(paths_off=("*.py",))),
    ]

    assert [
        "a snippet is being filled in",
        "right after a paste or a large deletion, until the next key",
        "snoozed for another 2 min (`codeassistd snooze --off` ends it)",
        "git ignores the file (completion.ignored_files)",
        "it is not known yet whether git ignores the file",
        "off for this file (completion.paths_off)",
    ] == [silence and silence.reason for silence in reasons]


def test_a_snooze_holds_for_what_comes_by_itself() -> None:
    """Who asks by hand gets an answer."""
    snoozed = Moment(snoozed_s=10.0)

    assert None is silence_of(replace(cursor(trigger=Trigger.INVOKED), moment=snoozed))
    assert None is not silence_of(replace(cursor(), moment=snoozed))


def test_in_ignored_files_nothing_comes_unless_the_user_wants_it() -> None:
    """Not by hand either; a setting opens them, and then nobody has to know."""
    for ignored in (Ignored.YES, Ignored.UNKNOWN):
        moment = Moment(ignored=ignored)
        assert None is not silence_of(replace(cursor(trigger=Trigger.INVOKED), moment=moment))
        assert None is silence_of(replace(cursor(ignored_files=True), moment=moment))


@pytest.mark.parametrize(
    ("lines", "path", "is_off"),
    [
        (("*.md",), "/home/ada/shop/docs/a.md", True),
        (("*.md",), "/home/ada/shop/a.py", False),
        (("/generated/",), "/home/ada/shop/generated/a.py", True),
        (("/generated/",), "/home/ada/shop/sub/generated/a.py", False),
        (("generated",), "/home/ada/shop/sub/generated/a.py", True),
        (("*.py", "!keep.py"), "/home/ada/shop/keep.py", False),
        (("# *.py", ""), "/home/ada/shop/a.py", False),
        # Outside of the workspace the whole path counts.
        (("*.py",), "/tmp/a.py", True),
        (("/tmp/",), "/tmp/a.py", True),
        (("/shop/",), "/home/ada/shop/a.py", False),
    ],
)
def test_files_that_the_user_names_are_left_alone(lines: tuple[str, ...], path: str, is_off: bool) -> None:  # noqa: FBT001
    """As a `.gitignore` in the workspace's root would name them; also where the user asks by hand."""
    document = Document(f"file://{path}", Path(path), "python", 1, Text.of("x = "))
    request = replace(cursor(trigger=Trigger.INVOKED, paths_off=lines), document=document)

    assert is_off == (silence_of(request) is not None)


def test_an_untitled_buffer_has_a_name_too() -> None:
    """Its path is the one that its name speaks of."""
    document = Document("untitled:notes.md", None, "markdown", 1, Text.of(""))

    assert None is not silence_of(replace(cursor(paths_off=("*.md",)), document=document, offset=0))


def test_a_line_that_names_nothing_is_refused(tmp_path: Path) -> None:
    """When the settings are read, with the name of the setting."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})

    with pytest.raises(ConfigError, match=r"completion\.paths_off cannot be .*; it takes: lines as in a \.gitignore "):
        load(paths, {}, editor={"completion.paths_off": ["a/b", "!"]})


@pytest.mark.parametrize("line", ["*a*a*a*a", "**/a/**/a/**/a/*b*"])
def test_a_line_that_holds_up_all_editors_is_refused(tmp_path: Path, line: str) -> None:
    """A long name takes seconds to compare with it, and a cloned workspace may bring it along."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})

    with pytest.raises(ConfigError, match="it takes: at most 4 stars in a line, 3 between two slashes"):
        load(paths, {}, editor={"completion.paths_off": [line]})


def test_stars_that_people_write_are_taken(tmp_path: Path) -> None:
    """Stars side by side count as one."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})
    lines = ("src/**/gen/*_*.py", "*.min.*", "**", "docs/**/*", "*_*_*.go")

    assert lines == load(paths, {}, editor={"completion.paths_off": list(lines)}).settings.completion.paths_off
