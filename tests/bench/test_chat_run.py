"""The bench of conversations: what it asks, measures and makes of it, with a scripted model."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from codeassistd.bench.chat.figures import figures_of, rows_of
from codeassistd.bench.chat.run import ChatPlan, Talked, TurnCost, Way, run_chat_bench
from codeassistd.bench.chat.script import make_questions
from codeassistd.paths import Paths

PROXY = (sys.executable, "-P", "-m", "codeassistd", "lsp", "--stdio")


def cost(turn: int, ttft_ms: float, n_cells: int) -> TurnCost:
    return TurnCost(turn, ttft_ms, ttft_ms + 5, 100, 80, n_cells, 1.0)


def test_each_question_has_another_piece(tmp_path: Path) -> None:
    """Of all files in turn, and from the beginning again when they are used up."""
    (tmp_path / "a.py").write_text("1\n2\n3\n4\n5\n", encoding="utf-8")
    (tmp_path / "b.py").write_text("6\n7\n", encoding="utf-8")
    asked = make_questions([tmp_path / "a.py", tmp_path / "b.py"], 4, 2)
    assert ["```\n1\n2\n```", "```\n3\n4\n```", "```\n6\n7\n```", "```\n1\n2\n```"] == [
        text.partition("\n")[2] for text in asked
    ]
    assert 4 == len(set(asked))


def test_pieces_are_of_about_the_same_length(tmp_path: Path) -> None:
    """What the first turns cost and what the last ones do must not hang on the luck of their pieces."""
    lines = ["x" * 20] * 6 + ["y" * 200] * 2 + ["z"] * 2 + ["w" * 21] * 2
    (tmp_path / "a.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    asked = make_questions([tmp_path / "a.py"], 8, 2)
    assert ["x", "x", "x", "w"] * 2 == [text.partition("```\n")[2][0] for text in asked]


def test_growth_is_told_by_medians() -> None:
    """The last five turns against those round the tenth; the slowest is told beside it."""
    turns = [cost(turn, 100.0 if turn < 40 else 120.0, 1000 + turn) for turn in range(1, 51)]
    turns[48] = cost(49, 900.0, 1049)
    figures = figures_of([Talked(Way.MEMORY, tuple(turns), {})])
    assert (100.0, 120.0, 1.2, 900.0) == (
        figures["ttft_ms_early_memory"],
        figures["ttft_ms_late_memory"],
        figures["ttft_growth_memory"],
        figures["ttft_ms_max_memory"],
    )
    assert (1010.0, 1048.0, 1.0376, 0.8) == (
        figures["n_cells_early_memory"],
        figures["n_cells_late_memory"],
        figures["cells_growth_memory"],
        figures["prefix_reuse_memory"],
    )


def test_a_row_has_both_ways_of_a_turn() -> None:
    """So that they can be drawn over each other."""
    talked = [Talked(way, (cost(1, 10.0, n),), {}) for n, way in enumerate(Way, 1)]
    [row] = rows_of(talked)
    assert (1, 1, 2) == (row["turn"], row["n_cells_memory"], row["n_cells_whole"])


@pytest.mark.slow
def test_the_memory_bounds_what_a_conversation_takes(tmp_path: Path) -> None:
    """Through real processes: with it the cells stay under the budget, and without it they grow on."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"default": "Fine.", "n_ctx": 8192, "n_slots": 2}), encoding="utf-8")
    plan = ChatPlan(
        PROXY,
        tmp_path,
        [f"Question {chr(96 + n)}?\n" + "x" * 250 for n in range(1, 14)],
        {"index.enabled": "false", "chat.summary": "extract"},
        serve=(sys.executable, "-P", "-m", "codeassistd.testing.serve", str(script)),
    )
    seen: list[int] = []
    talked = {
        one.way: one.turns
        for one in run_chat_bench(plan, Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)}), lambda: seen.append(1))
    }
    assert [26, 13, 13] == [len(seen), len(talked[Way.MEMORY]), len(talked[Way.WHOLE])]
    assert max(turn.n_cells for turn in talked[Way.MEMORY]) <= 2048 < talked[Way.WHOLE][-1].n_cells
    assert [turn.n_cells for turn in talked[Way.WHOLE]] == sorted(turn.n_cells for turn in talked[Way.WHOLE])
