"""What a machine, a model and a user's settings leave to be tried, and who must not be disturbed meanwhile."""

from __future__ import annotations

import psutil

from codeassistd.bench.engine.run import refuse_beside_a_daemon
from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.config_layers import TUNED, Loaded
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.daemon.model_files import chosen_model
from codeassistd.engine.llama.load import this_machine
from codeassistd.engine.llama.quantise import read_by_processor
from codeassistd.errors import DaemonError, ModelError
from codeassistd.paths import Paths
from codeassistd.tuning.changes import Situation

__all__ = ["active_editors", "look_at", "refuse_beside_others"]

_OPEN_ORIGINS = frozenset({"default", TUNED})


def look_at(paths: Paths, loaded: Loaded) -> Situation:
    """What can be tried with the chosen model on this machine.

    Args:
        paths: where models lie.
        loaded: the settings without any profile.

    Raises:
        ModelError: the model is not here.
    """
    catalogue = Catalogue(paths)
    settings = loaded.settings
    manifest = catalogue.resolve(chosen_model(catalogue, settings.model)).manifest
    machine = this_machine()
    return Situation(
        settings=settings,
        set_by_user=frozenset(key for key, origin in loaded.origins.items() if origin not in _OPEN_ORIGINS),
        n_cores=machine.n_cores,
        n_logical=psutil.cpu_count() or machine.n_cores,
        has_gpu=not read_by_processor(settings.model.gpu_layers),
        may_repack=manifest is not None and manifest.repack and settings.model.repack,
        has_drafter=manifest is not None and _is_here(catalogue, manifest.drafter),
    )


def refuse_beside_others(paths: Paths) -> None:
    """See that nobody works with a model here.

    Raises:
        DaemonError: a daemon holds a model, or an editor is connected to one that does not.
    """
    refuse_beside_a_daemon(paths)
    editors = active_editors(paths)
    if editors:
        raise DaemonError(f"{editors}; close it first, or tune all the same with --beside")


def active_editors(paths: Paths) -> str:
    """That an editor is connected to the daemon, in words; empty if none is."""
    connection = Launcher(paths).connect(Kind.CONTROL)
    if connection is None:
        return ""
    try:
        with ControlClient(connection) as daemon:
            sessions = daemon.call("status")["sessions"]
    except DaemonError:
        return ""  # it ended just now
    names = ", ".join(sorted({str(session["client"] or session["id"]) for session in sessions}))
    return f"an editor is connected ({names})" if names else ""


def _is_here(catalogue: Catalogue, name: str) -> bool:
    if not name:
        return False
    try:
        catalogue.resolve(name)
    except ModelError:
        return False
    return True
