"""What the user has changed elsewhere, as the model gets to read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.catalogue.profile import FimOrder
from codeassistd.config import ContextSettings
from codeassistd.context.render import difference
from codeassistd.context.types import PartKind
from codeassistd.documents.recent_edits import Edit
from tests.support.prompts import ROOT, profile, prompt_of, request_at, spelled

FILES = profile(FimOrder.PSM, files=True)


def edit(path: str | Path, *after: str) -> Edit:
    place = ROOT / path
    return Edit(place.as_uri(), place, 3, ("old = 1",), after)


def shown(*edits: Edit, max_tokens: int = 4000) -> str:
    request = request_at("x = |", edits=edits, settings=ContextSettings(max_tokens=max_tokens))
    return spelled(prompt_of(request, FILES))


def test_edits_stand_right_before_the_open_file() -> None:
    """The newest last: what changes fastest stands furthest behind."""
    text = shown(edit("a.py", "new = 1"), edit("b.py", "new = 2", "more = 3"))

    assert (
        "<file_sep>a.py.diff\n-old = 1\n+new = 1\n<file_sep>b.py.diff\n-old = 1\n+new = 2\n+more = 3\n"
        "<file_sep>cart.py\n" in text
    )


def test_lines_that_did_not_change_are_left_out() -> None:
    """At both ends."""
    both = Edit("file:///a", None, 0, ("a", "b", "c"), ("a", "x", "y", "c"))

    assert "-b\n+x\n+y\n" == difference(both)


@pytest.mark.parametrize("path", [".env", "config/id_rsa", "/home/ada/other/a.py"])
def test_no_secret_and_nothing_of_another_workspace(path: str) -> None:
    """Whatever the editor has open."""
    assert "canary" not in shown(edit(path, "canary = 1"))


def test_what_the_window_shows_is_not_said_twice() -> None:
    """An edit of the open file that stands in sight is no news."""
    assert ".diff" not in shown(edit("cart.py", "x = "))


def test_a_short_prompt_has_none() -> None:
    """There the lines round the cursor are worth more."""
    request = request_at("x = |", edits=(edit("a.py", "new = 1"),), settings=ContextSettings(max_tokens=600))

    assert PartKind.EDITS not in [part.kind for part in prompt_of(request, FILES).parts]


def test_the_newest_edits_come_in_first() -> None:
    """A tenth of the prompt is theirs."""
    many = tuple(edit(f"f{number}.py", "x" * 100) for number in range(8))
    text = shown(*many, max_tokens=3000)

    assert "f7.py.diff" in text
    assert "f0.py.diff" not in text
