"""The model in force: how the engine loads it, and how it wants to be asked.

Finding, requantising and loading all happen on a thread of their own, so the daemon answers while they take their
time, and a model that is missing or damaged is a state of the engine, not the end of the daemon.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.catalogue.profile import Profile, resolve_profile
from codeassistd.completion.semantic.vectors import HashedVectors, TokenVectors
from codeassistd.config import ModelSettings
from codeassistd.engine.backend import Backend, BackendFactory, LoadProgress, Vocabulary
from codeassistd.errors import ModelError, ModelLoadError

if TYPE_CHECKING:
    from codeassistd.daemon.model_files import PreparedModel

__all__ = ["Model"]

_log = logging.getLogger(__name__)


class Model:
    """Loads what the catalogue and the settings choose; `load` is an engine's factory.

    Attributes:
        settings: what the next load goes by; set on the loop, and replaced as a whole.
        prepared: what was loaded last; None before, or where `substitute` loads.
        profile: how the loaded model is asked; None before the first question.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        settings: ModelSettings,
        substitute: BackendFactory | None = None,
        tried_file: Path | None = None,
    ) -> None:
        """Choose by the catalogue and the settings.

        Args:
            catalogue: where models are.
            settings: what is asked for.
            substitute: loads instead of llama.cpp.
            tried_file: remembers the files that a child has tried before their first load; None loads them untried.
        """
        self._catalogue = catalogue
        self._tried_file = tried_file
        self.settings = settings
        self._substitute = substitute
        # Written as a whole by the thread that loads, read by the loop's.
        self.prepared: PreparedModel | None = None
        self._by_vocabulary: WeakKeyDictionary[Vocabulary, PreparedModel] = WeakKeyDictionary()
        self._known: tuple[Vocabulary, Profile] | None = None

    @property
    def profile(self) -> Profile | None:
        """How the loaded model is asked, for `status`."""
        return self._known[1] if self._known is not None else None

    def load(self, progress: LoadProgress) -> Backend:
        """Load the model; a `BackendFactory`.

        Raises:
            ModelError: it is unknown, not pulled, damaged or too big, with a one-line cause.
        """
        if self._substitute is not None:
            return self._substitute(progress)
        try:
            # Here, on that thread: the library takes long to load, and where it cannot be loaded at all, the
            # daemon still has to say so.
            from codeassistd.daemon.model_files import prepare_model  # noqa: PLC0415 - see above
            from codeassistd.engine.llama.first_load import FirstLoads  # noqa: PLC0415 - see above
            from codeassistd.engine.llama.load import llama_factory  # noqa: PLC0415 - see above
            from codeassistd.engine.llama.params import LlamaOptions  # noqa: PLC0415 - see above
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelLoadError(f"llama.cpp cannot be loaded ({error}); see `codeassistd doctor`") from error
        settings = self.settings
        prepared = prepare_model(self._catalogue, settings)
        options = LlamaOptions.from_settings(prepared.path, settings, prepared.draft)
        first_loads = FirstLoads(self._tried_file) if self._tried_file is not None else None
        backend = llama_factory(options, first_loads=first_loads)(progress)
        # Only now: if the load fails, the model from before goes on.
        self.prepared = self._by_vocabulary[backend.vocabulary] = prepared
        return backend

    def load_logged(self, progress: LoadProgress) -> Backend:
        """Load the model and tell the log how that went; the `BackendFactory` of a daemon, whose users read the log.

        Raises:
            ModelError: see `load`.
        """
        try:
            backend = self.load(progress)
        except ModelError as error:
            _log.error("the model was not loaded: %s", error)
            raise
        if self.prepared is not None:
            _log.info("loaded %s from %s", self.prepared.name, self.prepared.path)
        return backend

    def prepared_of(self, vocabulary: Vocabulary | None) -> PreparedModel | None:
        """What was loaded for the model with this vocabulary, which another load, under way or given up, is not."""
        known = None if vocabulary is None else self._by_vocabulary.get(vocabulary)
        return known or self.prepared

    def profile_of(self, vocabulary: Vocabulary) -> Profile:
        """How the model with this vocabulary is asked."""
        known = self._known
        if known is None or known[0] is not vocabulary:
            prepared = self.prepared_of(vocabulary)
            manifest = prepared.manifest if prepared is not None else None
            spec = manifest.profile if manifest is not None else None
            known = self._known = (vocabulary, resolve_profile(vocabulary, spec, self.settings))
        return known[1]

    def vectors(self) -> TokenVectors:
        """The vectors that the loaded model has for its tokens; reads the head of its file.

        Raises:
            ModelLoadError: it has none that can be read.
        """
        if self._substitute is not None or self.prepared is None:
            return HashedVectors()
        from codeassistd.engine.llama.token_vectors import FileVectors  # noqa: PLC0415 - see load

        return FileVectors(self.prepared.path)
