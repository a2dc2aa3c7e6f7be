"""How a model wants a completion asked: its fill-in-middle markers and their order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["FimOrder", "Profile", "ProfileSpec"]


class FimOrder(StrEnum):
    """Order of the parts of a prompt."""

    PSM = "psm"
    """Prefix, suffix, middle."""
    SPM = "spm"
    """Suffix, prefix, middle."""
    PREFIX = "prefix"
    """The prefix alone, for models without markers."""


@dataclass(frozen=True, slots=True)
class ProfileSpec:
    """What a manifest says about a model's profile: markers as they are spelled, empty where there are none."""

    order: FimOrder = FimOrder.PREFIX
    prefix: str = ""
    suffix: str = ""
    middle: str = ""
    repo: str = ""
    file_sep: str = ""
    filename: str = ""


@dataclass(frozen=True, slots=True)
class Profile:
    """Token ids of the markers a prompt needs; None where the model has none.

    Attributes:
        source: where the markers were found: `settings`, `metadata`, `vocabulary`, `manifest` or `none`.
        middle: None in a fill-in-middle order means that the middle follows the last part directly (Codestral).
        refused: the model has no markers and the settings refuse such models: complete nothing, and say so.
        bos: must stand first in every prompt.
        repo, file_sep: begin a repository's name and a file in repository-level prompts.
        filename: begins a file's name in models that mark it apart (the starter).
        warning: one line for `status`, or empty.
    """

    order: FimOrder
    source: str
    prefix: int | None = None
    suffix: int | None = None
    middle: int | None = None
    repo: int | None = None
    file_sep: int | None = None
    filename: int | None = None
    bos: int | None = None
    refused: bool = False
    warning: str = ""
