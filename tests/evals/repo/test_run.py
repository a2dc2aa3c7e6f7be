"""Holes are cut into real files, filled with the whole context and without each layer, and judged by the file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeassistd.cli.eval_repo_view import repo_report
from codeassistd.config import ContextSettings, Settings
from codeassistd.errors import UsageError
from codeassistd.evals.fit.spots import Kind, Spot
from codeassistd.evals.repo.figures import layer_rows, repo_figures
from codeassistd.evals.repo.filled import Filled, filled
from codeassistd.evals.repo.layers import Layer, has_layer, without
from codeassistd.evals.repo.run import Hole, RepoPlan, RepoRun, run_repo
from codeassistd.index.types import NoIndex
from codeassistd.paths import Paths
from codeassistd.syntax.languages import Languages
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript

PARTS = frozenset({"prefix", "suffix", "definitions"})
SPOT = Spot(Path("/r/a.py"), "python", Kind.MIDDLE, 2, "def f(a):\n    return ", "\n", "a + (1)")


@pytest.mark.parametrize(
    ("inserted", "expected"),
    [
        ("a + (1)", (True, True, 1.0, True, True)),
        (" a + (1) ", (True, True, 1.0, True, True)),
        ("a + (2)", (False, False, 6 / 7, True, True)),
        ("a + (1)\n    b = 1", (False, True, 14 / 24, True, True)),
        ("a + (1", (False, False, 12 / 13, False, False)),
        ("a +", (False, False, 0.6, False, True)),
    ],
)
def test_what_comes_is_judged_by_what_the_file_has(
    inserted: str, expected: tuple[bool, bool, float, bool, bool]
) -> None:
    """Exact, its first line, how alike, whether the file still parses, whether its format is kept."""
    came = filled(SPOT, inserted, Languages.default())
    assert came.format is not None
    exact, first, similarity, compiles, kept = expected

    assert (exact, first, compiles, kept) == (came.is_exact, came.is_first_line, came.compiles, came.format.is_kept)
    assert pytest.approx(similarity, abs=0.001) == came.similarity


def test_nothing_is_like_nothing() -> None:
    """A hole that stays empty is not right, and has neither syntax nor format."""
    expected = Filled(None, is_exact=False, is_first_line=False, similarity=0.0, compiles=None, format=None)

    assert expected == filled(SPOT, None, Languages.default())


def test_a_file_of_another_language_is_judged_by_its_grammar() -> None:
    """It has to have no more faults than the file as it is."""
    spot = Spot(Path("/r/a.go"), "go", Kind.MIDDLE, 3, "package a\n\nvar b = ", "\n", "f(1)")

    assert filled(spot, "g(2)", Languages.default()).compiles
    assert not filled(spot, "g(2", Languages.default()).compiles


def test_a_prompt_lacks_one_layer_and_nothing_else() -> None:
    """By its settings; without all of them there is no index to ask either."""
    lookup, context = _Index(), ContextSettings(max_tokens=500)

    assert (lookup, context.model_copy(update={"outline": False})) == without(Layer.OUTLINE, lookup, context)
    assert (lookup, context.model_copy(update={"definitions": 0})) == without(Layer.DEFINITIONS, lookup, context)
    assert (lookup, context.model_copy(update={"pieces": 0})) == without(Layer.PIECES, lookup, context)
    other, bare = without(Layer.ALL, lookup, context)
    assert not isinstance(other, _Index)
    assert context.model_copy(update={"outline": False}) == bare


class _Index(NoIndex):
    """Any index at all."""


@pytest.mark.parametrize(
    ("layer", "expected"),
    [(Layer.DEFINITIONS, True), (Layer.ALL, True), (Layer.OUTLINE, False), (Layer.PIECES, False)],
)
def test_a_layer_that_a_prompt_did_not_have_changes_nothing(layer: Layer, *, expected: bool) -> None:
    """So it is not asked for again."""
    assert expected == has_layer(PARTS, layer)


def run(tmp_path: Path, answer: str, n_holes: int = 5) -> tuple[RepoRun, FakeBackend]:
    repository = tmp_path / "shop"
    repository.mkdir()
    for name in ("cart", "till"):
        body = "".join(f"def {name}_{n}(a):\n    total = a + {n}\n    return total\n\n\n" for n in range(12))
        other = "till" if name == "cart" else "cart"
        (repository / f"{name}.py").write_text(f"from {other} import {other}_0\n\n\n{body}")
    backend = FakeBackend(FakeScript(default=answer))
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})
    plan = RepoPlan([repository], n_holes, 1, tuple(Layer))
    return run_repo(plan, paths, Settings(), on_hole=lambda *_: None, substitute=backend.load), backend


def test_every_hole_is_filled_with_the_whole_context_and_without_each_layer(tmp_path: Path) -> None:
    """Of every kind of hole but the one with nothing missing; a layer that was not there costs no question."""
    came, backend = run(tmp_path, "total\n")
    kinds = {hole.spot.kind for hole in came.holes}

    assert 5 == len(came.holes)
    assert Kind.LINE_END not in kinds
    assert len(kinds) > 2
    n_asked = sum(1 + sum(has_layer(hole.parts, layer) for layer in Layer) for hole in came.holes)
    assert n_asked == len(backend.prompts)
    assert any("definitions" in hole.parts for hole in came.holes)
    for hole in came.holes:
        assert hole.spot.removed.strip()
        assert set(Layer) == set(hole.without)


def test_a_folder_without_source_is_told_of(tmp_path: Path) -> None:
    """There is nothing to cut."""
    plan = RepoPlan([tmp_path], 1, 1, ())
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})

    with pytest.raises(UsageError, match="has no source of a known language"):
        run_repo(plan, paths, Settings(), on_hole=lambda *_: None, substitute=FakeBackend().load)


def hole(ours: str | None, bare: str | None) -> Hole:
    languages = Languages.default()
    mine, other = filled(SPOT, ours, languages), filled(SPOT, bare, languages)
    return Hole("shop", SPOT, mine, PARTS, {Layer.ALL: other, Layer.OUTLINE: mine}, "one statement")


def test_figures_count_every_hole() -> None:
    """Parsing and format are of what was shown."""
    figures = repo_figures([hole("a + (1)", None).ours, hole(None, None).ours])

    assert {
        "n_holes": 2,
        "show_rate": 0.5,
        "exact_rate": 0.5,
        "first_line_rate": 0.5,
        "edit_similarity": 0.5,
        "compile_rate": 1.0,
        "format_kept_rate": 1.0,
        "indent_kept_rate": None,
        "quotes_kept_rate": None,
        "brackets_kept_rate": 1.0,
    } == figures


def test_what_a_layer_is_worth_is_told_hole_by_hole() -> None:
    """With the number of prompts that had it."""
    rows = list(layer_rows([hole("a + (1)", "a")] * 3, [Layer.ALL, Layer.OUTLINE]))
    exact = {
        row["without"]: (row["n_had"], row["change"], row["verdict"]) for row in rows if row["figure"] == "exact_rate"
    }

    assert {"all": (3, -1.0, "less"), "outline": (0, 0.0, "no difference seen")} == exact


def test_the_json_has_groups_layers_holes_and_the_comparison() -> None:
    """And no source text, unless it is asked for."""
    ours, theirs = (RepoRun((hole(text, None),), "m", {"n_ctx": "512"}) for text in ("a + (1)", "a"))
    report = json.loads(repo_report(ours, theirs, [Layer.ALL], {"limit": 1}, with_text=False).as_json())

    assert ["schema", "command", "version", "asked", "effective", "figures", "rows"] == list(report)
    assert ("eval repo", {"model": "m", "settings": {"n_ctx": "512"}}) == (report["command"], report["effective"])
    assert ["shop", "middle of a line", "python"] == [
        row["group"] for row in report["rows"] if row["table"] == "groups"
    ]
    assert [
        {
            "table": "holes",
            "at": "/r/a.py:2",
            "kind": "middle of a line",
            "language": "python",
            "parts": ["definitions", "prefix", "suffix"],
            "is_exact": True,
            "similarity": 1.0,
            "compiles": True,
            "format_kept": True,
            "reason": "one statement",
        }
    ] == [row for row in report["rows"] if row["table"] == "holes"]
    assert -1.0 == next(row for row in report["rows"] if row["table"] == "vs")["change"]
    assert "layers" in {row["table"] for row in report["rows"]}
