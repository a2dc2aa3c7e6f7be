"""The checks of a running daemon, each on an answer that is written out."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from codeassistd.cli.checks import Check, Verdict
from codeassistd.cli.checks_daemon import (
    check_bottleneck,
    check_device,
    check_editors,
    check_exporter,
    check_index,
    check_kv_types,
    check_markers,
    check_socket,
    check_state,
    check_warnings,
)


def model(asked: Mapping[str, str], effective: Mapping[str, str]) -> dict[str, Any]:
    return {"asked": dict(asked), "effective": dict(effective)}


class TestSocket:
    def test_a_missing_socket_is_made_by_the_daemon(self, tmp_path: Path) -> None:
        """Nothing is wrong before the first start."""
        file = tmp_path / "daemon.sock"
        assert Check("socket", Verdict.OK, f"{file} (made by the daemon)") == check_socket(file)

    def test_a_file_in_its_place_is_a_failure(self, tmp_path: Path) -> None:
        """The daemon leaves alone what is not its own."""
        file = tmp_path / "daemon.sock"
        file.write_text("", encoding="utf-8")
        assert Check("socket", Verdict.FAIL, f"{file} is in the way and not a socket", "move it away") == check_socket(
            file
        )

    def test_a_socket_that_others_can_open_is_a_warning(self, tmp_path: Path) -> None:
        """With the command that closes it."""
        file = tmp_path / "daemon.sock"
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            listening.bind(str(file))
            file.chmod(0o666)
            assert Check("socket", Verdict.WARN, f"{file} is open to others", f"chmod 600 {file}") == check_socket(file)
            file.chmod(0o600)
            assert Check("socket", Verdict.OK, str(file)) == check_socket(file)


@pytest.mark.parametrize(
    ("state", "detail", "expected"),
    [
        ("ready", "", Check("daemon", Verdict.OK, "process 7 on /run/d.sock: ready")),
        (
            "error",
            "the file is cut off; pull it again",
            Check("daemon", Verdict.FAIL, "process 7 on /run/d.sock: error the file is cut off", "pull it again"),
        ),
        (
            "error",
            "it broke",
            Check("daemon", Verdict.FAIL, "process 7 on /run/d.sock: error it broke", "see `codeassistd logs`"),
        ),
    ],
)
def test_a_daemon_that_cannot_answer_is_a_failure(state: str, detail: str, expected: Check) -> None:
    """Its own words say what to do, where they can."""
    assert expected == check_state({"pid": 7, "socket": "/run/d.sock", "state": state, "detail": detail})


@pytest.mark.parametrize(
    ("asked", "used", "device", "expected"),
    [
        ("-1", "0", "cpu", Check("device", Verdict.OK, "cpu, 0 layers on a GPU")),
        ("20", "20", "gpu", Check("device", Verdict.OK, "gpu, 20 layers on a GPU")),
        (
            "20",
            "0",
            "cpu",
            Check(
                "device",
                Verdict.WARN,
                "cpu, 0 layers on a GPU where 20 are asked for",
                "set model.gpu_layers = -1 for as many as there can be",
            ),
        ),
    ],
)
def test_layers_that_are_not_on_the_gpu_are_a_warning(asked: str, used: str, device: str, expected: Check) -> None:
    """It works, and slower than the user thinks; -1 asks for nothing that could fail."""
    assert [expected] == list(check_device(model({"gpu_layers": asked}, {"gpu_layers": used, "device": device})))


def test_without_a_loaded_model_nothing_is_said_about_it() -> None:
    """The daemon's own line tells why there is none."""
    assert [] == [*check_device(model({}, {})), *check_kv_types(model({}, {}))]
    assert [] == list(check_markers({"order": "", "source": "", "warning": ""}))


def test_cache_types_that_fell_back_are_a_warning() -> None:
    """Both are named, as asked and as in force."""
    asked = {"kv_type_k": "q8_0", "kv_type_v": "q8_0"}
    expected = Check(
        "kv types",
        Verdict.WARN,
        "keys q8_0, values f16, where kv_type_k = q8_0, kv_type_v = q8_0 are asked for",
        "a quantised kv_type_v needs model.flash_attention on",
    )

    assert [expected] == list(check_kv_types(model(asked, {"kv_type_k": "q8_0", "kv_type_v": "f16"})))
    assert [Check("kv types", Verdict.OK, "keys q8_0, values q8_0")] == list(check_kv_types(model(asked, asked)))


def test_markers_that_are_not_as_asked_are_a_warning() -> None:
    """The profile's own warning is what to do."""
    profile = {"order": "prefix", "source": "none", "warning": "fim_prefix is no token of this model"}
    expected = Check("profile", Verdict.WARN, "prefix (no markers)", "fim_prefix is no token of this model")

    assert [expected] == list(check_markers(profile))


def test_each_warning_has_its_line() -> None:
    """What is behind a semicolon is what to do."""
    assert [
        Check("fallback", Verdict.WARN, "n_slots is 1 instead of 4"),
        Check("fallback", Verdict.WARN, "no draft", "pull it"),
    ] == list(check_warnings(["n_slots is 1 instead of 4", "no draft; pull it"]))


def test_editors_are_named_with_their_documents() -> None:
    """Or that there is none."""
    sessions = [{"id": "s1", "client": "Neovim", "n_documents": 3}, {"id": "s2", "client": "", "n_documents": 0}]

    assert Check("editors", Verdict.OK, "Neovim (3 documents), s2 (0 documents)") == check_editors(sessions)
    assert Check("editors", Verdict.OK, "none connected") == check_editors([])


def test_a_workspace_that_cannot_be_watched_is_a_warning() -> None:
    """And an index that cannot be written a failure."""
    workspace = {"root": "/w", "phase": "degraded", "watching": "polling"}

    assert [
        Check("index", Verdict.FAIL, "the disk is full", "make room"),
        Check("index", Verdict.WARN, "/w: degraded, watching by polling"),
    ] == list(check_index({"problem": "the disk is full; make room", "workspaces": [workspace]}))


@pytest.mark.parametrize(
    ("exporter", "expected"),
    [
        ({"asked": False, "effective": "", "token_file": "", "problem": ""}, []),
        (
            {"asked": True, "effective": "http://h/m", "token_file": "/t", "problem": ""},
            [Check("metrics", Verdict.OK, "http://h/m, token in /t")],
        ),
        (
            {"asked": True, "effective": "", "token_file": "", "problem": "port 1 is taken; choose another"},
            [Check("metrics", Verdict.WARN, "port 1 is taken", "choose another")],
        ),
    ],
)
def test_metrics_over_http_have_a_line_where_they_are_asked_for(
    exporter: Mapping[str, Any], expected: list[Check]
) -> None:
    """Who has not asked for them reads nothing of them."""
    assert expected == list(check_exporter(exporter))


def test_the_bottleneck_is_a_warning_where_something_helps() -> None:
    """Else it is told for what it is."""
    slow = {"limit": "prefill", "sentence": "reading prompts", "remedy": "lower context.max_tokens"}

    assert Check("bottleneck", Verdict.WARN, "reading prompts", "lower context.max_tokens") == check_bottleneck(slow)
    assert Check("bottleneck", Verdict.OK, "nothing") == check_bottleneck(
        {"limit": "nothing", "sentence": "nothing", "remedy": ""}
    )
