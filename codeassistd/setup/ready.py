"""Makes a model ready, one that suits this machine, on a library that runs: `setup` but for the editors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.catalogue.catalogue import Catalogue, ResolvedModel
from codeassistd.catalogue.manifest import Manifest
from codeassistd.config import ModelSettings
from codeassistd.engine.llama.probe import LibraryFacts
from codeassistd.errors import EngineError, PullError, UnknownModelError
from codeassistd.paths import Paths
from codeassistd.setup.choice import Choice, Machine, choose
from codeassistd.setup.library import LibraryCare, LibraryState, Say
from codeassistd.setup.measure import Measured, look_at, measure

__all__ = ["Readiness", "Readying"]

#: Small enough to measure with on any machine, and to stay with where nothing better can be had.
_FIRST = "starter"

Pull = Callable[[str], object]
"""Fetches the model of that name, with its progress shown; raises a ModelError."""


@dataclass(frozen=True, slots=True)
class Readiness:
    """What came of it.

    Attributes:
        model: the one in force.
        was_chosen: it was chosen now; otherwise the user, or an earlier run, had.
        problem: why the model that suits best is not in force, or an empty text.
    """

    model: ResolvedModel
    library: LibraryState
    machine: Machine
    measured: Measured
    choice: Choice
    was_chosen: bool
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Readying:
    """The steps; each does nothing where it was done before, so that setup can be run again at any time.

    Attributes:
        settings: of the model; a name in them was set by hand.
        pull: fetches a model that needs no acceptance of its licence.
        say: told one line for each long step.
        measure, look: find out about this machine.
    """

    paths: Paths
    catalogue: Catalogue
    settings: ModelSettings
    pull: Pull
    say: Say
    care: LibraryCare
    measure: Callable[..., Measured] = measure
    look: Callable[[Paths, LibraryFacts], Machine] = field(default=look_at)

    def make(self, wanted: str = "") -> Readiness:
        """Have a model ready.

        Args:
            wanted: the model to take; empty keeps the one that was chosen before, or chooses one.

        Raises:
            ModelError: the first model cannot be had, or measured.
            EngineError: llama.cpp does not run here, and could not be made to.
        """
        before = wanted or self._chosen_before()
        model = self._have(before or _FIRST)
        library = self._library(model.path)
        facts = library.result.facts
        if facts is None:
            raise EngineError(library.result.problem)
        machine = self.look(self.paths, facts)
        self.say(f"measuring {model.name}: half a minute")
        measured = self.measure(
            model, self.settings, reads_on_gpu=machine.gpu_bytes > 0 and self.settings.gpu_layers != 0
        )
        choice = choose(self._manifests(), machine, measured.pace, self._here())
        if before:
            was_chosen, problem = bool(wanted) and self._use(model), ""
        else:
            model, problem = self._take(choice.name or model.name, model)
            # Not remembered where it is a stopgap, so that the next run tries again.
            was_chosen = not problem and self._use(model)
        return Readiness(model, library, machine, measured, choice, was_chosen, problem)

    def _chosen_before(self) -> str:
        by_hand = self.settings.name if "name" in self.settings.model_fields_set else ""
        return by_hand or self.catalogue.current() or ""

    def _have(self, name: str) -> ResolvedModel:
        """The model, fetched if it is one of the catalogue and not here."""
        try:
            self.catalogue.manifest(name)
        except UnknownModelError:
            # A draft model, or a file by its path; what is neither is said there.
            return self.catalogue.resolve(name)
        self.pull(name)
        return self.catalogue.resolve(name)

    def _library(self, model: Path) -> LibraryState:
        return self.care.see_to(model, self.say)

    def _take(self, name: str, fallback: ResolvedModel) -> tuple[ResolvedModel, str]:
        """The chosen model, or where it cannot be fetched the one that is here, and why."""
        try:
            return self._have(name), ""
        except PullError as error:
            return fallback, f"{name} suits this machine, but could not be fetched: {error}; run setup again for it"

    def _use(self, model: ResolvedModel) -> bool:
        if self.catalogue.current() == model.name:
            return False
        self.catalogue.use(model.name)
        return True

    def _manifests(self) -> list[Manifest]:
        return [entry.manifest for entry in self.catalogue.entries() if entry.manifest is not None]

    def _here(self) -> frozenset[str]:
        return frozenset(entry.name for entry in self.catalogue.entries() if entry.path is not None)
