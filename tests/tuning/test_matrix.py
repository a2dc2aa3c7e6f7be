"""The matrix on a machine that is made up: every combination once a round, and quality only where a text may change."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from codeassistd.cli import app, bench_matrix
from codeassistd.config import Settings
from codeassistd.daemon.tuned import TypingSpeed
from codeassistd.errors import ModelLoadError
from codeassistd.evals.paired import paired
from codeassistd.tuning.matrix import AXES, Cell, combinations, run_matrix

SMALL = {
    "kv": {"f16": {"model.kv_type_k": "f16"}, "q8_0": {"model.kv_type_k": "q8_0"}},
    "draft": {"none": {"model.max_draft": "0"}, "lookup": {"model.max_draft": "16"}},
}


def settings_with(values: Mapping[str, str]) -> Settings:
    model = {key.removeprefix("model."): value for key, value in values.items()}
    return Settings.model_validate({"model": model})


class Machine:
    """Keys take longer from round to round; a combination may have no memory."""

    def __init__(self, broken: str = "") -> None:
        self.broken = broken
        self.log: list[str] = []
        self._n_typed = 0

    def typing(self, settings: Settings) -> TypingSpeed:
        self._n_typed += 1
        name = f"{settings.model.kv_type_k}/{settings.model.max_draft}"
        self.log.append(name)
        if name == self.broken:
            raise ModelLoadError("no memory")
        return TypingSpeed(10.0 * self._n_typed, 100.0 * self._n_typed, 12)

    def truth_nll(self, settings: Settings) -> Sequence[float]:
        self.log.append(f"quality {settings.model.kv_type_k}")
        return [2.0, 3.0] if settings.model.kv_type_k == "f16" else [2.25, 3.25]


def test_every_level_meets_every_other() -> None:
    """The one that loses nothing first: it is what the others are compared with."""
    choices = combinations()

    assert 16 == len(choices) == len({tuple(choice.values()) for choice in choices})
    assert {"kv": "f16", "pruning": "whole", "draft": "none", "cache": "off"} == choices[0]


def test_the_settings_of_the_axes_are_settings() -> None:
    """A name or value that is no setting would come to light after half an hour."""
    for levels in AXES.values():
        for values in levels.values():
            nested: dict[str, dict[str, str]] = {}
            for key, value in values.items():
                section, _, name = key.partition(".")
                nested.setdefault(section, {})[name] = value
            assert values
            assert set(nested) == set(Settings.model_validate(nested).model_dump(exclude_unset=True))


def test_rounds_go_forth_and_back_and_quality_is_asked_once() -> None:
    """What gets slower with time harms all alike; a draft does not change a text."""
    machine, told = Machine(), list[str]()

    cells = run_matrix(machine, settings_with, 2, told.append, SMALL)

    forth = ["f16/0", "f16/16", "q8_0/0", "q8_0/16"]
    assert ["quality f16", "quality q8_0", *forth, *reversed(forth)] == machine.log
    assert [45.0] * 4 == [cell.p50_ms for cell in cells]
    assert [450.0] * 4 == [cell.p90_ms for cell in cells]
    qualities = [cell.quality for cell in cells]
    assert [0.0, 0.0, 0.25, 0.25] == [None if one is None else one.change for one in qualities]
    assert "quality with kv f16, draft none" == told[0]


def test_a_combination_that_cannot_be_loaded_says_why_and_is_not_tried_again() -> None:
    """The others are measured all the same."""
    machine = Machine(broken="q8_0/16")

    cells = run_matrix(machine, settings_with, 2, lambda _line: None, SMALL)

    assert ["", "", "", "no memory"] == [cell.problem for cell in cells]
    assert (None, None) == (cells[3].p50_ms, cells[3].p90_ms)
    assert 1 == machine.log.count("q8_0/16")


def test_the_verb_tells_each_thing_that_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As lines where there is no terminal, since all of it takes twenty minutes; then the table."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))

    def measured(
        _gauge: object, _settings_with: object, n_rounds: int, tell: Callable[[str], None]
    ) -> tuple[Cell, ...]:
        tell(f"typing {n_rounds} times")
        return (Cell({"kv": "f16", "draft": "none"}, 12.0, 40.0, paired([1.0] * 9, [1.0] * 9)),)

    monkeypatch.setattr(bench_matrix, "run_matrix", measured)
    assert 0 == app.run(("bench", "matrix", "--rounds", "3", "--beside"))
    out, err = capsys.readouterr()
    assert "typing 3 times\n" == err
    assert ["f16", "none", "12.0", "40.0"] == out.splitlines()[1].split()[:4]
