"""Case 42: a kept answer comes back for the same question only, and a deleted one does not come back at once."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.completion.types import CompletionRequest, CompletionResult, Trigger
from codeassistd.context.builder import ContextBuilder
from codeassistd.metrics.spans import Outcome, Source
from tests.support.completing import Bench, cursor
from tests.support.prompts import FakeLookup, definition

SOURCE = "# one\n# two\ntotal = tax(|)\nprint(total)\n"


def text_of(result: CompletionResult) -> str | None:
    return result.suggestion.text if result.suggestion is not None else None


async def ask(bench: Bench, request: CompletionRequest, answer: str = "") -> CompletionResult:
    """The answer, which the engine gives at once if it is asked."""
    bench.engine.answers[:] = [answer]
    return await bench.service.complete(request)


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(SOURCE.replace("# one", "# One"), id="a comment two lines up"),
        pytest.param(SOURCE.replace("print(total)", "print(sum)"), id="the suffix"),
    ],
)
async def test_another_text_is_a_miss_and_its_undo_a_hit(changed: str) -> None:
    """(a), (b)."""
    bench = Bench()
    assert "price" == text_of(await ask(bench, cursor(SOURCE), "price"))
    assert ("other", Source.ENGINE) == _story(await ask(bench, cursor(changed), "other"))
    assert ("price", Source.CACHE) == _story(await ask(bench, cursor(SOURCE)))


async def test_answers_that_were_cleared_are_asked_for_anew() -> None:
    """Neither a kept one nor the one on the screen is used again."""
    bench = Bench()
    await ask(bench, cursor(SOURCE), "price")
    bench.service.forget_answers()

    assert ("other", Source.ENGINE) == _story(await ask(bench, cursor(SOURCE), "other"))


async def test_another_file_is_a_miss_and_the_way_back_a_hit() -> None:
    """(c): the same line, the same column, the same text."""
    bench = Bench()
    await ask(bench, cursor(SOURCE), "price")
    elsewhere = cursor(SOURCE, path="/home/ada/shop/bill.py")
    assert ("other", Source.ENGINE) == _story(await ask(bench, elsewhere, "other"))
    assert "price" == text_of(await ask(bench, cursor(SOURCE)))
    assert 2 == len(bench.engine.plays)


async def test_another_model_is_a_miss_and_the_first_one_again_a_hit() -> None:
    """(d)."""
    bench = Bench()
    bench.engine.model_id = "one"
    await ask(bench, cursor(SOURCE), "price")
    bench.engine.model_id = "two"
    assert ("other", Source.ENGINE) == _story(await ask(bench, cursor(SOURCE), "other"))
    bench.engine.model_id = "one"
    assert ("price", Source.CACHE) == _story(await ask(bench, cursor(SOURCE)))


async def test_another_snippet_is_a_miss_and_its_undo_a_hit(tmp_path: Path) -> None:
    """(e): what another file says about a name near the cursor; only its version on disk tells that it changed."""
    bench, lookup = Bench(), FakeLookup()
    bench.service._asking._builder = ContextBuilder(lookup)
    request = replace(cursor(SOURCE, path=str(tmp_path / "cart.py")), root=tmp_path)

    def write(signature: str) -> None:
        (tmp_path / "taxes.py").write_text(f"{signature}\n    ...\n", encoding="utf-8")
        lookup.known = [replace(definition("tax", signature, "taxes.py"), path=tmp_path / "taxes.py")]

    write("def tax(price):")
    assert ("price", Source.ENGINE) == _story(await ask(bench, request, "price"))
    assert ("price", Source.LIVE) == _story(await ask(bench, request))
    write("def tax(price, rate):")
    assert ("price, rate", Source.ENGINE) == _story(await ask(bench, request, "price, rate"))
    write("def tax(price):")
    assert ("price", Source.CACHE) == _story(await ask(bench, request))


async def test_a_hit_is_made_to_fit_again() -> None:
    """What is kept is the raw text: typed ahead of it, it still does not double the closer that stands there."""
    bench = Bench()
    assert "price, rate" == text_of(await ask(bench, cursor(SOURCE), "price, rate)"))
    await ask(bench, cursor(SOURCE.replace("|", "x|")), "")
    result = await ask(bench, cursor(SOURCE.replace("|", "price, |")))
    assert ("rate", Source.CACHE) == _story(result)
    assert ("rest-of-line",) == result.span.filters


async def test_a_deleted_suggestion_does_not_come_back_at_once() -> None:
    """Not as a whole and not in part; by hand it is to be had, and after something else was typed there, too."""
    bench = Bench()
    shown = await ask(bench, cursor(SOURCE), "price")
    assert shown.suggestion is not None
    bench.service.accepted(shown.suggestion.id)
    await ask(bench, cursor(SOURCE.replace("|", "price|")), "")
    for typed in ("pr", ""):
        result = await ask(bench, cursor(SOURCE.replace("|", f"{typed}|")))
        assert (None, Outcome.SILENT) == (text_of(result), result.span.outcome)
    by_hand = await ask(bench, replace(cursor(SOURCE), trigger=Trigger.INVOKED))
    assert "price" == text_of(by_hand)
    await ask(bench, cursor(SOURCE.replace("|", "q|")), "")
    assert "price" == text_of(await ask(bench, cursor(SOURCE)))


def _story(result: CompletionResult) -> tuple[str | None, Source]:
    return text_of(result), result.span.source
