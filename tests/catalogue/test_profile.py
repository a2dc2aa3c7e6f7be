from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from codeassistd.catalogue.profile import FimOrder, Profile, ProfileSpec, resolve_profile
from codeassistd.config import ModelSettings

WITHOUT = "the model has no fill-in-middle markers: it completes from the text before the cursor alone"


@dataclass(frozen=True)
class Lookup:
    """A vocabulary of markers alone."""

    markers: Mapping[str, int] = field(default_factory=dict)
    metadata_markers: Mapping[str, int] = field(default_factory=dict)
    bos_id: int | None = None

    def marker_id(self, marker: str) -> int | None:
        return self.markers.get(marker)


STARCODER = {"<fim_prefix>": 1, "<fim_middle>": 2, "<fim_suffix>": 3, "<file_sep>": 4, "<repo_name>": 5}
OWN = ProfileSpec(FimOrder.SPM, "<a>", "<b>", "<c>", repo="<r>", file_sep="<s>", filename="<n>")
OWN_IDS = {"<a>": 11, "<b>": 12, "<c>": 13, "<r>": 14, "<s>": 15, "<n>": 16}


def test_metadata_comes_before_the_vocabulary() -> None:
    """What the model file declares holds, whatever else its vocabulary has."""
    lookup = Lookup(STARCODER, {"prefix": 7, "suffix": 8, "middle": 9, "repo": 10, "sep": 11}, bos_id=0)
    expected = Profile(FimOrder.PSM, "metadata", prefix=7, suffix=8, middle=9, repo=10, file_sep=11, bos=0)
    assert expected == resolve_profile(lookup, None, ModelSettings())


def test_the_vocabulary_is_searched_for_known_spellings() -> None:
    """Markers that the metadata leaves out are found by their spelling."""
    expected = Profile(FimOrder.PSM, "vocabulary", prefix=1, suffix=3, middle=2, file_sep=4, repo=5)
    assert expected == resolve_profile(Lookup(STARCODER), None, ModelSettings())


def test_incomplete_metadata_is_not_mixed_with_the_vocabulary() -> None:
    """A declared prefix without its fellows is no set of markers; the vocabulary's whole set is taken."""
    lookup = Lookup(STARCODER, {"prefix": 7})
    assert "vocabulary" == resolve_profile(lookup, None, ModelSettings()).source


def test_an_incomplete_set_in_the_vocabulary_is_not_used() -> None:
    """Two of three markers would give a prompt that no model was trained on."""
    lookup = Lookup({"<fim_prefix>": 1, "<fim_suffix>": 3})
    assert Profile(FimOrder.PREFIX, "none", warning=WITHOUT) == resolve_profile(lookup, None, ModelSettings())


def test_the_manifest_knows_unknown_spellings() -> None:
    """A family that is in no table is asked as its manifest says, in its order."""
    expected = Profile(FimOrder.SPM, "manifest", prefix=11, suffix=12, middle=13, repo=14, file_sep=15, filename=16)
    assert expected == resolve_profile(Lookup(OWN_IDS), OWN, ModelSettings())


def test_a_manifest_that_does_not_fit_the_file_is_not_believed() -> None:
    """A marker that the vocabulary spells in pieces is not a marker, whatever the manifest says."""
    lookup = Lookup({"<a>": 11, "<b>": 12})
    assert Profile(FimOrder.PREFIX, "none", warning=WITHOUT) == resolve_profile(lookup, OWN, ModelSettings())


def test_the_manifest_gives_the_order_of_declared_markers() -> None:
    """Metadata names the markers and not their order."""
    lookup = Lookup(metadata_markers={"prefix": 7, "suffix": 8, "middle": 9})
    expected = Profile(FimOrder.SPM, "metadata", prefix=7, suffix=8, middle=9)
    assert expected == resolve_profile(lookup, OWN, ModelSettings())


def test_a_family_gives_the_order_of_declared_markers() -> None:
    """Codestral is suffix-first and has no middle marker, by whatever way its markers are found."""
    lookup = Lookup({"[PREFIX]": 8, "[SUFFIX]": 9}, {"prefix": 8, "suffix": 9})
    expected = Profile(FimOrder.SPM, "metadata", prefix=8, suffix=9, middle=None)
    assert expected == resolve_profile(lookup, None, ModelSettings())


def test_a_manifest_can_say_prefix_only() -> None:
    """A chat model that carries its family's markers untrained is not asked with them."""
    lookup = Lookup(STARCODER)
    expected = Profile(FimOrder.PREFIX, "none", repo=5, file_sep=4, warning=WITHOUT)
    assert expected == resolve_profile(lookup, ProfileSpec(), ModelSettings())


def test_markers_set_by_hand_come_first() -> None:
    """The user's word is taken if the vocabulary has it, in the order of the family it is spelled like."""
    lookup = Lookup({**STARCODER, "<x>": 21, "<y>": 22, "<z>": 23}, {"prefix": 7, "suffix": 8, "middle": 9})
    settings = ModelSettings(fim_prefix="<x>", fim_suffix="<y>", fim_middle="<z>")
    expected = Profile(FimOrder.PSM, "settings", prefix=21, suffix=22, middle=23, repo=5, file_sep=4)
    assert expected == resolve_profile(lookup, None, settings)


def test_markers_by_hand_without_a_middle_put_the_prefix_last() -> None:
    """Without a middle marker the model goes on from whatever is last, which must be the prefix."""
    settings = ModelSettings(fim_prefix="<fim_prefix>", fim_suffix="<fim_suffix>")
    profile = resolve_profile(Lookup(STARCODER), None, settings)
    assert (FimOrder.SPM, "settings", 1, 3, None) == (
        profile.order,
        profile.source,
        profile.prefix,
        profile.suffix,
        profile.middle,
    )


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        (
            ModelSettings(fim_prefix="<no>", fim_suffix="<fim_suffix>"),
            "the marker '<no>' set by hand is not a single token of this model; it is ignored",
        ),
        (
            ModelSettings(fim_middle="<fim_middle>"),
            "model.fim_prefix and model.fim_suffix must both be set; they are ignored",
        ),
    ],
)
def test_wrong_markers_by_hand_are_ignored_with_one_warning(settings: ModelSettings, warning: str) -> None:
    """The model still completes, with the markers it really has."""
    profile = resolve_profile(Lookup(STARCODER), None, settings)
    assert ("vocabulary", warning) == (profile.source, profile.warning)


def test_prefix_only_can_be_demanded() -> None:
    """The user may have the suffix left out, without being warned of it."""
    settings = ModelSettings(fim="prefix-only")
    expected = Profile(FimOrder.PREFIX, "none", repo=5, file_sep=4)
    assert expected == resolve_profile(Lookup(STARCODER), None, settings)


def test_a_model_without_markers_can_be_refused() -> None:
    """The refusal names the setting that asks for it."""
    profile = resolve_profile(Lookup(bos_id=2), None, ModelSettings(fim="refuse"))
    assert (True, FimOrder.PREFIX, 2) == (profile.refused, profile.order, profile.bos)
    assert profile.warning.endswith(
        'model.fim is "refuse": nothing is completed; choose another model or set model.fim'
    )
    assert not resolve_profile(Lookup(STARCODER), None, ModelSettings(fim="refuse")).refused


def test_both_spellings_of_a_repositorys_name() -> None:
    """SmolLM2 has both, and was trained with the first."""
    lookup = Lookup({"<repo_name>": 3, "<reponame>": 4, "<file_sep>": 5, "<filename>": 6})
    profile = resolve_profile(lookup, ProfileSpec(), ModelSettings())
    assert (3, 5, 6) == (profile.repo, profile.file_sep, profile.filename)
