from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.bench.keystrokes import TypingScript, cursor_after, keys_of, make_script, spread
from codeassistd.errors import UsageError

HEAD = "".join(f"# {number}\n" for number in range(10))
BODY = "def f():\n    return 1\n\n\nx = f()\n"


def script_of(content: str, n_keys: int, seed: int = 1) -> TypingScript:
    return make_script(Path("/w/a.py"), "python", content, n_keys, seed)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab", ["a", "b"]),
        ("a\n    b", ["a", "\n    ", "b"]),
        ("a\r\n\tb", ["a", "\r\n\t", "b"]),
        ("a\n\n\nb", ["a", "\n", "\n", "\n", "b"]),
        ("a  b", ["a", " ", " ", "b"]),
        ("", []),
    ],
)
def test_a_line_break_brings_its_indentation(text: str, expected: list[str]) -> None:
    """Editors indent by themselves; all else is typed letter by letter."""
    assert expected == keys_of(text)


@given(st.text())
def test_the_keys_write_the_text(text: str) -> None:
    """Nothing is lost or added, whatever stands in the file."""
    assert text == "".join(keys_of(text))


@pytest.mark.parametrize("seed", range(5))
def test_what_is_typed_stood_there_before(seed: int) -> None:
    """The stretch is missing to the end of its last line, and the lines below it are there."""
    content = HEAD + BODY
    script = script_of(content, 6, seed)

    assert content.startswith(script.before + "".join(script.keys))
    assert content.endswith(script.after)
    assert script.after == "" or script.after.startswith("\n")
    assert content == script.before + script.truth
    assert 6 == len(script.keys)


def test_typing_starts_behind_the_indentation() -> None:
    """The editor has put it there."""
    script = script_of(HEAD + "\n    abcdef\n", 6)

    assert HEAD + "\n    " == script.before
    assert "abcdef" == script.typed(6)
    assert "\n" == script.after


def test_the_rest_of_the_last_line_is_not_there_yet() -> None:
    """A user who types a line has nothing of it to the right."""
    script = script_of(HEAD + "abcdef\nxy\n", 4)

    assert ("abcd", "\nxy\n") == (script.typed(4), script.after)
    assert "ef\nxy\n" == script.ahead(4)


def test_the_first_lines_are_left_alone() -> None:
    """Licences and imports are not what people want completed."""
    starts = {script_of(HEAD + BODY, 3, seed).before.count("\n") for seed in range(30)}

    assert {10, 11, 14} == starts


def test_the_same_seed_types_at_the_same_place() -> None:
    """Two runs can be compared."""
    assert script_of(HEAD + BODY, 5, seed=3) == script_of(HEAD + BODY, 5, seed=3)


@pytest.mark.parametrize("content", ["", "short\n", HEAD + "abc\n", HEAD + "    \n\n\n\n\n\n"])
def test_a_file_that_is_too_short_is_named(content: str) -> None:
    """With what to do."""
    with pytest.raises(UsageError, match=r"/w/a.py is too short to type 5 keys in it; give fewer by --keys"):
        script_of(content, 5)


def test_the_cursor_is_counted_as_editors_count() -> None:
    """In UTF-16: a letter beyond its first plane takes two places."""
    script = TypingScript(Path("/w/a.py"), "python", "a\nb", ("𝄞", "c", "\n  ", "d"), "", "")

    assert [(1, 1), (1, 3), (1, 4), (2, 2), (2, 3)] == [cursor_after(script, n_keys) for n_keys in range(5)]


def test_the_choice_of_files_does_not_depend_on_the_order_of_a_folder() -> None:
    """Systems list folders as they like."""
    paths = [Path(f"/w/{number}.py") for number in range(20)]

    assert spread(paths, 6, 1) == spread(paths[::-1], 6, 1)
    assert 6 == len(set(spread(paths, 6, 1)))
    assert paths[:2] == sorted(spread(paths[:2], 6, 1))
