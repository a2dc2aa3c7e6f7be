"""Case 26, the model's half: in which order the parts of a prompt stand, and which markers begin them."""

from __future__ import annotations

from pathlib import Path

from codeassistd.catalogue.profile import FimOrder, Profile, resolve_profile
from codeassistd.config import ModelSettings
from codeassistd.testing.tiny_models import CODESTRAL, STARCODER, TinyModel
from tests.support.tiny_vocabulary import tiny_vocabulary


def test_a_model_trained_prefix_first(tmp_path: Path) -> None:
    """Prefix, suffix, middle, each behind its own marker, and the begin token in front where the model wants one."""
    with tiny_vocabulary(tmp_path, TinyModel(STARCODER, bos=True)) as vocabulary:
        expected = Profile(
            FimOrder.PSM, "vocabulary", prefix=262, middle=263, suffix=264, repo=265, file_sep=266, bos=257
        )
        assert expected == resolve_profile(vocabulary, None, ModelSettings())


def test_a_model_trained_suffix_first(tmp_path: Path) -> None:
    """Suffix, then prefix, and no marker before the middle, which goes on from the prefix."""
    with tiny_vocabulary(tmp_path, TinyModel(CODESTRAL, bos=True)) as vocabulary:
        expected = Profile(FimOrder.SPM, "vocabulary", prefix=262, suffix=263, middle=None, bos=257)
        assert expected == resolve_profile(vocabulary, None, ModelSettings())
