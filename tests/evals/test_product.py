"""What an editor would get, asked in this process."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from codeassistd.config import ContextSettings, Settings
from codeassistd.errors import ModelLoadError
from codeassistd.evals.product import Asked, open_product, unhurried
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript

ASKED = Asked(Path("/w/a.py"), "python", "x = ", "\ny = 2\n")


def test_nothing_depends_on_how_fast_the_machine_is() -> None:
    """Neither the deadline nor the length of a prompt."""
    settings = unhurried(Settings())

    assert 3_600_000 == settings.completion.deadline_ms
    assert (60_000, 10_000) == (settings.context.cold_ms, settings.context.key_ms)
    assert "off" == settings.completion.follow_up


def test_what_the_user_has_set_for_prompts_holds() -> None:
    """It is what is to be judged."""
    settings = unhurried(Settings(context=ContextSettings(cold_ms=300, max_tokens=500)))

    assert (300, 500) == (settings.context.cold_ms, settings.context.max_tokens)


def test_no_request_knows_of_another(tmp_path: Path) -> None:
    """The same question is asked of the model each time; a kept answer would hide what other settings do."""
    backend = FakeBackend(FakeScript(default="1 + 2\nz = 3"))
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})

    async def ask() -> list[str | None]:
        async with open_product(paths, Settings(), backend.load) as product:
            came = [(await product.suggest(ASKED)).suggestion for _ in range(3)]
            assert "fake" == product.effective["device"]
            return [None if one is None else one.text for one in came]

    assert ["1 + 2"] * 3 == asyncio.run(ask())
    assert 3 == len(backend.prompts)
    assert 1 == backend.n_closed


def test_a_model_that_cannot_be_loaded_is_told_of(tmp_path: Path) -> None:
    """With its cause."""
    backend = FakeBackend(load_error="it is broken")
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})

    async def ask() -> None:
        async with open_product(paths, Settings(), backend.load):
            pass

    with pytest.raises(ModelLoadError, match="it is broken"):
        asyncio.run(ask())
