"""Our context under two settings, case by case."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.clock import SystemClock
from codeassistd.config import ContextSettings
from codeassistd.evals.context.figures import compared, figures_of
from codeassistd.evals.context.plain_vocabulary import PlainVocabulary
from codeassistd.evals.context.run import Plan, Voice, run_context
from tests.support.indexing import write

SHOP = """
class Cart:
    def add_line(self, line, count=1):
        return line


def open_shop(door):
    return door
"""
APP = """
from shop import Cart, open_shop


def main(cart: Cart):
    print(1)
    cart.add_line(2)
    open_shop(3)
"""


@pytest.mark.slow
def test_what_a_setting_is_worth(tmp_path: Path) -> None:
    """Without definitions no case shows one; with them both do, the member by its receiver."""
    write(tmp_path, {"shop.py": SHOP, "app.py": APP})
    vocabulary = PlainVocabulary()
    none = ContextSettings(definitions=0)
    plan = Plan([tmp_path], 10, 1, (600,), ContextSettings(), 600, none)
    results = run_context(plan, Voice(vocabulary, vocabulary.profile(), SystemClock()), lambda *_: None)

    assert {"add_line", "open_shop"} == {each.case.needed.name for each in results}
    figures = figures_of(results, plan.sizes)
    assert (1.0, 0.0) == (figures["definition_recall_at_600"], figures["definition_recall_at_600_file"])
    (row,) = compared(results, plan.sizes)
    assert ("definition_recall_at_600", 2, 1.0, 0.0, -1.0) == tuple(
        row[key] for key in ("figure", "n_pairs", "ours", "theirs", "change")
    )
