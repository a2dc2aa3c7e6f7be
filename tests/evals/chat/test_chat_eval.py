"""The scripted conversations are fair, and what remembers keeps their facts where plain truncation loses them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from codeassistd.chat.model import writer_for
from codeassistd.config import ChatSettings
from codeassistd.engine.backend import BackendInfo
from codeassistd.errors import UsageError
from codeassistd.evals.chat.case import N_TURNS, TRUTH, Case, Exchange, read_cases
from codeassistd.evals.chat.figures import GOALS, compared, figures_of, rows_of
from codeassistd.evals.chat.play import Stage
from codeassistd.evals.chat.run import Judged, Way, run_chat
from codeassistd.evals.context.plain_vocabulary import PlainVocabulary
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import running

N_CTX = 4096


def stage() -> Stage:
    info = BackendInfo(N_CTX, 1, 1, 0, metadata={}, asked={}, effective={})
    return Stage(writer_for(PlainVocabulary(), info), N_CTX, ChatSettings())


def test_there_are_enough_conversations_and_each_states_its_fact_once() -> None:
    """Reading them checks that the fact stands in one of the first three turns and nowhere else."""
    cases = read_cases()
    assert len(cases) >= 30
    assert len(cases) == len({case.name for case in cases})
    assert {"requirement", "decision", "constraint"} == {case.kind for case in cases}
    assert {1, 2, 3} == {case.stated_in for case in cases}
    assert {N_TURNS - 1} == {len(case.exchanges) for case in cases}


def test_a_fact_that_is_said_twice_is_refused(tmp_path: Path) -> None:
    """It would be kept by accident."""
    copy = shutil.copytree(TRUTH, tmp_path / "chat")
    facts = copy / "facts.toml"
    text = facts.read_text(encoding="utf-8").replace("Write the line that makes it", "It has 768 MiB")
    facts.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="768 MiB must stand in turn 2 and nowhere else"):
        read_cases(copy)


@pytest.mark.slow
async def test_the_extract_keeps_what_truncation_loses() -> None:
    """Without a model, so that it runs everywhere."""
    figures = figures_of(await run_chat(read_cases(), stage(), None, lambda: None))
    assert (figures["kept_memory"] or 0) >= GOALS["kept_memory"]
    assert (figures["kept_truncation"] or 0) < 0.2
    assert figures["kept_model"] is None
    assert (figures["n_prompt_memory"] or 0) <= N_CTX


async def test_the_models_share_is_told_apart() -> None:
    """A model that writes down one fact and leaves out the other keeps one of two alone, and both when completed."""
    fillers = tuple(Exchange(f"What of step {chr(97 + n)}? " + "words " * 150, "Fine.") for n in range(10))
    kept = Case("kept", (Exchange("Use port 8443.", "Yes."), *fillers), "So?", 1, "decision", "8443")
    lost = Case("lost", (Exchange("Use db_name.", "Yes."), *fillers), "So?", 1, "decision", "db_name")
    backend = FakeBackend(FakeScript(default="Requirements:\n- (turn 1) port 8443\nDecisions:\nConstraints:\n"))
    backend.free_grammars = True
    async with running(backend) as engine:
        assert engine.vocabulary is not None
        assert engine.info is not None
        own = Stage(writer_for(engine.vocabulary, engine.info), N_CTX, ChatSettings())
        judged = await run_chat([kept, lost], own, engine, lambda: None)
    by = {(one.case.name, one.way): one.is_kept for one in judged}
    assert [True, False] == [by["kept", Way.MODEL], by["lost", Way.MODEL]]
    assert [True, True] == [by["kept", Way.MEMORY], by["lost", Way.MEMORY]]
    assert [False, False] == [by["kept", Way.TRUNCATION], by["lost", Way.TRUNCATION]]
    figures = figures_of(judged)
    assert (0.5, 1.0, 0.0) == (figures["kept_model"], figures["kept_memory"], figures["kept_truncation"])


def test_rows_say_what_kept_which_fact() -> None:
    """One for each conversation."""
    case = Case("port", (), "So?", 1, "decision", "8443")
    judged = [
        Judged(case, way, is_kept=way is Way.MEMORY, n_prompt=10, n_window=2) for way in (Way.MEMORY, Way.TRUNCATION)
    ]
    assert [
        {
            "table": "conversations",
            "name": "port",
            "turn": 1,
            "kind": "decision",
            "must": "8443",
            "memory": True,
            "truncation": False,
        }
    ] == rows_of(judged)


def test_two_settings_are_compared_conversation_by_conversation() -> None:
    """What is kept, and how long the prompts are."""
    cases = [Case(name, (), "So?", 1, "decision", name) for name in ("one", "two")]
    ours = [Judged(case, Way.MEMORY, is_kept=True, n_prompt=100, n_window=2) for case in cases]
    theirs = [Judged(case, Way.MEMORY, is_kept=False, n_prompt=80, n_window=2) for case in cases]
    rows = {row["figure"]: row for row in compared(ours, theirs)}
    assert ["kept_memory", "n_prompt_memory"] == list(rows)
    assert (2, 1.0, 0.0, "less") == tuple(rows["kept_memory"][key] for key in ("n_pairs", "ours", "theirs", "verdict"))
    assert -20.0 == rows["n_prompt_memory"]["change"]
