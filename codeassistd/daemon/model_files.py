"""Which file the engine loads: the chosen model, or its copy in the format that this machine reads fastest."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from codeassistd.catalogue.catalogue import Catalogue, ResolvedModel
from codeassistd.catalogue.manifest import Manifest
from codeassistd.config import ModelSettings
from codeassistd.errors import DaemonError, ModelError, ModelLoadError
from codeassistd.paths import make_private_dir

if TYPE_CHECKING:
    from codeassistd.engine.llama.quantise import FileType

__all__ = ["PreparedModel", "chosen_model", "prepare_model"]

_OWN_DRAFT = "auto"


@dataclass(frozen=True, slots=True)
class PreparedModel:
    """A model file ready to load.

    Attributes:
        name: of the manifest, or the path of a bare GGUF file.
        path: the file to load.
        manifest: None for a bare GGUF file.
        asked, effective: for `status`: the model and number format as wished and as they are.
        warnings: one line per fallback.
        draft: the file of the model that guesses for it; None for none.
    """

    name: str
    path: Path
    manifest: Manifest | None
    asked: tuple[tuple[str, str], ...]
    effective: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...] = ()
    draft: Path | None = None


def chosen_model(catalogue: Catalogue, settings: ModelSettings) -> str:
    """The model in force: a name set by hand, else the one of `model use`, else the default.

    Raises:
        ModelError: the file that remembers `model use` is damaged.
    """
    by_hand = "name" in settings.model_fields_set
    return settings.name if by_hand else catalogue.current() or settings.name


def prepare_model(catalogue: Catalogue, settings: ModelSettings) -> PreparedModel:
    """Find the chosen model's file, and make its copy for this processor where that is wanted and missing.

    The copy (0.4 s for the starter) is made once and kept beside the original, and made anew if it was damaged. If it
    cannot be made, the original is loaded, slower, with a warning. Blocks: call it on a thread.

    Raises:
        UnknownModelError: no such model or file.
        ModelError: the model was not pulled; the message names the command.
        ModelLoadError: the file is not a GGUF, or shorter than it was pulled.
    """
    name = chosen_model(catalogue, settings)
    model = catalogue.resolve(name)
    asked = (("model", name), ("repack", "yes" if settings.repack else "no"), ("draft", settings.draft or "none"))
    path, file_type, problem = _file_to_load(model, settings)
    draft, draft_problem = _draft_of(model, catalogue, settings)
    warnings = tuple(line for line in (problem, draft_problem) if line)
    effective = (("model", model.name), ("file_type", file_type))
    return PreparedModel(model.name, path, model.manifest, asked, effective, warnings, draft)


def _file_to_load(model: ResolvedModel, settings: ModelSettings) -> tuple[Path, str, str]:
    """The file, its number format, and why it is not the one that would be read fastest, or an empty text."""
    # Here, so that `doctor` can ask for the chosen model where the library cannot be loaded.
    from codeassistd.engine.llama.quantise import FileType, read_by_processor  # noqa: PLC0415 - see above

    problem = ""
    allowed = settings.repack and model.manifest is not None and model.manifest.repack
    copy = model.repacked_as(settings.repack_type)
    if allowed and copy is not None and read_by_processor(settings.gpu_layers):
        file_type = FileType[settings.repack_type.upper()]
        problem = _make_copy(model, copy, file_type, settings.threads)
        if not problem:
            return copy, file_type.name, ""
    return model.path, "as published", problem


def _draft_of(model: ResolvedModel, catalogue: Catalogue, settings: ModelSettings) -> tuple[Path | None, str]:
    """The file of the model that guesses for `model`, and why it cannot be had, or an empty text."""
    name, is_own = settings.draft, settings.draft == _OWN_DRAFT
    if is_own:
        name = model.manifest.drafter if model.manifest is not None else ""
    if not name or settings.max_draft == 0:
        return None, ""
    try:
        return _file_to_load(catalogue.resolve(name), settings)[0], ""
    except ModelError as error:
        return None, "" if is_own else f"the model is used without a draft model: {error}"


def _make_copy(model: ResolvedModel, copy: Path, file_type: FileType, threads: int) -> str:
    """Make the copy if there is no good one; answers why it could not be made, or an empty text."""
    from codeassistd.engine.llama.quantise import requantise  # noqa: PLC0415 - see _file_to_load

    if _is_good(copy, model.path):
        return ""
    try:
        make_private_dir(copy.parent)
        requantise(model.path, copy, file_type, threads)
    except (ModelLoadError, DaemonError) as error:
        return f"{model.name} is read as published, which is slower here: {error}"
    return ""


def _is_good(copy: Path, original: Path) -> bool:
    """Whether the copy is whole and not older than the model."""
    from codeassistd.engine.llama.header import read_header  # noqa: PLC0415 - see _file_to_load

    try:
        # A disk or a sync that cut it is no reason to trouble the user: it is made anew from the original.
        read_header(copy)
    except ModelLoadError:
        return False
    return copy.stat().st_mtime_ns >= original.stat().st_mtime_ns
