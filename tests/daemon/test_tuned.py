"""What `tune` has found: kept by machine and model, and below all that the user has set."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.config import Settings
from codeassistd.config_layers import TUNED
from codeassistd.daemon.assembly import build_daemon
from codeassistd.daemon.tuned import (
    BegunStep,
    TunedProfile,
    TunedStep,
    TypingSpeed,
    load_tuned,
    machine_id,
    profiles_of,
    retuned,
)
from codeassistd.errors import ConfigError
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.tiny_models import write_tiny_model
from codeassistd_lsp.session_settings import SessionSettings


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return Paths.resolve({"CODEASSISTD_HOME": str(tmp_path)})


def step(name: str, *, is_kept: bool = True, **values: str) -> TunedStep:
    settings = {key.replace("__", "."): value for key, value in values.items()}
    return TunedStep(name, settings, is_kept, "faster", 0.8, 0.7, 0.9, 40, 0.001)


def profile(*steps: TunedStep, model: str = "starter", machine: str = "") -> TunedProfile:
    return TunedProfile(model, machine or machine_id(), steps, TypingSpeed(80.0, 300.0, 100))


def test_kept_steps_are_in_force_and_a_later_one_outranks(paths: Paths) -> None:
    """What was rolled back is not."""
    steps = (
        step("batch", model__n_batch="256"),
        step("batch", model__n_batch="128"),
        step("threads", is_kept=False, model__threads="1"),
    )
    profiles_of(paths).keep(profile(*steps))
    loaded = load_tuned(paths)
    assert (128, 0) == (loaded.settings.model.n_batch, loaded.settings.model.threads)
    assert (TUNED, "default") == (loaded.origins["model.n_batch"], loaded.origins["model.threads"])
    assert {"model.n_batch": "128"} == loaded.tuned


def test_what_the_user_has_set_wins(paths: Paths) -> None:
    """In his file or on the command line; `tuned` tells still what was found."""
    profiles_of(paths).keep(profile(step("batch", model__n_batch="256", model__max_draft="8")))
    paths.config_dir.mkdir(parents=True)
    paths.config_file.write_text("[model]\nn_batch = 64\n")
    loaded = load_tuned(paths, {"model.max_draft": "2"})
    assert (64, 2) == (loaded.settings.model.n_batch, loaded.settings.model.max_draft)
    assert {"model.n_batch": "256", "model.max_draft": "8"} == loaded.tuned


@pytest.mark.parametrize(("model", "machine"), [("other", ""), ("starter", "another machine")])
def test_other_models_and_machines_have_their_own(model: str, machine: str, paths: Paths) -> None:
    """What helps one harms another."""
    profiles_of(paths).keep(profile(step("batch", model__n_batch="256"), model=model, machine=machine))
    assert 512 == load_tuned(paths).settings.model.n_batch


def test_it_is_read_as_it_was_written_and_forgotten_alone(paths: Paths) -> None:
    """One profile of two goes."""
    mine, other = profile(step("batch", model__n_batch="256")), profile(model="other")
    profiles_of(paths).keep(mine).keep(other)
    assert (mine, other) == (
        profiles_of(paths).of(machine_id(), "starter"),
        profiles_of(paths).of(machine_id(), "other"),
    )
    profiles_of(paths).without(mine)
    assert (TunedProfile("starter", machine_id()), other) == (
        profiles_of(paths).of(machine_id(), "starter"),
        profiles_of(paths).of(machine_id(), "other"),
    )


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        '{"schema": 2}',
        '{"schema": 1, "profiles": [{"model": 1}]}',
        '{"schema": 1, "profiles": [{"model": [], "machine": [], "steps": [], "before": null, "after": null}]}',
        json.dumps(
            {
                "schema": 1,
                "profiles": [
                    {
                        "model": "starter",
                        "machine": machine_id(),
                        "steps": [{"step": "batch", "values": None, "is_kept": True, "reason": ""}],
                        "before": None,
                        "after": None,
                    }
                ],
            }
        ),
        "\x00",
    ],
)
def test_a_damaged_file_has_no_profiles(content: str, paths: Paths) -> None:
    """All of it can be measured again, so nobody is troubled."""
    paths.state_dir.mkdir(parents=True)
    paths.tuned_file.write_text(content)
    assert {} == profiles_of(paths).by_key
    assert {} == load_tuned(paths).tuned


def test_values_of_another_version_are_left_out(paths: Paths) -> None:
    """A name that is gone is dropped, and with a value that is not allowed any more the profile is."""
    profiles_of(paths).keep(profile(step("x", model__gone="1", model__n_batch="256")))
    assert (256, {"model.n_batch": "256"}) == (load_tuned(paths).settings.model.n_batch, load_tuned(paths).tuned)
    profiles_of(paths).keep(profile(step("x", model__n_batch="1")))
    assert (512, {}) == (load_tuned(paths).settings.model.n_batch, load_tuned(paths).tuned)


def test_an_error_of_the_user_is_still_told(paths: Paths) -> None:
    """A profile hides no mistake in the settings file."""
    profiles_of(paths).keep(profile(step("batch", model__n_batch="256")))
    paths.config_dir.mkdir(parents=True)
    paths.config_file.write_text("[model]\nn_batch = 1\n")
    with pytest.raises(ConfigError, match="n_batch"):
        load_tuned(paths)


def test_a_step_is_rolled_back_by_its_name() -> None:
    """All of that kind; what was measured after them counts no longer, and that they were tried stays known."""
    rolled = profile(step("batch", model__n_batch="256"), step("threads", model__threads="1"))
    back = rolled.rolled_back("batch")
    assert {"model.threads": "1"} == back.values
    assert back.steps[0].reason.startswith("rolled back by hand; was: faster")
    assert back.has_tried("batch", {"model.n_batch": "256"})
    assert not back.has_tried("batch", {"model.n_batch": "128"})


def test_the_file_is_private_and_plain(paths: Paths) -> None:
    """JSON for whoever wants to look, readable by the owner alone."""
    profiles_of(paths).keep(profile(step("batch", model__n_batch="256")))
    content = json.loads(paths.tuned_file.read_text())
    assert ["starter"] == [known["model"] for known in content["profiles"]]
    assert 0o600 == paths.tuned_file.stat().st_mode & 0o777


async def test_status_tells_the_profile_beside_what_is_in_force(paths: Paths) -> None:
    """A setting of the user's own is in force, though the profile says otherwise."""
    profiles_of(paths).keep(profile(step("batch", model__n_batch="256", model__max_draft="8")))
    loaded = load_tuned(paths, {"model.max_draft": "2", "index.enabled": "false"})
    daemon = build_daemon(paths, loaded.settings, FakeClock(), FakeBackend().load, tuned=loaded.tuned)
    told = daemon.status()["tuned"]
    await daemon.stop()
    assert {
        "asked": {"model.n_batch": "256", "model.max_draft": "8"},
        "effective": {"model.n_batch": 256, "model.max_draft": 2},
    } == told


async def test_another_model_comes_with_its_own_values(paths: Paths, tmp_path: Path) -> None:
    """While the daemon runs: the values of the one before are gone, those of the user stay, and sessions hear of it."""
    other = str(write_tiny_model(tmp_path / "tiny.gguf"))
    started = {"model.max_draft": "2", "index.enabled": "false"}
    first = step("batch", model__n_batch="256", model__max_draft="8", context__max_tokens="1024")
    profiles_of(paths).keep(profile(first))
    profiles_of(paths).keep(profile(step("threads", model__threads="1"), model=other))
    settle = partial(load_tuned, paths, started)
    loaded = settle()
    daemon = build_daemon(paths, loaded.settings, FakeClock(), FakeBackend().load, tuned=loaded.tuned, settle=settle)
    session = SessionSettings(paths, lambda: daemon.settings)
    assert (256, 0, 2) == in_force(daemon.settings)
    assert 1024 == session.of(None).context.max_tokens
    Catalogue(paths).use(other)
    daemon.start()
    daemon.reload_model()
    await daemon.stop()
    assert (512, 1, 2) == in_force(daemon.settings)
    assert daemon.settings.model == daemon.model.settings
    assert {"model.threads": "1"} == daemon.tuned
    assert Settings().context.max_tokens == session.of(None).context.max_tokens


def test_nothing_but_tuned_values_changes_with_the_model(paths: Paths) -> None:
    """What is in force is so until the daemon ends, whatever the file says by now."""
    profiles_of(paths).keep(profile(step("batch", model__n_batch="256")))
    before = load_tuned(paths)
    paths.config_dir.mkdir(parents=True)
    paths.config_file.write_text("[model]\nn_ctx = 2048\n")
    profiles_of(paths).keep(profile(step("threads", model__threads="1")))
    now = retuned(before.settings, before.tuned, load_tuned(paths))
    assert (512, 1, before.settings.model.n_ctx) == (now.model.n_batch, now.model.threads, now.model.n_ctx)


def in_force(settings: Settings) -> tuple[int, int, int]:
    return settings.model.n_batch, settings.model.threads, settings.model.max_draft


def test_a_begun_step_is_read_as_it_was_written(paths: Paths) -> None:
    """It goes on for its own change alone, and a rollback makes it void: it was typed on top of that."""
    begun = BegunStep("threads", {"model.threads": "1"}, (((80.0, 60.5), (70.0, 90.0)), ()))
    known = replace(profile(step("batch", model__n_batch="256")), begun=begun)
    profiles_of(paths).keep(known)
    assert known == profiles_of(paths).of(machine_id(), "starter")
    assert begun == known.begun_with("threads", {"model.threads": "1"})
    assert BegunStep("batch", {}) == known.begun_with("batch", {})
    assert None is known.rolled_back("batch").begun
