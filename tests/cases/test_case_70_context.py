"""Case 70, context half: what was edited in one workspace is in no prompt of another."""

from __future__ import annotations

from pathlib import Path

from codeassistd.catalogue.profile import FimOrder
from codeassistd.documents.recent_edits import Edit
from tests.support.prompts import profile, prompt_of, request_at, spelled


def test_edits_of_another_workspace_stay_out() -> None:
    """Also of one whose name begins alike, and where the editor has both open."""
    for place in (Path("/home/ada/other/a.py"), Path("/home/ada/shop2/a.py")):
        edit = Edit(place.as_uri(), place, 0, ("a = 1",), ("a = 'canary'",))
        for order in FimOrder:
            prompt = prompt_of(request_at("x = |", edits=(edit,)), profile(order, files=True))
            assert "canary" not in spelled(prompt)
