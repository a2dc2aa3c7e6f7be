"""What `doctor` asks a running daemon: how it stands, which model it uses and how, who is connected, what is slow.

Each check is a function of what the daemon has answered.
"""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from codeassistd.cli.checks import Check, Verdict
from codeassistd.cli.status_view import profile_words
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths

__all__ = [
    "check_bottleneck",
    "check_device",
    "check_editors",
    "check_exporter",
    "check_index",
    "check_kv_types",
    "check_markers",
    "check_socket",
    "check_state",
    "check_warnings",
    "checks_of_daemon",
    "failure",
]

_SEE_LOGS = "see `codeassistd logs`"
_OTHERS = 0o077
_KV_TYPES = ("kv_type_k", "kv_type_v")


def checks_of_daemon(paths: Paths) -> Iterator[Check]:
    """All of them, if there is a daemon."""
    yield check_socket(paths.socket_file)
    try:
        connection = Launcher(paths).connect(Kind.CONTROL)
        if connection is None:
            yield Check("daemon", Verdict.OK, "not running; an editor or `codeassistd start` starts it")
            return
        with ControlClient(connection) as daemon:
            status, metrics = daemon.call("status"), daemon.call("metrics")
    except DaemonError as error:
        yield failure("daemon", str(error), _SEE_LOGS)
        return
    model = status["model"]
    yield check_state(status)
    yield from check_device(model)
    yield from check_kv_types(model)
    yield from check_markers(model["profile"])
    yield from check_warnings(model["warnings"])
    yield check_editors(status["sessions"])
    yield from check_index(status["index"])
    yield from check_exporter(status["exporter"])
    yield check_bottleneck(metrics["bottleneck"])


def check_socket(file: Path) -> Check:
    """What lies where the daemon listens; on Windows it is a port, which the daemon's own line tells."""
    if sys.platform == "win32":
        return Check("socket", Verdict.OK, "a port of the loopback device, with a token")
    try:
        mode = file.lstat().st_mode
    except FileNotFoundError:
        return Check("socket", Verdict.OK, f"{file} (made by the daemon)")
    except OSError as error:
        return Check("socket", Verdict.FAIL, f"{file}: {error.strerror}", "give its folder to your user")
    if not stat.S_ISSOCK(mode):
        return Check("socket", Verdict.FAIL, f"{file} is in the way and not a socket", "move it away")
    if mode & _OTHERS:
        return Check("socket", Verdict.WARN, f"{file} is open to others", f"chmod 600 {file}")
    return Check("socket", Verdict.OK, str(file))


def check_state(status: Mapping[str, Any]) -> Check:
    """Whether the daemon can answer."""
    found = f"process {status['pid']} on {status['socket']}: {status['state']} {status['detail']}".strip()
    if status["state"] == "error":
        return failure("daemon", found, _SEE_LOGS)
    return Check("daemon", Verdict.OK, found)


def check_device(model: Mapping[str, Any]) -> Iterator[Check]:
    """Where the model is computed, and how many of the layers that were asked for lie on a GPU."""
    asked, effective = model["asked"], model["effective"]
    if "device" not in effective:
        return
    wanted, used = asked.get("gpu_layers", ""), effective.get("gpu_layers", "")
    found = f"{effective['device']}, {used or 'no'} layers on a GPU"
    if wanted not in {"", "-1", used}:
        found = f"{effective['device']}, {used or 'no'} layers on a GPU where {wanted} are asked for"
        yield Check("device", Verdict.WARN, found, "set model.gpu_layers = -1 for as many as there can be")
        return
    yield Check("device", Verdict.OK, found)


def check_kv_types(model: Mapping[str, Any]) -> Iterator[Check]:
    """The number formats of keys and values, and whether they are those that were asked for."""
    asked, effective = model["asked"], model["effective"]
    if not all(name in effective for name in _KV_TYPES):
        return
    found = f"keys {effective['kv_type_k']}, values {effective['kv_type_v']}"
    fallen = [
        f"{name} is {effective[name]}" for name in _KV_TYPES if asked.get(name, effective[name]) != effective[name]
    ]
    if fallen:
        wanted = ", ".join(f"{name} = {asked[name]}" for name in _KV_TYPES)
        remedy = "a quantised kv_type_v needs model.flash_attention on"
        yield Check("kv types", Verdict.WARN, f"{found}, where {wanted} are asked for", remedy)
        return
    yield Check("kv types", Verdict.OK, found)


def check_markers(profile: Mapping[str, Any]) -> Iterator[Check]:
    """How the model is asked to fill in the middle; nothing until it was asked once."""
    if profile["order"]:
        verdict = Verdict.WARN if profile["warning"] else Verdict.OK
        yield Check("profile", verdict, profile_words(profile), profile["warning"])


def check_warnings(warnings: Sequence[str]) -> Iterator[Check]:
    """What could not be done as it was asked for."""
    for warning in warnings:
        found, _, remedy = warning.partition("; ")
        yield Check("fallback", Verdict.WARN, found, remedy)


def check_editors(sessions: Sequence[Mapping[str, Any]]) -> Check:
    """Who is connected."""
    if not sessions:
        return Check("editors", Verdict.OK, "none connected")
    names = [f"{session['client'] or session['id']} ({session['n_documents']} documents)" for session in sessions]
    return Check("editors", Verdict.OK, ", ".join(names))


def check_index(index: Mapping[str, Any]) -> Iterator[Check]:
    """Each open workspace."""
    if index.get("problem"):
        yield failure("index", index["problem"], _SEE_LOGS)
    for workspace in index.get("workspaces", ()):
        degraded = workspace["phase"] == "degraded"
        found = f"{workspace['root']}: {workspace['phase']}, watching by {workspace['watching']}"
        yield Check("index", Verdict.WARN if degraded else Verdict.OK, found)


def check_exporter(exporter: Mapping[str, Any]) -> Iterator[Check]:
    """The metrics over HTTP, where they are asked for."""
    if exporter["problem"]:
        found, _, remedy = exporter["problem"].partition("; ")
        yield Check("metrics", Verdict.WARN, found, remedy)
    elif exporter["asked"]:
        yield Check("metrics", Verdict.OK, f"{exporter['effective']}, token in {exporter['token_file']}")


def check_bottleneck(finding: Mapping[str, Any]) -> Check:
    """What holds users up most, and the setting that helps."""
    return Check(
        "bottleneck", Verdict.WARN if finding["remedy"] else Verdict.OK, finding["sentence"], finding["remedy"]
    )


def failure(name: str, line: str, otherwise: str) -> Check:
    """A line of ours says what is wrong and, behind a semicolon, what to do; one that does not leads to `otherwise`."""
    found, _, remedy = line.partition("; ")
    return Check(name, Verdict.FAIL, found, remedy or otherwise)
