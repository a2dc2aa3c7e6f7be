"""The verbs `snooze` and `history`, with a daemon and without one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from codeassistd.cli import app
from codeassistd.completion.history.record import Fate
from codeassistd.completion.history.store import HistoryStore
from codeassistd.completion.history.summary import grouped, summary
from tests.completion.history.test_learn import history
from tests.support.evidence import record
from tests.support.processes import Home
from tests.support.waiting import wait_for


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A place of its own, with a history of 300 suggestions."""
    made = Home(tmp_path / "home")
    made.root.mkdir()
    monkeypatch.setenv("CODEASSISTD_HOME", str(made.root))
    now_s = datetime.now(UTC).timestamp()
    with closing(HistoryStore.open(made.paths.history_file)) as store:
        for row in history(300):
            store.add(replace(row, shown_at=now_s))
    yield made
    made.close()


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert 0 == app.run([*arguments, "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert isinstance(answer, dict)
    return answer


@pytest.mark.slow
def test_a_snooze_from_the_command_line(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """It begins, stands in `status`, and ends; both verbs say how it is."""
    home.start_daemon()
    codes = [app.run(["snooze", "10"]), app.run(["snooze"]), app.run(["status"])]
    status = capsys.readouterr().out
    codes.append(app.run(["snooze", "--off"]))

    assert [0, 0, 0, 0] == codes
    assert ["snoozed for 10 min", "snoozed for 30 min"] == status.splitlines()[:2]
    assert "codeassistd snooze --off` ends it" in status
    assert "suggestions are on" == capsys.readouterr().out.strip()
    assert 0.0 == home.status()["snoozed_s"]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["snooze"], 1, "no daemon is running; `codeassistd start` starts one"),
        (["snooze", "5", "--off"], 2, "--off ends a snooze and takes no minutes; give one of the two"),
        (["snooze", "0"], 2, "[MINUTES]"),
        (["snooze", "soon"], 2, "valid integer"),
    ],
)
def test_what_a_snooze_refuses(
    home: Home, capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, said: str
) -> None:
    """One line on standard error."""
    del home
    assert code == app.run(arguments)
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_the_history_names_the_gate_in_force(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """With a daemon: what it judges by, and that clearing takes it back to the constants at once."""
    home.start_daemon()
    # The history is read beside the start, and until then the constants hold.
    wait_for(lambda: shown(capsys, "history", "show")["effective"]["gate"] == "learned", "the learned gate")
    before = shown(capsys, "history", "show")
    assert 0 == app.run(["history", "clear"])
    told = capsys.readouterr().out.strip()
    after = shown(capsys, "history", "show")

    assert ("learned", "learned", 300) == (
        before["asked"]["gate"],
        before["effective"]["gate"],
        before["figures"]["n_shown"],
    )
    assert "forgot 300 suggestions" == told
    assert ("learned", "constants", 0) == (
        after["asked"]["gate"],
        after["effective"]["gate"],
        after["figures"]["n_shown"],
    )


def test_the_history_can_be_read_and_cleared_without_a_daemon(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the gate is not known then."""
    del home
    answer = shown(capsys, "history", "show")
    codes = [app.run(["history", "show"]), app.run(["history", "clear"]), app.run(["history", "clear"])]
    said = capsys.readouterr().out

    assert 300 == answer["figures"]["n_shown"]
    assert ["language: python", "place: arguments", "place: comment", "source: engine"] == [
        row["group"] for row in answer["rows"]
    ]
    assert [0, 0, 0] == codes
    assert "gate: not known, since no daemon is running" in said
    assert ["forgot 300 suggestions", "forgot 0 suggestions"] == said.splitlines()[-2:]


def test_the_numbers_of_a_history() -> None:
    """Counts of each fate, and shares of what is known."""
    rows = [
        record("a", Fate.ACCEPTED, kept_30s=1.0, kept_2min=0.5),
        record("b", Fate.PARTLY, kept_30s=0.5),
        record("c", Fate.DISMISSED),
        record("d", Fate.TYPED),
        record("e", Fate.SHOWN),
    ]

    assert {
        "n_shown": 5,
        "n_accepted": 1,
        "n_partly": 1,
        "n_typed": 1,
        "n_dismissed": 1,
        "n_undecided": 1,
        "accepted_share": 0.5,
        "dismissed_share": 0.25,
        "kept_30s_share": 0.75,
        "kept_2min_share": 0.5,
        "kept_10min_share": None,
    } == summary(rows)
    assert {"n_shown": 0, "accepted_share": None}.items() <= summary([]).items()
    assert {"language: python": rows, "source: engine": rows, "place: statement": rows} == grouped(rows)
