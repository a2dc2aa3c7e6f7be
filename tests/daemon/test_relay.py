"""The proxy's mind: what is said to whom, whatever the other side does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from codeassistd.daemon.relay import STOPPING, Phase, Relay

INLINE = "textDocument/inlineCompletion"
NOTHING: dict[str, object] = {"items": []}


class Wires:
    """Notes what the relay says and wants."""

    def __init__(self) -> None:
        self.editor: list[dict[str, Any]] = []
        self.daemon: list[dict[str, Any]] = []
        self.wishes: list[str] = []

    def to_editor(self, body: bytes) -> None:
        self.editor.append(json.loads(body))

    def to_daemon(self, body: bytes) -> None:
        self.daemon.append(json.loads(body))

    def reach(self) -> None:
        self.wishes.append("reach")

    def await_daemon(self) -> None:
        self.wishes.append("await")


class Scene:
    """A relay between an editor and a daemon that the test plays."""

    def __init__(self) -> None:
        self.wires = Wires()
        self.relay = Relay(self.wires)

    def ask(self, identity: object, method: str, **params: object) -> None:
        self.say(id=identity, method=method, params=params)

    def tell(self, method: str, **params: object) -> None:
        self.say(method=method, params=params)

    def say(self, **message: object) -> None:
        self.relay.from_editor(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def hear(self, **message: object) -> None:
        self.relay.from_daemon(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def introduced(self, **params: object) -> Scene:
        self.ask(0, "initialize", **params)
        self.wires.editor.clear()
        return self

    def attached(self, **params: object) -> Scene:
        self.introduced(**params)
        self.tell("initialized")
        self.attach()
        return self

    def attach(self) -> None:
        self.relay.connected()
        self.hear(id=self.wires.daemon[-1]["id"], result={})

    def answers(self) -> dict[object, object]:
        """What the editor got for its requests: the result, or the error's code."""
        return {
            one["id"]: one["result"] if "result" in one else one["error"]["code"]
            for one in self.wires.editor
            if "method" not in one
        }

    def told(self, method: str) -> list[Any]:
        return [one["params"] for one in self.wires.editor if one.get("method") == method]


def methods(messages: list[dict[str, Any]]) -> list[str]:
    return [one.get("method", "answer") for one in messages]


def test_initialize_is_answered_before_anything_is_looked_for() -> None:
    """The answer goes out first, then the daemon is reached; one introduction, one answer."""
    scene = Scene()
    scene.ask(1, "initialize", capabilities={"general": {"positionEncodings": ["utf-8"]}})
    (answer,) = scene.wires.editor
    assert "utf-8" == answer["result"]["capabilities"]["positionEncoding"]
    assert ["reach"] == scene.wires.wishes
    scene.ask(2, "initialize")
    assert -32600 == scene.answers()[2]


def test_requests_before_initialize_are_refused() -> None:
    """As the protocol asks; nothing is started for them."""
    scene = Scene()
    scene.ask(1, INLINE)
    assert {1: -32002} == scene.answers()
    assert [] == scene.wires.wishes


def test_a_daemon_is_introduced_before_anything_passes() -> None:
    """First `initialize` again (its answer is kept back), then what has waited, in order."""
    scene = Scene().introduced(rootUri="file:///w")
    scene.tell("initialized")
    scene.ask(1, INLINE)
    scene.relay.connected()
    scene.ask(2, INLINE)
    assert ["initialize"] == methods(scene.wires.daemon)
    assert "file:///w" == scene.wires.daemon[0]["params"]["rootUri"]
    scene.hear(id=scene.wires.daemon[0]["id"], result={"capabilities": {}})
    assert ["initialize", "initialized", INLINE, INLINE] == methods(scene.wires.daemon)
    assert [] == scene.wires.editor


def test_messages_pass_unchanged_once_attached() -> None:
    """Every field survives, known or not, in both directions."""
    scene = Scene().attached()
    scene.wires.daemon.clear()
    scene.say(id="a", method="x/y", params={"ü": [1]}, extra=True)
    assert [{"jsonrpc": "2.0", "id": "a", "method": "x/y", "params": {"ü": [1]}, "extra": True}] == scene.wires.daemon
    scene.hear(id="a", result={"🦊": None})
    assert {"a": {"🦊": None}} == scene.answers()


def test_while_a_daemon_starts_suggestions_are_empty_at_once() -> None:
    """A start takes seconds: keys are answered with nothing, everything else waits for the daemon."""
    scene = Scene().introduced()
    scene.ask(1, INLINE)
    scene.ask(2, "codeassistd/status")
    scene.relay.starting()
    scene.ask(3, "textDocument/completion")
    assert {1: NOTHING, 3: {"isIncomplete": True, "items": []}} == scene.answers()
    assert [{"state": "starting", "detail": ""}] == scene.told("codeassistd/status")
    scene.attach()
    assert "codeassistd/status" == scene.wires.daemon[-1]["method"]


def test_a_daemon_that_cannot_start_is_told_once() -> None:
    """One message with the cause; every request is answered, suggestions empty; a later daemon is used."""
    scene = Scene().introduced()
    scene.ask(1, INLINE)
    scene.relay.starting()
    scene.ask(2, "workspace/executeCommand")
    scene.relay.failed("no disk")
    for identity in range(3, 13):
        scene.ask(identity, INLINE)
    scene.relay.failed("no disk")
    assert {1: NOTHING, 2: -32803} | dict.fromkeys(range(3, 13), NOTHING) == scene.answers()
    assert [{"type": 1, "message": "codeassistd has no daemon: no disk"}] == scene.told("window/showMessage")
    assert {"state": "error", "detail": "no disk"} == scene.told("codeassistd/status")[-1]
    scene.attach()
    scene.ask(13, INLINE)
    assert 13 == scene.wires.daemon[-1]["id"]


def test_a_lost_daemon_leaves_no_request_open() -> None:
    """What was asked is answered, suggestions empty and others with an error, and a new daemon is reached."""
    scene = Scene().attached()
    scene.ask(1, INLINE)
    scene.ask(2, "codeassistd/explain")
    scene.relay.lost()
    assert {1: NOTHING, 2: -32803} == scene.answers()
    assert ["reach", "reach"] == scene.wires.wishes
    scene.ask(3, INLINE)
    scene.wires.daemon.clear()
    scene.attach()
    assert ["initialize", "initialized", INLINE] == methods(scene.wires.daemon)
    assert 3 not in scene.answers()


def test_a_new_daemon_learns_the_unsaved_text() -> None:
    """Documents are opened anew as the editor has them now, closed ones are not, and settings are repeated."""
    scene = Scene().attached(capabilities={"general": {"positionEncodings": ["utf-8"]}})
    for uri, text in (("file:///a", "é\n"), ("file:///b", "b")):
        document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        scene.tell("textDocument/didOpen", textDocument=document)
    edit = {"range": {"start": {"line": 0, "character": 2}, "end": {"line": 0, "character": 2}}, "text": "x"}
    changed = {"uri": "file:///a", "version": 2}
    scene.tell("textDocument/didChange", textDocument=changed, contentChanges=[edit])
    scene.tell("textDocument/didClose", textDocument={"uri": "file:///b"})
    scene.tell("workspace/didChangeConfiguration", settings={"a": 1})
    scene.tell("textDocument/didSave", textDocument={"uri": "file:///a"})
    scene.relay.lost()
    scene.wires.daemon.clear()
    scene.attach()
    assert ["initialize", "initialized", "workspace/didChangeConfiguration", "textDocument/didOpen"] == methods(
        scene.wires.daemon
    )
    opened = {"uri": "file:///a", "languageId": "python", "version": 2, "text": "éx\n"}
    assert opened == scene.wires.daemon[-1]["params"]["textDocument"]


@pytest.mark.parametrize(
    "change",
    [
        {"textDocument": {"uri": "file:///a", "version": 1}, "contentChanges": [{"text": "y"}]},
        {"textDocument": {"uri": "file:///a", "version": 2}, "contentChanges": [{"range": 1, "text": "y"}]},
        {"textDocument": {"uri": "file:///a", "version": 2}, "contentChanges": None},
    ],
)
def test_a_new_daemon_learns_the_doubt_too(change: dict[str, object]) -> None:
    """Where our text may differ from the editor's, the new daemon must not trust it either."""
    scene = Scene().attached()
    document = {"uri": "file:///a", "languageId": "python", "version": 1, "text": "x"}
    scene.tell("textDocument/didOpen", textDocument=document)
    scene.tell("textDocument/didChange", **change)
    scene.relay.lost()
    scene.wires.daemon.clear()
    scene.attach()
    assert ["textDocument/didOpen", "textDocument/didChange"] == methods(scene.wires.daemon)[-2:]
    assert {"textDocument": {"uri": "file:///a", "version": 1}, "contentChanges": []} == scene.wires.daemon[-1][
        "params"
    ]


def test_folders_are_introduced_as_they_are_now() -> None:
    """Folders that came and went since `initialize` are in the new daemon's introduction, or not."""
    a, b, c = ({"uri": f"file:///{name}", "name": name} for name in "abc")
    scene = Scene().attached(workspaceFolders=[a, b])
    scene.tell("workspace/didChangeWorkspaceFolders", event={"added": [c, b], "removed": [a]})
    scene.relay.lost()
    scene.wires.daemon.clear()
    scene.relay.connected()
    assert [b, c] == scene.wires.daemon[0]["params"]["workspaceFolders"]


def test_what_a_lost_daemon_began_is_ended() -> None:
    """Its spinner is stopped, its registrations are taken back, and answers to its questions go nowhere."""
    scene = Scene().attached()
    scene.hear(id="q", method="window/workDoneProgress/create", params={"token": "t"})
    scene.hear(method="$/progress", params={"token": "t", "value": {"kind": "begin", "title": "Loading"}})
    scene.hear(method="$/progress", params={"token": "u", "value": {"kind": "begin", "title": "Done"}})
    scene.hear(method="$/progress", params={"token": "u", "value": {"kind": "end"}})
    registration = {"id": "r", "method": "workspace/didChangeConfiguration"}
    scene.hear(id="p", method="client/registerCapability", params={"registrations": [registration]})
    scene.wires.editor.clear()
    scene.relay.lost()
    assert [{"token": "t", "value": {"kind": "end"}}] == scene.told("$/progress")
    assert [{"unregisterations": [registration]}] == scene.told("client/unregisterCapability")
    scene.attach()
    scene.wires.daemon.clear()
    scene.say(id="q", result=None)
    scene.say(id=scene.wires.editor[-1]["id"], result=None)
    assert [] == scene.wires.daemon


def test_questions_of_the_daemon_are_answered_by_the_editor() -> None:
    """An answer passes once, to the daemon that asked."""
    scene = Scene().attached()
    scene.hear(id="q", method="workspace/configuration", params={"items": [{}]})
    scene.wires.daemon.clear()
    scene.say(id="q", result=[{"a": 1}])
    scene.say(id="q", result=[{"a": 2}])
    assert [{"jsonrpc": "2.0", "id": "q", "result": [{"a": 1}]}] == scene.wires.daemon


def test_a_stopped_daemon_is_not_started_again() -> None:
    """A stop by the user is respected: the proxy waits until somebody starts a daemon."""
    scene = Scene().attached()
    scene.hear(method=STOPPING)
    scene.relay.lost()
    assert ["reach", "await"] == scene.wires.wishes
    assert Phase.ABSENT is scene.relay.phase
    assert [] == scene.told(STOPPING)
    scene.ask(1, INLINE)
    assert {1: NOTHING} == scene.answers()
    assert [] == scene.told("window/showMessage")
    scene.attach()
    scene.relay.lost()
    assert ["reach", "await", "reach"] == scene.wires.wishes


@pytest.mark.parametrize(("asks_first", "code"), [(True, 0), (False, 1)])
def test_exit_follows_shutdown(*, asks_first: bool, code: int) -> None:
    """`exit` ends with 0 after `shutdown` and with 1 without; no daemon is needed for either."""
    scene = Scene().introduced()
    if asks_first:
        scene.ask(1, "shutdown")
        scene.ask(2, INLINE)
        assert {1: None, 2: -32600} == scene.answers()
    assert scene.relay.exit_code is None
    scene.tell("exit")
    assert code == scene.relay.exit_code


def test_a_waiting_request_can_be_cancelled() -> None:
    """It gets the answer of a cancelled request, and never reaches the daemon."""
    scene = Scene().introduced()
    scene.ask(1, INLINE)
    scene.tell("$/cancelRequest", id=1)
    assert {1: -32800} == scene.answers()
    scene.attach()
    assert ["initialize"] == methods(scene.wires.daemon)


def test_late_answers_are_dropped() -> None:
    """A request has one answer: what a daemon says to an id that is not asked goes nowhere."""
    scene = Scene().attached()
    scene.hear(id=7, result=[])
    assert [] == scene.wires.editor


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"{", b'{"id":[],"method":"x"}', b'{"id":null,"method":"x"}', b"[" * 100_000]
)
def test_nonsense_of_the_editor_is_answered(body: bytes) -> None:
    """What is no message gets an error without an id, and the proxy lives on."""
    scene = Scene().attached()
    scene.relay.from_editor(body)
    assert [None] == list(scene.answers())


def test_the_editors_process_is_remembered() -> None:
    """It is watched, in case its end does not close the pipe."""
    assert 42 == Scene().introduced(processId=42).relay.editor_pid
    assert Scene().introduced(processId=None).relay.editor_pid is None
