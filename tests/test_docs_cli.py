from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.models import CommandInfo

from codeassistd.cli.app import VERBS, application
from codeassistd.cli.settings_page import settings_page
from codeassistd.config_layers import setting_fields

REPO = Path(__file__).resolve().parent.parent


def commands(app: typer.Typer, prefix: str = "") -> Iterator[tuple[str, CommandInfo]]:
    """Every verb with its sub-verbs, as typed."""
    for command in app.registered_commands:
        yield f"{prefix}{command.name}", command
    for group in app.registered_groups:
        assert group.typer_instance is not None
        yield from commands(group.typer_instance, f"{prefix}{group.name} ")


ALL = dict(commands(application()))


def test_the_table_of_verbs_is_complete() -> None:
    """Each verb of the table is registered by its module, and no module registers another."""
    assert sorted(VERBS) == sorted({verb.partition(" ")[0] for verb in ALL})


@pytest.mark.parametrize("verb", ALL)
def test_every_verb_has_help(verb: str) -> None:
    """The docstring of a verb is its help page, so there is none without."""
    callback = ALL[verb].callback

    assert callback is not None
    assert (callback.__doc__ or "").strip()


@pytest.mark.parametrize("verb", ALL)
def test_every_verb_is_in_the_table_of_commands(verb: str) -> None:
    """docs/commands.md names them all."""
    assert f"`codeassistd {verb}" in (REPO / "docs" / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_in_the_readme(verb: str) -> None:
    """A reader of the README alone learns of each verb."""
    assert f"codeassistd {verb}" in (REPO / "README.md").read_text(encoding="utf-8")


def test_the_page_of_settings_is_up_to_date() -> None:
    """docs/settings.md is what `codeassistd config docs` prints."""
    assert settings_page() == (REPO / "docs" / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", setting_fields())
def test_every_setting_is_described(key: str) -> None:
    """A setting without a sentence about its meaning cannot be used."""
    assert (setting_fields()[key].description or "").strip()
