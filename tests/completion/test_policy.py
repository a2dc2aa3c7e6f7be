"""When to be silent, and how much to suggest."""

from __future__ import annotations

import pytest

from codeassistd.completion.place import Place
from codeassistd.completion.policy import shape_at, silence_at, silence_of
from codeassistd.completion.types import Trigger
from codeassistd.config import CompletionSettings
from codeassistd.metrics.spans import Outcome
from codeassistd.syntax.languages import Languages
from codeassistd.syntax.site import Site
from tests.support.completing import cursor


def place_at(marked: str, language: str = "python") -> Place:
    prefix, suffix = marked.split("|")
    return Place.of(prefix, suffix, Languages.default().by_id(language), knows_start=True)


def test_settings_keep_silent() -> None:
    """Switched off as a whole or for a language, also where the user asks."""
    silences = [
        silence_of(cursor(enabled=False, trigger=Trigger.INVOKED)),
        silence_of(cursor(languages_off=("python",), trigger=Trigger.INVOKED)),
        silence_of(cursor(languages_off=("go",))),
    ]

    assert [Outcome.SILENT, Outcome.SILENT, None] == [silence and silence.outcome for silence in silences]


def test_an_unknown_text_keeps_silent() -> None:
    """Nothing may be suggested for a text that the editor does not show."""
    silence = silence_of(cursor(in_sync=False))

    assert silence is not None
    assert Outcome.OUT_OF_SYNC == silence.outcome


@pytest.mark.parametrize(
    ("marked", "is_silent"),
    [
        ("x = |", False),
        ("fo|o", True),
        ("|foo", True),
        ("foo|", False),
        ("foo(|)", False),
        ("foo(|);", False),
        ('print("|")', False),
        ("foo(|, b)", True),
        ("x = | + 1", True),
        ("foo(|) {", True),
        ("f(|):", False),
        ("x = |   ", False),
    ],
)
def test_only_closers_may_stand_behind_the_cursor(marked: str, is_silent: bool) -> None:  # noqa: FBT001 - a column
    """In the middle of a word or before code an automatic request is silent; one by hand is not."""
    assert is_silent == (silence_at(place_at(marked), Trigger.AUTOMATIC) is not None)
    assert None is silence_at(place_at(marked), Trigger.INVOKED)


@pytest.mark.parametrize(
    ("marked", "language", "extent"),
    [
        ("def f():|", "python", "block"),
        ("def f():\n    |", "python", "block"),
        ("def f():\n    |\n\nx = 1\n", "python", "block"),
        ("def f(\n    a,\n) -> int:|", "python", "block"),
        ("    if a:  # why\n        |", "python", "block"),
        ("def f():\n    |\n    return 1\n", "python", "statement"),
        ("def f():|\n    return 1\n", "python", "statement"),
        ("def f():\n    x = 1\n    |", "python", "statement"),
        ("x = |", "python", "statement"),
        ('d = {"a":|', "python", "statement"),
        ("x: |", "python", "statement"),
        ("", "python", "statement"),
        ("function f() {|}", "javascript", "block"),
        ("items.each(item => {|})", "javascript", "block"),
        ("if (x) {\n  |\n}", "javascript", "block"),
        ("if (x) {\n  |\n  y();\n}", "javascript", "statement"),
        ("foo(|)", "javascript", "statement"),
        ("x = 1;\n|", "javascript", "statement"),
        ("def f(x)\n  |\nend", "ruby", "block"),
        ("items.each do\n  |\nend", "ruby", "block"),
        ("x = 1\n|", "ruby", "statement"),
        ("if x then\n  |\nend", "lua", "block"),
        ("local function f(a)|", "lua", "block"),
        ("for x in *; do\n  |\ndone", "shellscript", "block"),
        ("list.forEach { x ->\n  |\n}", "kotlin", "block"),
    ],
)
def test_many_lines_only_where_a_block_is_empty(marked: str, language: str, extent: str) -> None:
    """Behind the head of a block or inside it, as long as it has no body."""
    place = place_at(marked if "|" in marked else f"{marked}|", language)

    assert extent == shape_at(place, CompletionSettings()).extent


@pytest.mark.parametrize(
    ("marked", "site", "extent"),
    [
        ("# if this:|", Site.COMMENT, "line"),
        ("x = 'if this:|'", Site.STRING, "line"),
        ('def f():\n    """If this:|', Site.PROSE, "paragraph"),
        # The tree is too broken to tell, and the words do.
        ('def f():\n    """Do|', None, "paragraph"),
        ('def f():\n    """Do it.\n\n    if this:\n        |', None, "paragraph"),
        # A whole tree knows better than the words.
        ('def f():\n    """Do|', Site.CODE, "statement"),
        ("def f():\n    |", Site.CODE, "block"),
    ],
)
def test_prose_is_no_code(marked: str, site: Site | None, extent: str) -> None:
    """In a comment or string nothing is the head of a block."""
    place = place_at(marked)

    assert extent == shape_at(place, CompletionSettings(), site).extent


def test_one_line_if_the_user_says_so() -> None:
    """The setting wins."""
    shape = shape_at(place_at("def f():|"), CompletionSettings(multiline="never"))

    assert ("line", 1) == (shape.extent, shape.max_lines)
