"""Case 65, completion half: inside a file that may hold secrets nothing is asked of the model."""

from __future__ import annotations

from dataclasses import replace

import pytest

from codeassistd.completion.types import Trigger
from codeassistd.metrics.spans import Outcome
from tests.support.completing import Bench, cursor

NAMES = [".env", ".env.local", ".Renviron", "secrets.yml", "id_rsa", "x.pem"]


@pytest.mark.parametrize("trigger", list(Trigger))
@pytest.mark.parametrize("name", NAMES)
async def test_a_secret_file_gets_an_empty_answer(name: str, trigger: Trigger) -> None:
    """Neither prompt builder nor engine sees it, also when the user asks by hand."""
    bench = Bench()
    result = await bench.complete(cursor("KEY=canary|", path=f"/home/ada/shop/{name}", trigger=trigger))

    assert (None, Outcome.SILENT, 0) == (result.suggestion, result.span.outcome, len(bench.engine.plays))
    assert "canary" not in repr(result.span)


async def test_an_unsaved_secret_file_is_one_too() -> None:
    """A document that is not on this disk is judged by its name."""
    request = cursor("KEY=canary|")
    document = replace(request.document, uri="vscode-remote://host/home/ada/.env", path=None)
    result = await Bench().complete(replace(request, document=document))

    assert Outcome.SILENT == result.span.outcome


async def test_a_file_with_a_similar_name_is_completed() -> None:
    """`environment.py` is code."""
    result = await Bench().complete(cursor("x = |", path="/home/ada/shop/environment.py"), "1")

    assert Outcome.SHOWN == result.span.outcome
