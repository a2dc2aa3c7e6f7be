"""The models of this user: those that can be had, those that are here, and the one in use."""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from codeassistd.catalogue.drafts import Drafts
from codeassistd.catalogue.folder import ModelFolder, Record, write_json
from codeassistd.catalogue.lock import file_lock
from codeassistd.catalogue.manifest import Licence, LocalSource, Manifest, read_manifest
from codeassistd.catalogue.progress import OnProgress, PullProgress
from codeassistd.config import ModelSettings
from codeassistd.errors import LicenceError, ModelError, ModelFileError, ModelLoadError, UnknownModelError
from codeassistd.paths import Paths, make_private_dir

if TYPE_CHECKING:
    from codeassistd.catalogue.network import Network

__all__ = ["AcceptLicence", "Catalogue", "ModelEntry", "OnProgress", "PullProgress", "ResolvedModel", "accept_none"]

_GGUF_MAGIC = b"GGUF"

AcceptLicence = Callable[[Licence], bool]
"""Asked whether the user agrees to a licence."""


def accept_none(licence: Licence) -> bool:
    """Accept no licence that asks for it: the pull ends in LicenceError."""
    del licence
    return False


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One line of `model list`.

    Attributes:
        name: the manifest's name, that of a draft model, or the path of a GGUF file chosen by `use`.
        manifest: None for a draft model and for a GGUF file chosen by its path.
        path: the file on this machine; None until pulled.
        is_current: the model that the daemon loads unless the settings name another.
        sha256: the known hash: the manifest's, or the one pinned by the first pull; empty where not known yet.
    """

    name: str
    manifest: Manifest | None
    path: Path | None
    is_current: bool
    sha256: str


@dataclass(frozen=True, slots=True)
class ResolvedModel:
    """A model file that is on this machine.

    Attributes:
        name: the manifest's name, that of a draft model, or the path.
        manifest: None for a draft model and for a bare GGUF path.
        repacked: where the copy in Q4_0 belongs, beside those in other formats; None where the file is taken as it is.
    """

    name: str
    path: Path
    manifest: Manifest | None
    repacked: Path | None = None

    def repacked_as(self, file_type: str) -> Path | None:
        """Where a copy in another number format belongs: in the folder of all that can be made again."""
        return None if self.repacked is None else self.repacked.with_name(f"model.{file_type}.gguf")


class Catalogue:
    """Lists, pulls, chooses and removes models. Safe to use from several processes at once.

    Attributes:
        drafts: the models made by `model draft`.
    """

    def __init__(self, paths: Paths, connect: Callable[[], Network] | None = None) -> None:
        self.drafts = Drafts(paths.drafts_dir)
        self._paths = paths
        self._connect = connect

    def entries(self) -> list[ModelEntry]:
        """All models by name, those made by `model draft`, and the chosen GGUF file where it is none of them.

        Raises:
            ConfigError: a manifest of the user's own cannot be read.
            ModelError: what is remembered about a model is damaged.
        """
        current = self.current() or ModelSettings().name
        manifests = self._manifests()
        entries = [
            ModelEntry(name, manifest, self._here(manifest), name == current, self._known_hash(manifest))
            for name, manifest in sorted(manifests.items())
        ]
        drafts = self.drafts.names()
        entries += [
            ModelEntry(name, None, self.drafts.path_of(name), name == current, sha256="")
            for name in drafts
            if name not in manifests
        ]
        if current not in manifests and current not in drafts:
            path = Path(current)
            entries.append(ModelEntry(current, None, path if path.is_file() else None, is_current=True, sha256=""))
        return entries

    def manifest(self, name: str) -> Manifest:
        """The manifest of that name.

        Raises:
            UnknownModelError: there is none; the message names the nearest.
        """
        manifests = self._manifests()
        if name not in manifests:
            near = difflib.get_close_matches(name, [*manifests, *self.drafts.names()], n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else "`codeassistd model list` shows all"
            raise UnknownModelError(f"no model is named {name!r}; {hint}")
        return manifests[name]

    def resolve(self, name_or_path: str) -> ResolvedModel:
        """The file behind a manifest's name, that of a draft model, or the path of a GGUF file.

        Raises:
            UnknownModelError: no manifest has this name and no file this path; the message names the nearest.
            ModelError: known but not pulled; the message says `codeassistd model pull NAME`.
            ModelFileError: the file is not a GGUF.
            ModelLoadError: it is shorter than it was pulled.
        """
        if name_or_path not in self._manifests():
            draft = self.drafts.find(name_or_path)
            if draft is not None:
                return replace(_bare_file(draft), name=name_or_path)
            if _looks_like_path(name_or_path):
                return _bare_file(Path(name_or_path))
        manifest = self.manifest(name_or_path)
        path = self._here(manifest)
        if path is None:
            if isinstance(manifest.source, LocalSource):
                raise ModelError(f"the file of {manifest.name} is not at {manifest.source.path}; correct its manifest")
            raise ModelError(
                f"{manifest.name} is not on this machine; get it with: codeassistd model pull {manifest.name}"
            )
        self._check_whole(manifest, path)
        return ResolvedModel(manifest.name, path, manifest, self._folder(manifest.name).repacked)

    def pull(self, name: str, on_progress: OnProgress, accept: AcceptLicence = accept_none) -> ResolvedModel:
        """Fetch a model, check it and keep it; at once if it is here already.

        Two processes that pull the same model do it once: the second waits, and says so through `on_progress`.

        Args:
            name: of a manifest.
            on_progress: told how far it is.
            accept: asked with the licence where it must be agreed to and was not before; True is remembered.

        Raises:
            UnknownModelError: no manifest has this name.
            LicenceError: `accept` answered False.
            PullError: no network, wrong hash, no space, or the server does not have the file.
        """
        manifest = self.manifest(name)
        if isinstance(manifest.source, LocalSource):
            return self.resolve(name)
        folder = self._folder(name)
        make_private_dir(self._paths.models_dir)
        make_private_dir(folder.path)
        with file_lock(
            folder.lock_file, lambda: on_progress(PullProgress(f"waiting for another pull of {name}", 0, None))
        ):
            if self._is_whole(manifest):
                return self.resolve(name)
            self._agree(manifest.licence, folder, accept)
            self._fetch(manifest, folder, on_progress)
        return self.resolve(name)

    def use(self, name_or_path: str) -> ResolvedModel:
        """Make a model the current one; raises like `resolve`."""
        model = self.resolve(name_or_path)
        make_private_dir(self._paths.data_dir)
        write_json(self._paths.current_model_file, {"model": model.name})
        return model

    def remove(self, name: str) -> int:
        """Delete a pulled model, its requantised copy and unfinished downloads, or a draft model.

        Answers the bytes freed.

        A file that was chosen by its path, or that a manifest names by its path, is never deleted. The hash of the
        first pull and the accepted licence stay remembered.

        Raises:
            UnknownModelError: no manifest has this name.
            ModelError: it is not here.
        """
        draft = self.drafts.find(name)
        if draft is not None and name not in self._manifests():
            freed = draft.stat().st_size
            draft.unlink()
            return freed
        manifest = self.manifest(name)
        folder = self._folder(name)
        if not folder.path.is_dir():
            raise ModelError(f"{name} is not on this machine; nothing to remove")
        with file_lock(folder.lock_file, lambda: None):
            freed = folder.clear()
        if freed == 0 and not isinstance(manifest.source, LocalSource):
            raise ModelError(f"{name} is not on this machine; nothing to remove")
        return freed

    def current(self) -> str | None:
        """The name or path chosen by `use`; None if nothing was chosen yet.

        Raises:
            ModelError: the file that remembers it is damaged.
        """
        path = self._paths.current_model_file
        try:
            return str(json.loads(path.read_text(encoding="utf-8"))["model"])
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(
                f"{path} cannot be read ({error}); choose anew with: codeassistd model use NAME"
            ) from error

    def _manifests(self) -> dict[str, Manifest]:
        """The shipped manifests, and over them the user's own."""
        manifests: dict[str, Manifest] = {}
        with resources.as_file(resources.files("codeassistd_models")) as shipped:
            for folder in (shipped, self._paths.manifests_dir):
                for path in sorted(folder.glob("*.toml")):
                    manifests[path.stem] = read_manifest(path)
        return manifests

    def _folder(self, name: str) -> ModelFolder:
        return ModelFolder(self._paths.models_dir / name)

    def _here(self, manifest: Manifest) -> Path | None:
        """The model's file; None if there is none, or only that of an older manifest."""
        if isinstance(manifest.source, LocalSource):
            return manifest.source.path if manifest.source.path.is_file() else None
        folder = self._folder(manifest.name)
        if not folder.file.is_file():
            return None
        return folder.file if manifest.sha256 in {"", folder.record().sha256} else None

    def _is_whole(self, manifest: Manifest) -> bool:
        path = self._here(manifest)
        return path is not None and path.stat().st_size == self._folder(manifest.name).record().size_bytes

    def _check_whole(self, manifest: Manifest, path: Path) -> None:
        if isinstance(manifest.source, LocalSource):
            _check_magic(path)
        elif not self._is_whole(manifest):
            pulled = self._folder(manifest.name).record().size_bytes
            raise ModelLoadError(
                f"{path} has {path.stat().st_size} bytes, but was pulled with {pulled}; "
                f"get it again: codeassistd model pull {manifest.name}"
            )

    def _known_hash(self, manifest: Manifest) -> str:
        record = self._folder(manifest.name).record()
        return manifest.sha256 or (record.sha256 if record.origin == str(manifest.source) else "")

    def _agree(self, licence: Licence, folder: ModelFolder, accept: AcceptLicence) -> None:
        terms = f"{licence.name} {licence.url}"
        record = folder.record()
        if not licence.needs_acceptance or record.licence == terms:
            return
        if not accept(licence):
            raise LicenceError(
                f"this model comes under the {licence.name}; read it at {licence.url}, and if you agree, "
                "pull again with --accept-licence"
            )
        folder.remember(replace(record, licence=terms))

    def _fetch(self, manifest: Manifest, folder: ModelFolder, on_progress: OnProgress) -> None:
        # httpx takes 0.2 s and 10 MB to import.
        from codeassistd.catalogue.fetch import fetch_model, open_network  # noqa: PLC0415 - the daemon never pulls

        pinned = self._known_hash(manifest)
        connect = self._connect or open_network
        with connect() as network:
            kept = fetch_model(network, manifest, folder, pinned, on_progress)
        record = folder.record()
        folder.remember(Record(kept.sha256, kept.size_bytes, str(manifest.source), record.licence))


def _looks_like_path(text: str) -> bool:
    return text.endswith(".gguf") or "/" in text or "\\" in text or text.startswith("~")


def _bare_file(given: Path) -> ResolvedModel:
    # Not resolved: a link's own name is what its owner knows it by.
    path = Path(os.path.normpath(given.expanduser().absolute()))
    if not path.is_file():
        raise UnknownModelError(f"there is no model file at {path}; `codeassistd model list` shows the known models")
    _check_magic(path)
    return ResolvedModel(str(path), path, None)


def _check_magic(path: Path) -> None:
    try:
        with path.open("rb") as file:
            magic = file.read(len(_GGUF_MAGIC))
    except OSError as error:
        raise ModelLoadError(f"{path} cannot be read: {error.strerror}") from error
    if magic != _GGUF_MAGIC:
        raise ModelFileError(
            f"{path} is not a GGUF file; choose one that ends in .gguf and comes from a GGUF repository"
        )
