"""Puts a run of `tune` together: the machine as it is, what to try, how to measure, and where results go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from codeassistd.clock import Clock, SystemClock
from codeassistd.config_layers import Loaded, load
from codeassistd.daemon.tuned import TunedProfile, profile_in_force, profiles_of
from codeassistd.paths import Paths
from codeassistd.tuning.changes import changes_for
from codeassistd.tuning.library_measure import LibraryMeasure
from codeassistd.tuning.situation import active_editors, look_at, refuse_beside_others
from codeassistd.tuning.tuner import Measure, Plan, Tuner

__all__ = ["TuneOptions", "run_tune"]


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """How to run.

    Attributes:
        budget_s: no change is begun after that time.
        beside: also while a daemon holds a model or an editor is connected.
    """

    budget_s: float
    beside: bool = False


def run_tune(
    paths: Paths,
    loaded: Loaded,
    options: TuneOptions,
    tell: Callable[[str, str], None],
    *,
    measure: Measure | None = None,
    clock: Clock | None = None,
) -> tuple[TunedProfile, str]:
    """Try what is left to be tried; each finished step is on the disk when the next begins. Blocks.

    Args:
        paths: where everything lies.
        loaded: the user's settings, without any profile.
        options: how to run.
        tell: told what begins or goes on, and how far it is.
        measure: by typing in the library, unless another one is given.
        clock: the system's, unless another one is given.

    Returns:
        The profile, and why not all was tried, or an empty text.

    Raises:
        DaemonError: a daemon holds a model or an editor is connected.
        ModelError: the model is not here or cannot be loaded.
        CodeassistdError: the settings in force cannot be measured.
    """
    if not options.beside:
        refuse_beside_others(paths)
    changes = changes_for(look_at(paths, loaded))
    tuner = Tuner(
        measure or LibraryMeasure(paths),
        clock or SystemClock(),
        lambda profile: _keep(paths, profile),
        tell,
        lambda: "" if options.beside else active_editors(paths),
    )
    plan = Plan(lambda values: load(paths, tuned=values).settings, changes, options.budget_s)
    return tuner.run(profile_in_force(paths, loaded), plan)


def _keep(paths: Paths, profile: TunedProfile) -> None:
    # Read anew each time: somebody may have rolled back another model's step meanwhile.
    profiles_of(paths).keep(profile)
