from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import Catalogue, ResolvedModel
from codeassistd.catalogue.progress import ignore_progress
from codeassistd.config import ModelSettings
from codeassistd.engine.llama.probe import LibraryFacts, ProbeResult
from codeassistd.engine.llama.speed import Speed
from codeassistd.errors import EngineError, LicenceError, PullError
from codeassistd.paths import Paths
from codeassistd.setup.choice import Machine, Pace
from codeassistd.setup.library import LibraryCare
from codeassistd.setup.measure import Measured
from codeassistd.setup.ready import Readiness, Readying
from codeassistd.testing.tiny_models import write_tiny_model

GIB = 2**30
ROOMY = Machine(64 * GIB, 60 * GIB, 0, 500 * GIB)
NO_TIME = Pace(0.0, 0.0, 0.0)
SLOW = Pace(1000.0, 0.0, 0.0)

MANIFEST = """
name = "{name}"
title = "A model"
context_length = 512
[source]
kind = "{kind}"
{source}
[licence]
name = "Terms"
url = "https://example.org"
needs_acceptance = {ask}
[size]
parameters = {parameters}
file_bytes = {parameters}
[profile]
order = "psm"
prefix = "<p>"
suffix = "<s>"
middle = "<m>"
"""


@dataclass
class Bench:
    """A home with two models on the disk, `starter` and `better`, and one beyond the network, `remote`."""

    home: Path
    pace: Pace = NO_TIME
    result: ProbeResult = field(
        default_factory=lambda: ProbeResult(LibraryFacts("1", "", gpu_offload=False, devices=(), n_decoded=8))
    )
    pulled: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    measured: list[str] = field(default_factory=list)

    @property
    def paths(self) -> Paths:
        return Paths.resolve({"CODEASSISTD_HOME": str(self.home)})

    @property
    def catalogue(self) -> Catalogue:
        return Catalogue(self.paths)

    def add(self, name: str, parameters: int, *, is_here: bool = True, ask: str = "false") -> None:
        folder = self.paths.manifests_dir
        folder.mkdir(parents=True, exist_ok=True)
        if is_here:
            write_tiny_model(folder / f"{name}.gguf")
        source = f'path = "{name}.gguf"' if is_here else 'repo = "o/r"\nfile = "f.gguf"'
        kind = "local" if is_here else "hub"
        text = MANIFEST.format(name=name, kind=kind, source=source, parameters=parameters, ask=ask)
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")

    def pull(self, name: str) -> None:
        self.pulled.append(name)
        if name == "remote":
            raise PullError("there is no network")
        self.catalogue.pull(name, ignore_progress)

    def measure(self, model: ResolvedModel, settings: ModelSettings, *, reads_on_gpu: bool) -> Measured:
        assert settings.threads == 0
        assert not reads_on_gpu
        self.measured.append(model.name)
        return Measured(model.name, Speed(1.0, 2.0, 3, "cpu"), self.pace, n_cores=4, load=0.5)

    def make(self, wanted: str = "", settings: ModelSettings | None = None) -> Readiness:
        return Readying(
            paths=self.paths,
            catalogue=self.catalogue,
            settings=settings or ModelSettings(),
            pull=self.pull,
            say=self.said.append,
            care=LibraryCare(self.paths, lambda _: self.result),
            measure=self.measure,
            look=lambda *_: ROOMY,
        ).make(wanted)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path / "home")
    bench.add("starter", 1_000)
    # Larger than all that is shipped, so that these are the best.
    bench.add("better", 31_000_000_000)
    return bench


def test_the_best_is_fetched_and_chosen(bench: Bench) -> None:
    """After measuring with the starter; what is in force is remembered."""
    ready = bench.make()
    assert ("better", True, "") == (ready.model.name, ready.was_chosen, ready.problem)
    assert (["starter", "better"], ["starter"]) == (bench.pulled, bench.measured)
    assert "better" == bench.catalogue.current()
    assert ["measuring starter: half a minute"] == bench.said


def test_a_second_run_keeps_what_was_chosen(bench: Bench) -> None:
    """By the first run or by the user; it measures with that, and chooses nothing."""
    bench.make()
    ready = bench.make()
    assert ("better", False) == (ready.model.name, ready.was_chosen)
    bench.catalogue.use("starter")
    ready = bench.make()
    assert ("starter", False, "better") == (ready.model.name, ready.was_chosen, ready.choice.name)
    assert ["starter", "better", "starter"] == bench.measured
    assert "starter" == bench.catalogue.current()


def test_a_name_in_the_settings_is_a_choice(bench: Bench) -> None:
    """It outranks the one that would be remembered, so none is."""
    ready = bench.make(settings=ModelSettings(name="starter"))
    assert ("starter", False) == (ready.model.name, ready.was_chosen)
    assert None is bench.catalogue.current()


def test_what_could_not_be_fetched_is_tried_again(bench: Bench) -> None:
    """The first model serves meanwhile; it is not taken for the user's choice."""
    bench.add("remote", 32_000_000_000, is_here=False)
    for _ in range(2):
        ready = bench.make()
        assert ("starter", False) == (ready.model.name, ready.was_chosen)
        assert (
            "remote suits this machine, but could not be fetched: there is no network; run setup again for it"
        ) == ready.problem
        assert None is bench.catalogue.current()
    assert ["starter", "remote"] * 2 == bench.pulled


def test_the_model_that_is_asked_for_is_taken(bench: Bench, tmp_path: Path) -> None:
    """Whatever was chosen before, by its name or its path."""
    bench.make()
    ready = bench.make("starter")
    assert ("starter", True) == (ready.model.name, ready.was_chosen)
    path = write_tiny_model(tmp_path / "own.gguf")
    assert str(path) == bench.make(str(path)).model.name
    assert str(path) == bench.catalogue.current()


def test_a_licence_is_never_accepted_unasked(bench: Bench) -> None:
    """Not for the best one, nor for one that was named."""
    bench.add("terms", 33_000_000_000, is_here=False, ask="true")
    ready = bench.make()
    assert "better" == ready.model.name
    assert ready.choice.next_larger is not None
    assert "terms" == ready.choice.next_larger.name
    with pytest.raises(LicenceError, match="if you agree, pull again with --accept-licence"):
        bench.make("terms")


def test_a_library_that_does_not_run_ends_it(bench: Bench) -> None:
    """With the line of the probe."""
    bench.result = ProbeResult(None, "llama.cpp cannot be imported; do this")
    with pytest.raises(EngineError, match=r"llama\.cpp cannot be imported; do this"):
        bench.make()
    assert [] == bench.measured


def test_where_all_are_too_slow_the_least_stays(bench: Bench) -> None:
    """A suggestion that is late can still be asked for by hand."""
    bench.pace = SLOW
    assert "starter" == bench.make().model.name
