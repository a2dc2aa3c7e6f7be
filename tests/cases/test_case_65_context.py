"""Case 65, context half: nothing that was edited in a secret file comes into the prompt of another."""

from __future__ import annotations

import pytest

from codeassistd.catalogue.profile import FimOrder
from codeassistd.documents.recent_edits import Edit
from tests.support.prompts import ROOT, profile, prompt_of, request_at, spelled


@pytest.mark.parametrize(
    ("name", "is_shown"),
    [
        (".env", False),
        (".env.local", False),
        (".Renviron", False),
        ("secrets.yml", False),
        ("id_rsa", False),
        ("x.pem", False),
        ("environment.py", True),
    ],
)
def test_edits_of_secret_files_stay_out(name: str, *, is_shown: bool) -> None:
    """However the prompt is made, and whatever ignore files say; a module about such things is like any other."""
    edit = Edit((ROOT / name).as_uri(), ROOT / name, 0, ("a = 1",), ("a = 'canary'",))
    for order in FimOrder:
        prompt = prompt_of(request_at("x = |", edits=(edit,)), profile(order, files=True))
        assert is_shown == ("canary" in spelled(prompt))
