"""Case 24: models without fill-in-middle data, or with it in unusual places."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.catalogue.profile import FimOrder, Profile, resolve_profile
from codeassistd.config import ModelSettings
from codeassistd.testing.tiny_models import CODESTRAL, DEEPSEEK, QWEN, STARCODER, TinyModel
from tests.support.tiny_vocabulary import tiny_vocabulary

FIRST = 262
"""Id of a tiny model's first marker: after 256 bytes, two control tokens and four merged ones."""


def profile_of(folder: Path, model: TinyModel, settings: ModelSettings | None = None) -> Profile:
    with tiny_vocabulary(folder, model) as vocabulary:
        return resolve_profile(vocabulary, None, settings or ModelSettings())


def test_markers_in_the_metadata_are_taken(tmp_path: Path) -> None:
    """A file that declares its markers is believed, even where their spelling is unheard of."""
    model = TinyModel(("<p>", "<s>2", "<m>"), {"prefix": "<p>", "suffix": "<s>2", "middle": "<m>"})
    expected = Profile(FimOrder.PSM, "metadata", prefix=FIRST, suffix=FIRST + 1, middle=FIRST + 2)
    assert expected == profile_of(tmp_path, model)


@pytest.mark.parametrize(
    ("markers", "expected"),
    [
        (QWEN, Profile(FimOrder.PSM, "vocabulary", prefix=262, middle=263, suffix=264, repo=265, file_sep=266)),
        (STARCODER, Profile(FimOrder.PSM, "vocabulary", prefix=262, middle=263, suffix=264, repo=265, file_sep=266)),
        (DEEPSEEK, Profile(FimOrder.PSM, "vocabulary", prefix=262, suffix=263, middle=264)),
        (CODESTRAL, Profile(FimOrder.SPM, "vocabulary", prefix=262, suffix=263)),
    ],
    ids=["qwen", "starcoder", "deepseek", "codestral"],
)
def test_markers_only_in_the_vocabulary_are_found(tmp_path: Path, markers: tuple[str, ...], expected: Profile) -> None:
    """Each known family is recognised through llama.cpp's own tokenizer, without any metadata."""
    assert expected == profile_of(tmp_path, TinyModel(markers))


def test_a_marker_in_several_tokens_is_not_used(tmp_path: Path) -> None:
    """A family with its middle marker missing is no family: the spelling would be read as ordinary letters."""
    profile = profile_of(tmp_path, TinyModel(("<|fim_prefix|>", "<|fim_suffix|>")))
    assert (FimOrder.PREFIX, "none", None) == (profile.order, profile.source, profile.prefix)


def test_without_any_markers_it_completes_from_the_prefix_and_says_so(tmp_path: Path) -> None:
    """A plain model works, with one line for `status`."""
    profile = profile_of(tmp_path, TinyModel(bos=True))
    warning = "the model has no fill-in-middle markers: it completes from the text before the cursor alone"
    assert Profile(FimOrder.PREFIX, "none", bos=257, warning=warning) == profile


def test_without_any_markers_it_refuses_where_that_is_configured(tmp_path: Path) -> None:
    """The daemon starts all the same, and says why nothing is completed."""
    profile = profile_of(tmp_path, TinyModel(), ModelSettings(fim="refuse"))
    assert profile.refused
    assert "\n" not in profile.warning


def test_markers_can_be_set_by_hand(tmp_path: Path) -> None:
    """An unknown family is asked with the markers that the user names, if each is one token."""
    markers = ("<pre>", "<suf>", "<mid>")
    by_hand = ModelSettings(fim_prefix="<pre>", fim_suffix="<suf>", fim_middle="<mid>")
    expected = Profile(FimOrder.PSM, "settings", prefix=FIRST, suffix=FIRST + 1, middle=FIRST + 2)
    assert expected == profile_of(tmp_path, TinyModel(markers), by_hand)


def test_a_marker_by_hand_in_several_tokens_is_refused_in_words(tmp_path: Path) -> None:
    """A misspelled marker is named, and the model completes from the prefix."""
    by_hand = ModelSettings(fim_prefix="<pre>", fim_suffix="<suf>", fim_middle="<mid>")
    profile = profile_of(tmp_path, TinyModel(("<pre>", "<suf>")), by_hand)
    assert "none" == profile.source
    assert profile.warning.startswith("the marker '<mid>' set by hand is not a single token of this model")
