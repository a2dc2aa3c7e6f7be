"""Loads the user's model for an eval in this process, and gives it back."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.clock import SystemClock
from codeassistd.config import ModelSettings
from codeassistd.daemon.model import Model
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.context.run import Voice
from codeassistd.paths import Paths

__all__ = ["open_model"]


@contextlib.contextmanager
def open_model(paths: Paths, settings: ModelSettings) -> Iterator[Voice]:
    """The model that `settings` choose, with room for one sequence.

    Raises:
        ModelError: it cannot be had or loaded.
    """
    model = Model(Catalogue(paths), settings.model_copy(update={"n_slots": 1}))
    backend = model.load(lambda _share: True)
    try:
        yield Voice(backend.vocabulary, model.profile_of(backend.vocabulary), SystemClock(), Reader(backend))
    finally:
        backend.close()
