"""The whole road with the real starter model: proxy, daemon, server, index, prompt, llama.cpp, suggestion."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.processes import Home
from tests.support.starter import starter_file
from tests.support.waiting import wait_for

pytestmark = pytest.mark.model

PRICING = '''"""Prices."""


def discounted_total(prices, rate):
    """Sum of the prices, less the rate."""
    return sum(prices) * (1 - rate)
'''
TYPED = '''"""The shop's front."""

from pricing import discounted_total


def full(prices):
    return sum(prices)


def reduced(prices):
    return discounted_total('''


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A daemon's home that knows the starter; whoever connects starts the real daemon."""
    made = Home(tmp_path / "home")
    made.root.mkdir()
    made.environ |= {
        "CODEASSISTD_MODEL__NAME": str(starter_file()),
        "CODEASSISTD_INDEX__ENABLED": "true",
    }
    yield made
    made.close()


async def test_a_real_model_completes_a_real_file(home: Home, tmp_path: Path) -> None:
    """A suggestion comes, the other file's definition is in its prompt, and the next key reads little again."""
    shop = tmp_path / "shop"
    shop.mkdir()
    (shop / "pricing.py").write_text(PRICING, encoding="utf-8")
    main = shop / "main.py"
    main.write_text(TYPED, encoding="utf-8")
    uri, line = main.as_uri(), TYPED.count("\n")
    column = len(TYPED.rpartition("\n")[2])
    async with home.proxy() as proxy:
        client = proxy.client
        await client.initialize(root=shop)
        client.open(uri, TYPED)
        await proxy.status("ready")
        wait_for(lambda: is_indexed(home.status()), "the index of two files")

        items = await client.complete(uri, line, column)
        first = await client.request("codeassistd/explain", {})
        assert 1 == len(items)
        assert items[0]["insertText"].strip()
        assert "shown" == first["outcome"]
        assert {"definitions", "prefix"} == {part["name"] for part in first["parts"]}

        client.insert(uri, line, column, "p")
        await client.complete(uri, line, column + 1)
        second = await client.request("codeassistd/explain", {})
        assert second["n_prompt"] - second["n_cached"] <= 8

        await client.leave()
        assert 0 == await proxy.code()


def is_indexed(status: dict[str, object]) -> bool:
    """Whether the index of the one workspace is complete."""
    workspaces = status["index"]["workspaces"]
    return [workspace["phase"] for workspace in workspaces] == ["ready"] and workspaces[0]["n_done"] == 2
