"""The models of this user: those that can be had, those that are here, and the one in use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from codeassistd.catalogue.manifest import Licence, Manifest
from codeassistd.paths import Paths

__all__ = ["Catalogue", "ModelEntry", "PullProgress", "ResolvedModel", "accept_none"]


@dataclass(frozen=True, slots=True)
class PullProgress:
    """How far a pull is.

    Attributes:
        what: what is being done, for people: `wheel 2 of 4`, `checking`, `waiting for another pull of starter`.
        done_bytes: finished bytes of this step; starts above 0 when a download is resumed.
        total_bytes: size of this step; None where unknown.
    """

    what: str
    done_bytes: int
    total_bytes: int | None


OnProgress = Callable[[PullProgress], None]
AcceptLicence = Callable[[Licence], bool]


def accept_none(licence: Licence) -> bool:
    """Accept no licence that asks for it: the pull ends in LicenceError."""
    del licence
    return False


@dataclass(frozen=True, slots=True)
class ModelEntry:
    """One line of `model list`.

    Attributes:
        name: the manifest's name, or the path of a GGUF file chosen by `use`.
        manifest: None for a GGUF file chosen by its path.
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
    """A model file that is on this machine; `manifest` is None for a bare GGUF path."""

    name: str
    path: Path
    manifest: Manifest | None


class Catalogue:
    """Lists, pulls, chooses and removes models. Safe to use from several processes at once."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths

    def entries(self) -> list[ModelEntry]:
        """All models by name, and the chosen GGUF file where it is none of them.

        Raises:
            ConfigError: a manifest of the user's own cannot be read.
        """
        raise NotImplementedError

    def manifest(self, name: str) -> Manifest:
        """The manifest of that name.

        Raises:
            UnknownModelError: there is none; the message names the nearest.
        """
        raise NotImplementedError

    def resolve(self, name_or_path: str) -> ResolvedModel:
        """The file behind a manifest's name or the path of a GGUF file.

        Raises:
            UnknownModelError: no manifest has this name and no file this path; the message names the nearest.
            ModelError: known but not pulled; the message says `codeassistd model pull NAME`.
        """
        raise NotImplementedError

    def pull(self, name: str, on_progress: OnProgress, accept: AcceptLicence = accept_none) -> ResolvedModel:
        """Fetch a model, check it and keep it; at once if it is here already.

        Args:
            accept: asked with the licence where it must be agreed to and was not before; True is remembered.

        Raises:
            UnknownModelError: no manifest has this name.
            LicenceError: `accept` answered False.
            PullError: no network, wrong hash, no space, or the server does not have the file.
        """
        raise NotImplementedError

    def use(self, name_or_path: str) -> ResolvedModel:
        """Make a model the current one; raises like `resolve`."""
        raise NotImplementedError

    def remove(self, name: str) -> int:
        """Delete a pulled model, its requantised copies and unfinished downloads; answers the bytes freed.

        A file that was chosen by its path is never deleted.

        Raises:
            UnknownModelError: no manifest has this name.
            ModelError: it is not here.
        """
        raise NotImplementedError

    def current(self) -> str | None:
        """The name or path chosen by `use`; None if nothing was chosen yet."""
        raise NotImplementedError
