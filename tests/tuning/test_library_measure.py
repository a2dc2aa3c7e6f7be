"""Typing at a desk in this process, on the scripted backend."""

from __future__ import annotations

import contextlib
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from codeassistd.config import ContextSettings, ModelSettings, Settings
from codeassistd.engine.backend import Backend, BackendFactory, LoadProgress
from codeassistd.errors import DecodeError, EngineError, ModelLoadError
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from codeassistd.tuning import library_measure
from codeassistd.tuning.desk import Desk
from codeassistd.tuning.library_measure import Extent, LibraryMeasure, long_scripts, scripts


class Loads:
    """Loads scripted models, and knows them all."""

    def __init__(self, *, failing: bool = False) -> None:
        self.backends: list[FakeBackend] = []
        self._failing = failing

    def __call__(self, progress: LoadProgress) -> Backend:
        backend = FakeBackend(FakeScript(default="value = compute(1)\n"), n_ctx=16384, n_batch=2048)
        if self._failing:
            backend.fail_step(DecodeError("out of order"), after=0)
        self.backends.append(backend)
        return backend.load(progress)


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})


FEW = Extent(n_blocks=2, n_files=2, n_keys=12, n_places=3)
SETTINGS = Settings(context=ContextSettings(max_tokens=1024))


def test_the_same_numbers_give_the_same_scripts_at_other_places_each_round() -> None:
    """Seven files in turn; the eighth script is the first file at another place."""
    first, again = list(scripts(0, 8)), list(scripts(0, 8))
    assert first == again
    assert first[0].path == first[7].path
    assert first[0].before != first[7].before


def test_how_fast_typing_is_comes_from_long_stretches() -> None:
    """Fifty keys in each of six files, as the recorded figures of llama.cpp's server have them."""
    long = list(long_scripts())
    assert [50] * 6 == [len(script.keys) for script in long]
    assert 6 == len({script.path for script in long})


@pytest.mark.slow
def test_keys_are_typed_and_the_model_is_given_back(paths: Paths) -> None:
    """Two stretches of twelve keys, but not where a rule is silent unasked; nothing is written to the user's places."""
    loads = Loads()
    speed = LibraryMeasure(paths, loads, FEW).typing(SETTINGS)
    assert 2 < speed.n_keys <= 24
    assert 0 < speed.p50_ms <= speed.p90_ms
    assert [1] == [backend.n_closed for backend in loads.backends]
    assert not paths.state_dir.exists()
    assert not paths.cache_dir.exists()


@pytest.mark.slow
def test_two_desks_are_compared_on_the_same_keys(paths: Paths) -> None:
    """Each stretch gives pairs of those keys that asked the engine at both; closing it closes both."""
    loads = Loads()
    with contextlib.closing(LibraryMeasure(paths, loads, FEW).compare(SETTINGS, SETTINGS, 0)) as blocks:
        pairs = next(blocks)
    assert pairs
    assert all(before > 0 and after > 0 for before, after in pairs)
    assert 2 == len(loads.backends)
    assert all(backend.batches for backend in loads.backends)
    assert [1, 1] == [backend.n_closed for backend in loads.backends]


@pytest.mark.slow
def test_desks_are_opened_anew_and_the_other_one_first(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """After each four stretches, wherever it begins: what a desk learned at a bad moment must not count for all."""
    opened: list[int] = []
    open_desk = library_measure.open_desk

    def noted(paths: Paths, settings: Settings, substitute: BackendFactory | None) -> AbstractAsyncContextManager[Desk]:
        opened.append(settings.model.n_batch)
        return open_desk(paths, settings, substitute)

    monkeypatch.setattr(library_measure, "open_desk", noted)
    other = SETTINGS.model_copy(update={"model": ModelSettings(n_batch=256)})
    with contextlib.closing(LibraryMeasure(paths, Loads(), FEW).compare(SETTINGS, other, 3)) as stretches:
        for _ in range(2):
            next(stretches)
    assert [512, 256, 256, 512] == opened


@pytest.mark.slow
def test_both_ways_are_typed_on_the_same_keys(paths: Paths) -> None:
    """As many keys for the one as for the other, and both desks are closed."""
    loads = Loads()
    before, after = LibraryMeasure(paths, loads, FEW).speeds(SETTINGS, SETTINGS)
    assert 0 < before.n_keys == after.n_keys <= 24
    assert [1, 1] == [backend.n_closed for backend in loads.backends]


@pytest.mark.slow
def test_quality_is_that_of_the_truth_behind_the_prompts(paths: Paths) -> None:
    """One figure for each of the places, and the same for the same settings."""
    measure = LibraryMeasure(paths, Loads(), FEW)
    judged = measure.truth_nll(SETTINGS)
    assert 3 == len(judged)
    assert judged == measure.truth_nll(SETTINGS)


def test_a_model_that_cannot_be_had_is_one_line(paths: Paths) -> None:
    """The cause, and no desk is left behind."""
    settings = Settings(model=ModelSettings(name="starter"))
    with pytest.raises(ModelLoadError, match="model pull starter"):
        LibraryMeasure(paths).typing(settings)
    with pytest.raises(ModelLoadError, match="model pull starter"):
        next(LibraryMeasure(paths).compare(settings, settings, 0))


def test_a_failed_step_ends_the_measurement(paths: Paths) -> None:
    """A key without an answer would count as a fast one."""
    with pytest.raises(EngineError, match=r"failed while it was measured: .*out of order"):
        LibraryMeasure(paths, Loads(failing=True)).typing(SETTINGS)
