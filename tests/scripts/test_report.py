"""The pages of figures are what their JSON says, and nothing of the machine's folders is in either."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from scripts import report
from scripts.report_blocks import block, filled, names_in

DOCS = Path(__file__).resolve().parents[2] / "docs"


def kept(command: str = "bench load", **more: Any) -> dict[str, Any]:
    """A report as it lies in docs/figures."""
    return {
        "command": command,
        "version": "1.2.3",
        "asked": {},
        "effective": {},
        "figures": {},
        "rows": [],
        "machine": {"processor": "a processor", "n_processors": 2},
        **more,
    }


def test_a_block_is_made_anew_and_the_words_round_it_stay() -> None:
    """What stood between the marks before goes, whatever it was."""
    page = "# Load\n\nwords\n\n<!-- figures: load -->\nold | table\n<!-- /figures -->\n\nmore words\n"
    other = "<!-- figures: other -->\nold\n<!-- /figures -->\n"

    made = filled(page + other, {"load": kept(figures={"n_lost": 0})})

    assert (
        "# Load\n\nwords\n\n<!-- figures: load -->\n\n"
        "`codeassistd bench load` of version 1.2.3, on a processor, 2 threads.\n\n"
        "| figure | value |\n| --- | --- |\n| `n_lost` | 0 |\n\n"
        "<!-- /figures -->\n\nmore words\n"
        "<!-- figures: other -->\n\nNot measured yet.\n\n<!-- /figures -->\n"
    ) == made
    assert made == filled(made, {"load": kept(figures={"n_lost": 0})})
    assert ["load", "other"] == names_in(made)


def test_figures_stand_beside_their_goals_and_intervals() -> None:
    """A column that says nothing is left out, and so are figures that are tables."""
    told = block(
        kept(
            asked={"goals": {"ratio": "<= 1.5", "share": ">= 0.9"}},
            effective={"model": "starter", "load_before": 0.25, "reached": {"ratio": True, "share": False}},
            figures={
                "ratio": 1.234,
                "share": 0.5,
                "size_bytes": 2_500_000,
                "all": {"a": 1},
                "us": 0.0012,
                "none": None,
            },
            rows=[{"table": "ratios", "figure": "ratio", "value": 1.234, "low": 1.1, "high": 1.3}],
        )
    )

    assert [
        "`codeassistd bench load` of version 1.2.3, model starter, on a processor, 2 threads, load before 0.2.",
        "",
        "| figure | value | in 95 of 100 | goal |",
        "| --- | --- | --- | --- |",
        "| `ratio` | 1.23 | 1.10 to 1.30 | <= 1.5, reached |",
        "| `share` | 0.500 |  | >= 0.9, missed |",
        "| `size_bytes` | 2.5 MB |  |  |",
        "| `us` | 0.0012 |  |  |",
        "| `none` |  |  |  |",
    ] == told.splitlines()


def test_each_table_has_its_columns() -> None:
    """Rows by their table; long ones stay in the JSON, and what nobody has filled is no column."""
    rows = [{"table": "classes", "class": "chat", "n": 3, "empty": None}, {"table": "classes", "class": "a|b", "n": 4}]
    long = [{"table": "memory", "at_s": number} for number in range(41)]

    told = block(kept(rows=[*rows, *long]))

    assert told.endswith("classes:\n\n| class | n |\n| --- | --- |\n| chat | 3 |\n| a\\|b | 4 |")
    assert "at_s" not in told


@pytest.mark.parametrize("cases", ["problems", "holes", "misses"])
def test_single_cases_of_an_eval_stay_in_the_json(cases: str) -> None:
    """A page has what they say together."""
    rows = [{"table": cases, "at": "a.py:3"}, {"table": "causes", "cause": "no room", "n": 1}]

    assert "a.py:3" not in block(kept(rows=rows))
    assert "| no room | 1 |" in block(kept(rows=rows))


def test_typing_has_a_column_for_each_pace() -> None:
    """The figures' names end in the pace."""
    told = block(
        kept(
            "bench typing",
            asked={"goals": {"p90_ms_at_0": "<= 140"}},
            figures={"p90_ms_at_0_gate_off": 260.0, "p90_ms_at_0": 68.4, "p90_ms_at_50": 23.0},
        )
    )

    assert "| figure | 0 ms, gate off | 0 ms | 50 ms | goal |" in told
    assert "| `p90_ms` | 260 | 68.40 | 23.00 | <= 140 |" in told


def test_a_matrix_has_a_row_and_a_bar_for_each_combination() -> None:
    """The pictures that the page shows are those that are drawn; a combination that failed has no bar."""
    axes = {"kv": ["f16", "q8_0"], "pruning": ["whole"], "draft": ["none"], "cache": ["on"]}
    levels = {"pruning": "whole", "draft": "none", "cache": "on"}
    rows = [
        {"kv": "f16", **levels, "p90_ms": 140.0, "nll_change": 0.0, "problem": ""},
        {"kv": "q8_0", **levels, "p90_ms": None, "nll_change": None, "problem": "no memory"},
    ]
    matrix = kept("bench matrix", asked={"axes": axes}, figures={"n_cells": 2}, rows=rows)

    told, drawn = block(matrix), report.pictures({"matrix": matrix})

    assert "| q8_0 | whole | none | on |  |  | no memory |" in told
    assert {"matrix_p90.svg", "matrix_nll.svg"} == set(drawn)
    assert all(f"(figures/{name})" in told for name in drawn)
    assert ("f16, whole, none, on" in drawn["matrix_p90.svg"], "q8_0" in drawn["matrix_p90.svg"]) == (True, False)


def test_scenes_have_a_row_for_each_group_and_none_for_each_miss() -> None:
    """In front all of them together; what was missed is told by the command."""
    rows = [
        {"group": "doubt", "n_scenarios": 18, "show_rate": 0.5},
        {"language": "go", "n_scenarios": 8, "show_rate": 0.75},
        {"scenario": "x", "miss": "not shown"},
    ]

    told = block(kept("eval scenarios", figures={"n_scenarios": 190, "show_rate": 0.981}, rows=rows))

    assert told.endswith(
        "| group | n_scenarios | show_rate |\n| --- | --- | --- |\n| all | 190 | 0.981 |\n| doubt | 18 | 0.500 |"
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("/home/ada/models/a.gguf", "a.gguf"),
        ("cannot read /home/ada/a.py: no", "cannot read a.py: no"),
        ("Q4_0/f16", "Q4_0/f16"),
        ("https://example.org/a/b", "https://example.org/a/b"),
        ({"files": ["/a/b/c.py", 3]}, {"files": ["c.py", 3]}),
    ],
)
def test_folders_of_the_machine_are_left_out(given: object, expected: object) -> None:
    """Where somebody keeps files is nobody's business, and no figure."""
    assert expected == report.anonymous(given)


def test_the_pages_say_what_the_figures_say() -> None:
    """No table is written by hand: `make report` changes nothing."""
    figures = report.kept_figures()
    for page in report.PAGES:
        text = page.read_text(encoding="utf-8")
        assert text == filled(text, figures), f"{page.name} is not up to date; run `make report`"
        assert set(names_in(text)) <= {*figures, *report.RUNS}, f"{page.name} shows figures that nothing measures"
    for name, picture in report.pictures(figures).items():
        assert picture == (report.FIGURES / name).read_text(encoding="utf-8"), f"{name}; run `make report`"


@pytest.mark.parametrize("file", sorted((DOCS / "figures").glob("*.json")), ids=lambda file: file.stem)
def test_kept_figures_are_small_and_tell_of_no_folder(file: Path) -> None:
    """They are read by people in a diff."""
    text = file.read_text(encoding="utf-8")

    assert len(text) < 200_000
    assert json.loads(text)["machine"]
    assert None is re.search(r'"/(home|root|work|tmp|Users)/', text)


def test_repositories_stand_side_by_side() -> None:
    """What was asked in each, beside all of them; then the causes, and what a setting changes, but no single miss."""
    rows = [
        {"table": "repositories", "repository": "shop", "recall": 0.5},
        {"table": "causes", "n_tokens": 1000, "cause": "no room", "n": 3},
        {"table": "misses", "repository": "shop", "place": "a.py:1"},
    ]
    told = block(kept("eval context", figures={"recall": 0.75}, rows=rows, asked={"goals": {"recall": ">= 0.9"}}))

    assert "| figure | all | shop | goal |" in told
    assert "| `recall` | 0.750 | 0.500 | >= 0.9 |" in told
    assert "| 1000 | no room | 3 |" in told
    assert "a.py" not in told
