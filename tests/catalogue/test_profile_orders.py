"""Profiles of the shipped manifests on tiny models that have the real markers."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from codeassistd.catalogue.manifest import Manifest, read_manifest
from codeassistd.catalogue.profile import FimOrder, resolve_profile
from codeassistd.config import ModelSettings
from codeassistd.testing.tiny_models import TinyModel
from tests.support.tiny_vocabulary import tiny_vocabulary

MANIFESTS = [read_manifest(path) for path in sorted(Path(str(resources.files("codeassistd_models"))).glob("*.toml"))]


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda manifest: manifest.name)
def test_each_shipped_profile_works_on_a_file_with_its_markers(manifest: Manifest, tmp_path: Path) -> None:
    """Every marker that a manifest spells is one token for llama.cpp, and ends in the right place of the profile."""
    spec = manifest.profile
    spelled = {
        part: spelling
        for part in ("prefix", "suffix", "middle", "repo", "file_sep", "filename")
        if (spelling := getattr(spec, part))
    }
    model = TinyModel(tuple(spelled.values()))
    with tiny_vocabulary(tmp_path, model) as vocabulary:
        profile = resolve_profile(vocabulary, spec, ModelSettings())
    assert spec.order == profile.order
    assert {part: model.id_of(spelling) for part, spelling in spelled.items()} == {
        part: getattr(profile, part) for part in spelled
    }
    assert (spec.order is FimOrder.PREFIX) == bool(profile.warning)
