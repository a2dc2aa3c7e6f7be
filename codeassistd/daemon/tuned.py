"""What `tune` has found out about this machine and a model, and the settings that follow from it.

A profile lies below the user's own settings, so whatever the user has set wins. It counts for one machine and one
model: a home folder may be shared by machines, and what helps one model harms another.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.catalogue.folder import write_json
from codeassistd.config import Settings
from codeassistd.config_layers import Loaded, load, setting_fields
from codeassistd.daemon.model_files import chosen_model
from codeassistd.errors import ConfigError, ModelError
from codeassistd.paths import Paths, make_private_dir

__all__ = [
    "NO_VALUES",
    "WHOLE",
    "BegunStep",
    "Profiles",
    "TunedProfile",
    "TunedStep",
    "TypingSpeed",
    "WholeTried",
    "load_tuned",
    "machine_id",
    "profile_in_force",
    "profiles_of",
    "retuned",
    "spelled",
]

_SCHEMA = 2
"""Of 1 nothing is taken over: what it holds was compared while the model without a change disturbed the one with it."""

NO_VALUES: Mapping[str, str] = {}
"""What a machine that was never tuned has."""

WHOLE = "all that was kept"
"""In the place of a step's name."""


def spelled(values: Mapping[str, str]) -> str:
    """Settings as the command line would have them."""
    return " ".join(f"{key}={value}" for key, value in values.items())


@dataclass(frozen=True, slots=True)
class TypingSpeed:
    """Typed keys until the editor has a suggestion, in milliseconds.

    Attributes:
        n_keys: that got one.
    """

    p50_ms: float
    p90_ms: float
    n_keys: int


@dataclass(frozen=True, slots=True)
class TunedStep:
    """One change that was tried.

    Attributes:
        step: what kind of change, such as `kv-types`.
        values: settings as texts by dotted key.
        is_kept: whether it is in force.
        reason: why, in one line.
        ratio, low, high: time for a key with it to the time without, and the interval of that; None if not measured.
        n_pairs: keys that it was made of.
        nll_change: what it costs in quality, in nats a token against the untuned run; None where the text is the same.
        before_ms, after_ms: the middle one of those keys without it and with it.
    """

    step: str
    values: Mapping[str, str]
    is_kept: bool
    reason: str
    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    n_pairs: int = 0
    nll_change: float | None = None
    before_ms: float | None = None
    after_ms: float | None = None

    @property
    def change(self) -> str:
        """What was changed, as the command line would have it."""
        return spelled(self.values)


@dataclass(frozen=True, slots=True)
class BegunStep:
    """A comparison that was interrupted, so that it can go on.

    Attributes:
        step: of the change, or `WHOLE` for all that was kept against nothing.
        stretches: that were typed, each as the times for its keys without the values and with them, in milliseconds.
    """

    step: str
    values: Mapping[str, str]
    stretches: tuple[tuple[tuple[float, float], ...], ...] = ()

    def with_stretch(self, pairs: Sequence[tuple[float, float]]) -> Self:
        """One more was typed."""
        return replace(self, stretches=(*self.stretches, tuple(pairs)))


@dataclass(frozen=True, slots=True)
class WholeTried:
    """All that was kept together against the untuned settings.

    Attributes:
        ratio, low, high: time for a key with it to the time without, and the interval of that.
        n_pairs: keys that it was made of.
    """

    ratio: float
    low: float
    high: float
    n_pairs: int


@dataclass(frozen=True, slots=True)
class TunedProfile:
    """All that was tried with one model on one machine, the oldest first.

    Attributes:
        before, after: typing before the first step and after the last one.
        is_complete: whether nothing is left to try.
        begun: what was compared last and not to its end.
        whole: what all that is in force does together; None before that was typed, and where nothing is.
    """

    model: str
    machine: str
    steps: tuple[TunedStep, ...] = ()
    before: TypingSpeed | None = None
    after: TypingSpeed | None = None
    is_complete: bool = False
    begun: BegunStep | None = None
    whole: WholeTried | None = None

    @property
    def values(self) -> Mapping[str, str]:
        """The settings of the kept steps; a later one outranks an earlier one."""
        merged: dict[str, str] = {}
        for step in self.steps:
            merged |= step.values if step.is_kept else {}
        return merged

    def has_tried(self, step: str, values: Mapping[str, str]) -> bool:
        """Whether that change was tried already."""
        return any((known.step, dict(known.values)) == (step, dict(values)) for known in self.steps)

    def with_step(self, step: TunedStep) -> Self:
        """One more step was tried."""
        whole = None if step.is_kept else self.whole
        return replace(self, steps=(*self.steps, step), begun=None, whole=whole)

    def begun_with(self, step: str, values: Mapping[str, str]) -> BegunStep:
        """How far those values were tried already."""
        known = self.begun
        if known is not None and (known.step, dict(known.values)) == (step, dict(values)):
            return known
        return BegunStep(step, values)

    def rolled_back(self, step: str) -> Self:
        """The steps of that kind are not in force any more, and what was measured on top of them does not count."""
        steps = tuple(
            replace(known, is_kept=False, reason=f"rolled back by hand; was: {known.reason}")
            if known.step == step and known.is_kept
            else known
            for known in self.steps
        )
        return replace(self, steps=steps, after=None, begun=None, whole=None)

    def taken_back(self, reason: str) -> Self:
        """The step that was kept last is not in force any more."""
        place = max(place for place, known in enumerate(self.steps) if known.is_kept)
        last = replace(self.steps[place], is_kept=False, reason=f"{reason}; was: {self.steps[place].reason}")
        steps = (*self.steps[:place], last, *self.steps[place + 1 :])
        return replace(self, steps=steps, after=None, begun=None, whole=None)


@dataclass(frozen=True, slots=True)
class Profiles:
    """The profiles of one user, in one file."""

    path: Path
    by_key: Mapping[tuple[str, str], TunedProfile] = field(default_factory=dict)

    def of(self, machine: str, model: str) -> TunedProfile:
        """That of a machine and a model; an empty one if there is none."""
        return self.by_key.get((machine, model)) or TunedProfile(model, machine)

    def keep(self, profile: TunedProfile) -> Profiles:
        """Write it down in place of an older one.

        Raises:
            DaemonError: the folder is not ours.
            OSError: it cannot be written.
        """
        return self._write({**self.by_key, (profile.machine, profile.model): profile})

    def without(self, profile: TunedProfile) -> Profiles:
        """Forget it; raises like `keep`."""
        key = (profile.machine, profile.model)
        return self._write({other: known for other, known in self.by_key.items() if other != key})

    def _write(self, by_key: Mapping[tuple[str, str], TunedProfile]) -> Profiles:
        make_private_dir(self.path.parent)
        write_json(self.path, {"schema": _SCHEMA, "profiles": [asdict(profile) for profile in by_key.values()]})
        return Profiles(self.path, by_key)


def profiles_of(paths: Paths) -> Profiles:
    """Read them; a file that is damaged or of another version has none, since all of it can be measured again."""
    path = paths.tuned_file
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] != _SCHEMA:
            return Profiles(path)
        profiles = [_profile(values) for values in content["profiles"]]
        return Profiles(path, {(profile.machine, profile.model): profile for profile in profiles})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return Profiles(path)


def profile_in_force(paths: Paths, loaded: Loaded) -> TunedProfile:
    """That of this machine and the chosen model; an empty one if it was never tuned.

    Raises:
        ModelError: what remembers `model use` is damaged.
    """
    return profiles_of(paths).of(machine_id(), chosen_model(Catalogue(paths), loaded.settings.model))


def machine_id() -> str:
    """What tells machines apart that share a home folder."""
    return f"{platform.node()} {platform.machine()} {os.cpu_count() or 1}"


def load_tuned(paths: Paths, overrides: Mapping[str, str] | None = None, workspace: Path | None = None) -> Loaded:
    """The settings with the profile of this machine and the chosen model below the user's own.

    Raises:
        ConfigError: as `config_layers.load` does, about the user's own settings.
    """
    plain = load(paths, workspace=workspace, overrides=overrides)
    values = _values_for(paths, plain)
    if not values:
        return plain
    try:
        return load(paths, workspace=workspace, overrides=overrides, tuned=values)
    except ConfigError:
        return plain  # the profile is of a version that allowed other values


def retuned(settings: Settings, tuned: Mapping[str, str], now: Loaded) -> Settings:
    """Settings that are in force, with the tuned values of another model in place of those of the one before.

    Args:
        settings: in force.
        tuned: what the profile of the model before says.
        now: what `load_tuned` says for the model that is chosen now. Nothing else of it comes into force.
    """
    sections: dict[str, dict[str, object]] = {}
    for key in {*tuned, *now.tuned}:
        section, _, name = key.partition(".")
        sections.setdefault(section, {})[name] = getattr(getattr(now.settings, section), name)
    return settings.model_copy(
        update={section: getattr(settings, section).model_copy(update=new) for section, new in sections.items()}
    )


def _values_for(paths: Paths, plain: Loaded) -> Mapping[str, str]:
    profiles = profiles_of(paths)
    if not profiles.by_key:
        return NO_VALUES
    try:
        model = chosen_model(Catalogue(paths), plain.settings.model)
    except ModelError:
        return NO_VALUES  # which model it is comes to light with its load
    known = setting_fields()
    return {key: value for key, value in profiles.of(machine_id(), model).values.items() if key in known}


def _profile(values: dict[str, object]) -> TunedProfile:
    steps, before, after = values.pop("steps"), values.pop("before"), values.pop("after")
    begun, whole = values.pop("begun"), values.pop("whole")
    return TunedProfile(
        **values,  # type: ignore[arg-type]  # checked by its callers' except: a damaged file has no profiles
        steps=tuple(_step(step) for step in steps),  # type: ignore[attr-defined]  # as above
        before=TypingSpeed(**before) if before else None,  # type: ignore[arg-type]  # as above
        after=TypingSpeed(**after) if after else None,  # type: ignore[arg-type]  # as above
        begun=_begun(begun) if begun else None,  # type: ignore[arg-type]  # as above
        whole=WholeTried(**whole) if whole else None,  # type: ignore[arg-type]  # as above
    )


def _step(values: dict[str, Any]) -> TunedStep:
    settings = {str(key): str(value) for key, value in values.pop("values").items()}
    return TunedStep(**values, values=settings)


def _begun(values: dict[str, Any]) -> BegunStep:
    stretches = tuple(
        tuple((float(before), float(after)) for before, after in stretch) for stretch in values.pop("stretches")
    )
    settings = {str(key): str(value) for key, value in values.pop("values").items()}
    return BegunStep(**values, values=settings, stretches=stretches)
