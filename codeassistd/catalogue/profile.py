"""How a model wants a completion asked: its fill-in-middle markers and their order.

`resolve_profile` is pure. It asks the vocabulary that is loaded, never the model's name: a marker counts only if its
spelling is exactly one token there, so a wrong manifest or a renamed file cannot put garbage in a prompt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from codeassistd.config import ModelSettings

__all__ = ["FimOrder", "MarkerLookup", "Profile", "ProfileSpec", "resolve_profile"]


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


class MarkerLookup(Protocol):
    """What a profile needs to know of a vocabulary; the engine's `Vocabulary` has it all."""

    @property
    def bos_id(self) -> int | None:
        """The token every prompt must begin with, if any."""

    @property
    def metadata_markers(self) -> Mapping[str, int]:
        """Markers that the model file declares: some of prefix, suffix, middle, pad, repo, sep."""

    def marker_id(self, marker: str) -> int | None:
        """The id of a spelling that is exactly one control token."""


#: Fill-in-middle markers as the known families spell them. A triple is taken only if the vocabulary has all of it.
_KNOWN_FIM = (
    ProfileSpec(FimOrder.PSM, "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"),  # Qwen, CodeGemma, Granite 4
    ProfileSpec(FimOrder.PSM, "<fim_prefix>", "<fim_suffix>", "<fim_middle>"),  # StarCoder, Granite Code, Refact
    ProfileSpec(FimOrder.PSM, "<fim-prefix>", "<fim-suffix>", "<fim-middle>"),  # SantaCoder
    # DeepSeek-Coder
    ProfileSpec(FimOrder.PSM, "<｜fim▁begin｜>", "<｜fim▁hole｜>", "<｜fim▁end｜>"),  # noqa: RUF001 - its own bars and blocks
    ProfileSpec(FimOrder.PSM, "▁<PRE>", "▁<SUF>", "▁<MID>"),  # CodeLlama
    ProfileSpec(FimOrder.PSM, "<|code_prefix|>", "<|code_suffix|>", "<|code_middle|>"),  # GLM
    # Codestral was trained suffix first, and its middle follows the prefix without a marker.
    ProfileSpec(FimOrder.SPM, "[PREFIX]", "[SUFFIX]"),
)
_KNOWN_REPO = ("<|repo_name|>", "<repo_name>", "<reponame>")
_KNOWN_FILE_SEP = ("<|file_sep|>", "<file_sep>", "<|file_separator|>")
_KNOWN_FILENAME = ("<filename>",)


@dataclass(frozen=True, slots=True)
class _Fim:
    """The markers of one source, as ids."""

    order: FimOrder
    source: str
    prefix: int
    suffix: int
    middle: int | None


def resolve_profile(lookup: MarkerLookup, spec: ProfileSpec | None, settings: ModelSettings) -> Profile:
    """Find how to ask the loaded model.

    Markers set by hand come first, then those in the model file's metadata, then known spellings in the vocabulary,
    then the manifest's. A manifest that says `order = "prefix"` outranks the vocabulary: many chat models carry the
    markers of their family without having been trained on them. `fim = "prefix-only"` outranks all.

    Args:
        lookup: the loaded vocabulary.
        spec: the manifest's word; None for a bare GGUF file.
        settings: markers set by hand, and what to do without any.
    """
    common = _repository_markers(lookup, spec or ProfileSpec())
    if settings.fim == "prefix-only":
        return common
    by_hand, ignored = _from_settings(lookup, spec, settings)
    fim = by_hand or _from_metadata(lookup, spec)
    if fim is None and not (spec is not None and spec.order is FimOrder.PREFIX):
        fim = _first_known(lookup) or _from_manifest(lookup, spec)
    if fim is not None:
        return replace(
            common,
            order=fim.order,
            source=fim.source,
            prefix=fim.prefix,
            suffix=fim.suffix,
            middle=fim.middle,
            warning=ignored,
        )
    without = "the model has no fill-in-middle markers"
    if settings.fim == "refuse":
        refusal = f'{without} and model.fim is "refuse": nothing is completed; choose another model or set model.fim'
        return replace(common, refused=True, warning=_join(ignored, refusal))
    return replace(common, warning=_join(ignored, f"{without}: it completes from the text before the cursor alone"))


def _repository_markers(lookup: MarkerLookup, spec: ProfileSpec) -> Profile:
    """A prefix-only profile with the markers that name repositories and files."""
    declared = lookup.metadata_markers
    return Profile(
        order=FimOrder.PREFIX,
        source="none",
        repo=declared.get("repo", _first_id(lookup, (*_KNOWN_REPO, spec.repo))),
        file_sep=declared.get("sep", _first_id(lookup, (*_KNOWN_FILE_SEP, spec.file_sep))),
        filename=_first_id(lookup, (*_KNOWN_FILENAME, spec.filename)),
        bos=lookup.bos_id,
    )


def _from_settings(lookup: MarkerLookup, spec: ProfileSpec | None, settings: ModelSettings) -> tuple[_Fim | None, str]:
    """The markers set by hand, or why they are ignored."""
    by_hand = ProfileSpec(prefix=settings.fim_prefix, suffix=settings.fim_suffix, middle=settings.fim_middle)
    if by_hand == ProfileSpec():
        return None, ""
    if not (by_hand.prefix and by_hand.suffix):
        return None, "model.fim_prefix and model.fim_suffix must both be set; they are ignored"
    for marker in (by_hand.prefix, by_hand.suffix, by_hand.middle):
        if marker and lookup.marker_id(marker) is None:
            return None, f"the marker {marker!r} set by hand is not a single token of this model; it is ignored"
    return _markers(lookup, replace(by_hand, order=_order_of(by_hand, spec)), "settings"), ""


def _order_of(by_hand: ProfileSpec, spec: ProfileSpec | None) -> FimOrder:
    """The order for markers set by hand: that of the family they are spelled like, else the manifest's, else PSM.

    Without a middle marker the prefix must come last, or the model could not tell where to go on.
    """
    if not by_hand.middle:
        return FimOrder.SPM
    for known in _KNOWN_FIM:
        if (known.prefix, known.suffix) == (by_hand.prefix, by_hand.suffix):
            return known.order
    return spec.order if spec is not None and spec.order is not FimOrder.PREFIX else FimOrder.PSM


def _from_metadata(lookup: MarkerLookup, spec: ProfileSpec | None) -> _Fim | None:
    """Markers that the model file declares; it does not say their order."""
    declared = lookup.metadata_markers
    prefix, suffix, middle = (declared.get(part) for part in ("prefix", "suffix", "middle"))
    if prefix is None or suffix is None:
        return None
    order: FimOrder = FimOrder.PSM
    family = _first_known(lookup)
    if spec is not None and spec.order is not FimOrder.PREFIX:
        order = spec.order
    elif family is not None and (family.prefix, family.suffix) == (prefix, suffix):
        order = family.order
    if middle is None and order is FimOrder.PSM:
        return None
    return _Fim(order, "metadata", prefix, suffix, middle)


def _first_known(lookup: MarkerLookup) -> _Fim | None:
    found = (_markers(lookup, known, "vocabulary") for known in _KNOWN_FIM)
    return next((fim for fim in found if fim is not None), None)


def _from_manifest(lookup: MarkerLookup, spec: ProfileSpec | None) -> _Fim | None:
    return None if spec is None else _markers(lookup, spec, "manifest")


def _markers(lookup: MarkerLookup, spec: ProfileSpec, source: str) -> _Fim | None:
    """The ids of a spelled set of markers; None unless every one of them is a single token."""
    prefix = _first_id(lookup, (spec.prefix,))
    suffix = _first_id(lookup, (spec.suffix,))
    middle = _first_id(lookup, (spec.middle,))
    if prefix is None or suffix is None or (spec.middle and middle is None):
        return None
    return _Fim(spec.order, source, prefix, suffix, middle)


def _first_id(lookup: MarkerLookup, spellings: tuple[str, ...]) -> int | None:
    ids = (lookup.marker_id(spelling) for spelling in spellings if spelling)
    return next((token for token in ids if token is not None), None)


def _join(*warnings: str) -> str:
    return "; ".join(warning for warning in warnings if warning)
