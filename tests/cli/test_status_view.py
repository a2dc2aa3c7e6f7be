from __future__ import annotations

from dataclasses import replace

import pytest

from codeassistd.cli.status_view import (
    conversation_rows,
    engine_rows,
    profile_words,
    session_rows,
    tuned_rows,
    workspace_rows,
)
from codeassistd.daemon.status import plain
from codeassistd.engine.request import DraftCount, EngineState, EngineStatus

COMPLETIONS = {
    "shown": 3,
    "empty": 0,
    "n_prompt": 200,
    "n_cached": 50,
    "reuse": 0.25,
    "sources": {"engine": 0},
    "saved_ms": 0.0,
    "follow_ups": {"n_begun": 0},
    "semantic": {"effective": "off"},
}


@pytest.mark.parametrize(
    ("order", "source", "expected"),
    [
        ("prefix", "none", "prefix (no markers)"),
        ("psm", "metadata", "psm (markers from metadata)"),
        ("", "", "not known yet"),
    ],
)
def test_how_the_model_is_asked_in_words(order: str, source: str, expected: str) -> None:
    """The starter has no markers, which is no place that they come from."""
    assert expected == profile_words({"order": order, "source": source, "warning": ""})


def rows(status: EngineStatus) -> dict[str, str]:
    table = plain(status)
    assert isinstance(table, dict)
    return {str(name): str(value) for name, value in engine_rows(table, COMPLETIONS)}


def test_an_engine_that_has_done_nothing_shows_no_pace() -> None:
    """Zeros would look like measurements."""
    expected = {
        "sequences": "0 running, 0 waiting, 0 slots",
        "cache": "0 of 0 cells",
        "requests": "3 shown",
        "prompt tokens": "200, of them reused 25%",
    }

    assert expected == rows(EngineStatus(EngineState.READY))


def test_an_engine_at_work_shows_its_pace_its_memory_and_its_guesses() -> None:
    """The figures that tell a user why it is as fast as it is; all others are in the answer for programs."""
    status = EngineStatus(
        EngineState.READY,
        n_slots=4,
        n_running=1,
        cells_used=300,
        cells_total=4096,
        kv_bytes=94 << 20,
        n_saved=3,
        saved_bytes=20 << 20,
        n_restored=5,
        n_threads=2,
        n_chunk=48,
        step_goal_ms=60.0,
        step_ms={"decode 1": 12.4, "prefill 17-32": 50.0},
        prefill_tokens_per_s=412.3,
        drafts=(DraftCount("text", 40, 30),),
    )
    expected = {
        "sequences": "1 running, 0 waiting, 4 slots",
        "cache": "300 of 4096 cells, 94 MiB",
        "prompts": "3 saved (20 MiB), 5 times brought back",
        "pace": (
            "reads 412 tokens/s, writes a token in 12 ms, 2 threads in force, "
            "48 prompt tokens a step beside running text (goal 60 ms)"
        ),
        "guesses": "30 of 40 right (75%), from text",
    }

    assert expected == {name: text for name, text in rows(status).items() if name in expected}
    assert "guesses" not in rows(replace(status, drafts=()))


def test_a_part_without_rows_says_so() -> None:
    """A bare heading looks as if something had failed."""
    assert [("none open",)] == list(workspace_rows({"workspaces": []}))
    assert [("off (index.enabled)",)] == list(workspace_rows({}))
    assert [("none connected",)] == list(session_rows([]))


def test_open_conversations_show_what_they_take_of_the_cache() -> None:
    """And how much of them is word for word, and who wrote down the rest."""
    one = {
        "session": "default",
        "n_turns": 50,
        "n_window": 7,
        "n_remembered": 12,
        "summary_by": "model",
        "n_cells": 1830,
        "n_cells_most": 4096,
    }
    new = {**one, "session": "new", "n_turns": 0, "n_window": 0, "n_remembered": 0, "summary_by": "", "n_cells_most": 0}
    assert [
        ("default", "50, 7 word for word", "1830 of 4096", "12 (by model)"),
        ("new", "0, 0 word for word", "none yet", "0"),
    ] == list(conversation_rows({"conversations": [one, new], "problem": ""}))
    problem = list(conversation_rows({"conversations": [], "problem": "no room on the disk"}))
    assert ["no room on the disk"] == [str(row[0]) for row in problem]


def test_what_was_tuned_stands_beside_what_is_in_force() -> None:
    """What the user has set himself outranks the profile, and is set off from what is as the profile says."""
    asked = {"model.n_batch": "256", "model.repack": "false", "model.threads": "1"}
    effective = {"model.n_batch": 256, "model.repack": False, "model.threads": 4}
    found = list(tuned_rows({"asked": asked, "effective": effective}))
    assert [("model.n_batch", "256", "256"), ("model.repack", "false", "false"), ("model.threads", "1", "4")] == [
        tuple(map(str, row)) for row in found
    ]
    assert ["", "", "bold"] == [getattr(row[2], "style", None) for row in found]
