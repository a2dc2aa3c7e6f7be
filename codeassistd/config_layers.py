"""Where settings come from: files, environment, command line and editor, merged in one order.

Layers, lowest first: defaults, the tuned profile, the user's file, the workspace's file, the environment
(`CODEASSISTD_COMPLETION__ENABLED=false`), the command line (`--set completion.enabled=false`), the editor. This is the
one reader of settings from TOML and from the environment. Each layer is flattened to dotted keys before it is merged,
so that every value knows its origin and every error can name it. Variables about the process (`CODEASSISTD_HOME`) have
no double underscore and are not settings.

A workspace's file, and an editor (which mixes in what a workspace brings along), may set `WORKSPACE_SECTIONS` only:
nothing that runs code, opens a connection or names a model.
"""

from __future__ import annotations

import difflib
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal, cast, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from codeassistd.config import WORKSPACE_SECTIONS, Settings
from codeassistd.errors import ConfigError
from codeassistd.paths import Paths

__all__ = [
    "TUNED",
    "WORKSPACE_FILE",
    "Loaded",
    "allowed",
    "as_variables",
    "find_workspace",
    "load",
    "overlay",
    "parse_assignments",
    "setting_fields",
]

#: Origin of a value that `tune` has found.
TUNED = "tuned profile"

#: Name of the settings file in a workspace's root.
WORKSPACE_FILE = ".codeassistd.toml"

_PREFIX = "CODEASSISTD_"
_NESTING = "__"
_LONGEST_VALUE_SHOWN = 40
# All settings there are take a hundredth of it.
_MAX_FILE_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Loaded:
    """The settings in force, and where each value comes from.

    Attributes:
        origins: by dotted key: `default`, `TUNED`, the path of a file, the name of a variable, `--set` or `editor`.
        tuned: what the tuned profile says, as texts by dotted key, whether or not it is in force.
    """

    settings: Settings
    origins: Mapping[str, str]
    tuned: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Value:
    """What one layer says about one key."""

    value: object
    origin: str


def load(
    paths: Paths,
    environ: Mapping[str, str] | None = None,
    workspace: Path | None = None,
    overrides: Mapping[str, str] | None = None,
    editor: Mapping[str, object] | None = None,
    *,
    tuned: Mapping[str, str] | None = None,
) -> Loaded:
    """Read and merge all layers.

    Args:
        paths: where the user's file lies.
        environ: the variables; None takes the process's own.
        workspace: root of a workspace; its `.codeassistd.toml` is read if there is one.
        overrides: texts by dotted key, as `parse_assignments` returns them.
        editor: what the editor sent, nested or with dotted keys.
        tuned: what was measured to be best on this machine, as texts by dotted key; anything else outranks it.

    Raises:
        ConfigError: a file cannot be read, or a key or value is wrong; names the layer, the key and what is allowed.
    """
    layers = [{key: _Value(_from_text(key, text), TUNED) for key, text in (tuned or {}).items()}]
    layers.append(_file_layer(paths.config_file))
    if workspace is not None:
        layers.append(_restricted(_file_layer(workspace / WORKSPACE_FILE), "a workspace", paths.config_file))
    layers.append(_environment_layer(os.environ if environ is None else environ))
    layers.append({key: _Value(_from_text(key, text), "--set") for key, text in (overrides or {}).items()})
    layers.append(_restricted(_flat(editor or {}, "editor"), "an editor", paths.config_file))
    merged: dict[str, _Value] = {}
    for layer in layers:
        # Each by itself: a wrong value that a higher layer hides would come to light on another day, as a riddle.
        _validated({}, layer)
        merged |= layer
    settings = _validated({}, merged)
    origins = {key: merged[key].origin if key in merged else "default" for key in setting_fields()}
    return Loaded(settings, MappingProxyType(origins), MappingProxyType(dict(tuned or {})))


def overlay(settings: Settings, layer: str, values: Mapping[str, object]) -> Settings:
    """`settings` with the values of one session's `layer` on top.

    Args:
        settings: what holds where the session says nothing.
        layer: names where the values come from, for errors: `editor`, or a workspace file's path.
        values: nested or with dotted keys; a None means "not set".

    Raises:
        ConfigError: a key or value is wrong, or a session must not set it.
    """
    # Unset fields stay unset: whether a value was chosen by somebody matters to `model.name`.
    return _validated(settings.model_dump(exclude_unset=True), _restricted(_flat(values, layer), "a session", None))


def parse_assignments(assignments: Iterable[str], option: str = "--set") -> dict[str, str]:
    """Split `key=value` texts of the command line, given with `option`.

    Raises:
        ConfigError: one of them has no `=`, or its key is unknown.
    """
    parsed: dict[str, str] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals:
            raise ConfigError(
                f"{option} {assignment}: write it as key=value, for example {option} completion.enabled=false"
            )
        _require_known(key.strip(), option)
        parsed[key.strip()] = value
    return parsed


def as_variables(overrides: Mapping[str, str]) -> dict[str, str]:
    """What `parse_assignments` returned, as variables of the environment for a process of ours."""
    return {_PREFIX + key.upper().replace(".", _NESTING): text for key, text in overrides.items()}


def find_workspace(folder: Path) -> Path | None:
    """The workspace that holds `folder`: the nearest of it and those above with a settings file or a repository."""
    marks = (WORKSPACE_FILE, ".git")
    return next((above for above in (folder, *folder.parents) if any((above / mark).exists() for mark in marks)), None)


def setting_fields() -> dict[str, FieldInfo]:
    """Every setting's field by its dotted key, in the order of `config.py`."""
    return {
        f"{section}.{name}": field
        for section, outer in Settings.model_fields.items()
        for name, field in cast("type[BaseModel]", outer.annotation).model_fields.items()
    }


def allowed(field: FieldInfo) -> str:
    """The values a setting takes, in words: `whole number from 256 to 1048576`."""
    if get_origin(field.annotation) is Literal:
        return "one of " + ", ".join(get_args(field.annotation))
    if field.annotation is bool:
        return "true or false"
    if get_origin(field.annotation) is tuple:
        return "list of texts"
    if field.annotation is str:
        return "text that is not empty" if any(hasattr(limit, "min_length") for limit in field.metadata) else "text"
    return ("whole number" if field.annotation is int else "number") + _bounds(field)


def _bounds(field: FieldInfo) -> str:
    limits = {
        name: getattr(limit, name) for limit in field.metadata for name in ("ge", "gt", "le") if hasattr(limit, name)
    }
    low = f" from {limits['ge']}" if "ge" in limits else f" above {limits['gt']}" if "gt" in limits else ""
    high = f" to {limits['le']}" if "le" in limits else ""
    return low + high


def _file_layer(path: Path) -> dict[str, _Value]:
    """The values of a TOML file; no file, no values."""
    try:
        text = _content(path).decode("utf-8-sig")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}, {_line_of(error, text)}: not valid TOML: {_cause_of(error)}") from error
    except (RecursionError, ValueError) as error:
        # The parser leaves these two to the interpreter.
        raise ConfigError(f"{path}: nested too deeply, or a number in it has thousands of digits") from error
    return _flat(tables, str(path))


def _content(path: Path) -> bytes:
    """What a file holds; a repository may bring a link to a device along, which would be read without an end."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        raise ConfigError(f"{path}: is a device or a pipe; put a file there")
    if status.st_size > _MAX_FILE_BYTES:
        raise ConfigError(f"{path}: is larger than {_MAX_FILE_BYTES // 1_048_576} MiB; settings are a few lines")
    return path.read_bytes()


def _line_of(error: tomllib.TOMLDecodeError, text: str) -> str:
    # The line stands only in the message; at the end of the document not even there.
    found = re.search(r"line \d+", str(error))
    return found.group() if found else f"line {text.count(chr(10)) + 1}"


def _cause_of(error: tomllib.TOMLDecodeError) -> str:
    return re.sub(r" \(at [^)]*\)$", "", str(error))


def _environment_layer(environ: Mapping[str, str]) -> dict[str, _Value]:
    """The settings among the variables; process-level variables are left to those who own them."""
    layer: dict[str, _Value] = {}
    for variable in sorted(environ):
        if not variable.startswith(_PREFIX):
            continue
        name = variable.removeprefix(_PREFIX).lower()
        if _NESTING not in name:
            _refuse_single_underscore(variable, name)
            continue
        key = name.replace(_NESTING, ".")
        _require_known(key, variable)
        layer[key] = _Value(_from_text(key, environ[variable]), variable)
    return layer


def _refuse_single_underscore(variable: str, name: str) -> None:
    """`CODEASSISTD_LOG_LEVEL` would be ignored in silence, though its author means a setting."""
    for key in setting_fields():
        if name == key.replace(".", "_"):
            meant = _PREFIX + key.replace(".", _NESTING).upper()
            raise ConfigError(f"{variable}: unknown variable; did you mean {meant}?")


def _flat(values: Mapping[str, object], origin: str, prefix: str = "") -> dict[str, _Value]:
    """Nested tables as dotted keys, each of them known; None counts as absent."""
    flat: dict[str, _Value] = {}
    for name, value in values.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and key in Settings.model_fields:
            flat |= _flat(value, origin, f"{key}.")
        elif value is not None:
            _require_known(key, origin)
            flat[key] = _Value(value, origin)
    return flat


def _require_known(key: str, origin: str) -> None:
    known = setting_fields()
    if key in known:
        return
    if key in Settings.model_fields:
        raise ConfigError(f"{origin}: {key} is a section of settings; name one of them, such as {_first_in(key)}")
    near = _nearest(key)
    advice = f"did you mean {near}?" if near else "`codeassistd config show` lists all names"
    raise ConfigError(f"{origin}: unknown setting {key}; {advice}")


def _nearest(key: str) -> str:
    """What the author of an unknown key may have meant: a section, a setting, or a setting of another section."""
    sections = [] if "." in key else difflib.get_close_matches(key, Settings.model_fields, n=1, cutoff=0.75)
    by_name = {known.rpartition(".")[2]: known for known in setting_fields()}
    others = difflib.get_close_matches(key.rpartition(".")[2], by_name, n=1, cutoff=0.75)
    near = [*sections, *difflib.get_close_matches(key, setting_fields(), n=1), *(by_name[name] for name in others)]
    return near[0] if near else ""


def _first_in(section: str) -> str:
    return next(key for key in setting_fields() if key.startswith(f"{section}."))


def _restricted(layer: dict[str, _Value], who: str, user_file: Path | None) -> dict[str, _Value]:
    for key, value in layer.items():
        if key.partition(".")[0] not in WORKSPACE_SECTIONS:
            may = ", ".join(sorted(WORKSPACE_SECTIONS))
            remedy = f"set it in {user_file}" if user_file else "set it in your own config.toml"
            raise ConfigError(f"{value.origin}: {key} cannot be set by {who}, which may set {may}; {remedy}")
    return layer


def _from_text(key: str, text: str) -> object:
    """A value given as one text; a list is separated by commas."""
    field = setting_fields()[key]
    if get_origin(field.annotation) is tuple:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text


def _validated(base: Mapping[str, object], merged: Mapping[str, _Value]) -> Settings:
    """`base` with `merged` on top, checked against types and bounds."""
    nested = {section: dict(cast("Mapping[str, object]", values)) for section, values in base.items()}
    for key, value in merged.items():
        section, _, name = key.partition(".")
        nested.setdefault(section, {})[name] = value.value
    try:
        return Settings.model_validate(nested)
    except ValidationError as error:
        # All keys are known and every layer below was valid, so the place is a key of `merged`.
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"][:2])
        # Checks of our own say what they take.
        own = first.get("ctx", {}).get("error")
        takes = str(own) if own is not None else allowed(setting_fields()[key])
        raise ConfigError(_refusal(key, merged[key], takes)) from error


def _refusal(key: str, value: _Value, takes: str) -> str:
    shown = repr(value.value)
    if len(shown) > _LONGEST_VALUE_SHOWN:
        shown = shown[:_LONGEST_VALUE_SHOWN] + "…"
    return f"{value.origin}: {key} cannot be {shown}; it takes: {takes}"
