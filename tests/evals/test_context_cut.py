"""Cases that are cut out of a repository: which lines, and what is meant by them."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.errors import UsageError
from codeassistd.evals.context.case import Case, Use
from codeassistd.evals.context.cut import cut_cases
from codeassistd.evals.context.repository import read_repository

PRICES = """\
def price_of(cart, currency):
    return 1


class Cart:
    def add_item(self, item):
        self.items.append(item)

    def copy(self):
        return self
"""
SHOP = """\
from prices import (
    Cart,
    price_of,
)


def buy(cart, item):
    cart.add_item(item)
    total = price_of(cart, "eur")
    again = cart.copy()
    return total
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "prices.py").write_text(PRICES)
    (tmp_path / "shop.py").write_text(SHOP)
    return tmp_path


def cases(root: Path, n_cases: int = 10, seed: int = 1) -> list[Case]:
    return cut_cases(read_repository(root, lambda _n, _of: None), n_cases, seed)


def test_lines_that_need_another_files_definition(root: Path) -> None:
    """Functions by their import, methods by their only definition; never what Python's own objects have."""
    found = [(case.truth, case.use, case.needed.path, case.needed.signatures) for case in cases(root)]

    assert [
        ("cart.add_item(item)", Use.MEMBER, "prices.py", ("def add_item(self, item)",)),
        ('total = price_of(cart, "eur")', Use.NAME, "prices.py", ("def price_of(cart, currency)",)),
    ] == found


def test_the_line_is_missing_and_the_cursor_stands_where_it_began(root: Path) -> None:
    """What is below it is still there."""
    case = cases(root)[1]
    text = str(case.text)

    assert "price_of(" not in text
    assert text[: case.offset].endswith("    cart.add_item(item)\n    ")
    assert text[case.offset :] == case.behind
    assert case.behind.startswith("\n    again")


def test_a_name_that_stands_elsewhere_too_is_no_case(root: Path) -> None:
    """Its other use would give it away."""
    (root / "shop.py").write_text(SHOP + "\n\nPRICE = price_of\n")

    assert ["cart.add_item(item)"] == [case.truth for case in cases(root)]


def test_a_name_with_two_definitions_is_no_case(root: Path) -> None:
    """Nobody could say which one is meant."""
    (root / "more.py").write_text("class Other:\n    def add_item(self):\n        pass\n")

    assert ['total = price_of(cart, "eur")'] == [case.truth for case in cases(root)]


def test_a_definition_out_of_reach_is_no_case(root: Path) -> None:
    """What two steps of imports do not lead to is a namesake."""
    (root / "shop.py").write_text("def buy(cart, item):\n    cart.add_item(item)\n")

    assert [] == cases(root)


def test_the_same_seed_gives_the_same_cases(root: Path) -> None:
    """And a third of them are members at least."""
    for number in range(6):
        (root / f"shop{number}.py").write_text(SHOP)
    one, two = (cases(root, 6, 3) for _ in range(2))

    assert [(case.file.path, case.truth) for case in one] == [(case.file.path, case.truth) for case in two]
    assert sum(case.use is Use.MEMBER for case in one) >= 2


@pytest.mark.parametrize("name", ["missing", "empty"])
def test_a_folder_without_sources_is_said(tmp_path: Path, name: str) -> None:
    """In one line, with what to do."""
    (tmp_path / "empty").mkdir()

    with pytest.raises(UsageError, match="give the root of a repository"):
        cases(tmp_path / name)


def test_what_javascript_or_a_function_has_for_itself_is_no_case(tmp_path: Path) -> None:
    """`Promise.reject` is not the repository's, and a function's own names mean nothing outside; its objects' do."""
    (tmp_path / "timer.ts").write_text(
        "export function timer() {\n"
        "  const tally = () => 1;\n"
        "  return {\n    measure(fn: () => void) { fn(); },\n    reject(fn: () => void) { fn(); },\n  };\n"
        "}\n"
    )
    (tmp_path / "use.ts").write_text(
        "import { timer } from './timer';\n\n"
        "export function use(tool: Tool) {\n"
        "  let it;\n  it = timer();\n  Promise.reject(it);\n  tool.tally(it);\n  it.measure(use);\n"
        "}\n"
    )

    assert {"it = timer();", "it.measure(use);"} == {case.truth for case in cases(tmp_path)}
