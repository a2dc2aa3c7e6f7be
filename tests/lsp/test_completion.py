"""Inline completions over a real socket, with a scripted model."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from codeassistd.testing.lsp_client import LspError
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"


async def test_a_suggestion_is_new_text_with_an_empty_range_and_a_command(tmp_path: Path) -> None:
    """The item inserts at the cursor, replaces nothing, and tells on acceptance which one it was."""
    async with lsp_daemon(tmp_path, Rule.after("x = ", "41 + 1")) as running, running.editor() as client:
        client.open(URI, "y = 0\nx = ")
        [item] = await client.complete(URI, 1, 4)
        span = running.daemon.spans.last()
        assert span is not None
        place = {"line": 1, "character": 4}
        assert {
            "insertText": "41 + 1",
            "range": {"start": place, "end": place},
            "command": {
                "title": "Suggestion accepted",
                "command": "codeassistd.accepted",
                "arguments": [span.id],
            },
        } == item
        await client.request("workspace/executeCommand", item["command"] | {"title": "x"})
        assert span.accepted


async def test_typing_changes_what_is_suggested(tmp_path: Path) -> None:
    """A completion speaks of the newest text."""
    rules = (Rule.after("total = ", "a + b"), Rule.after("count = ", "0"))
    async with lsp_daemon(tmp_path, *rules) as running, running.editor() as client:
        client.open(URI, "total = ")
        first = await client.complete(URI, 0, 8)
        client.change(
            URI, {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 5}}, "text": "count"}
        )
        second = await client.complete(URI, 0, 8)
        assert ["a + b", "0"] == [item["insertText"] for item in (*first, *second)]


async def test_no_suggestion_is_an_empty_list(tmp_path: Path) -> None:
    """Never null, which would leave the last ghost text standing."""
    async with lsp_daemon(tmp_path, default="") as running, running.editor() as client:
        client.open(URI, "x = ")
        assert {"items": []} == await client.start_completion(URI, 0, 4).result()
        assert {"items": []} == await client.start_completion("file:///w/not_open.py", 0, 0).result()


async def test_a_request_sees_the_document_as_it_was_when_it_arrived(tmp_path: Path) -> None:
    """A change that is sent in the same breath comes later, so it must not shift the request's place."""
    rules = (Rule.after("first = ", "1"), Rule.after("second = ", "2"))
    async with lsp_daemon(tmp_path, *rules) as running, running.editor() as client:
        client.open(URI, "first = ")
        pending = client.start_completion(URI, 0, 8)
        client.change(URI, {"text": "second = "})
        assert ["1"] == [item["insertText"] for item in (await pending.result())["items"]]


async def test_a_cancelled_request_is_answered_and_its_sequence_aborted(tmp_path: Path) -> None:
    """The editor gets -32800, and the engine is free for the next one."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x = ")
        running.backend.step_gate.clear()
        pending = client.start_completion(URI, 0, 4)
        await running.until(running.backend.stepping.is_set)
        client.cancel(pending)
        with pytest.raises(LspError) as refused:
            await pending.result()
        assert -32800 == refused.value.code
        await running.until(lambda: running.daemon.engine.status().n_aborted == 1)
        running.backend.step_gate.set()
        assert 1 == len(await client.complete(URI, 0, 4))


async def test_a_cancel_that_comes_too_late_is_ignored(tmp_path: Path) -> None:
    """So is one for a request that never was, or of a wrong shape."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x = ")
        pending = client.start_completion(URI, 0, 4)
        await pending.result()
        client.cancel(pending)
        client.notify("$/cancelRequest", {"id": "never was"})
        client.notify("$/cancelRequest", {"id": [1]})
        assert 1 == len(await client.complete(URI, 0, 4))


async def test_a_newer_request_empties_the_older_one_at_once(tmp_path: Path) -> None:
    """Some editors never cancel: the old request is answered while the new one is still held."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client:
        client.open(URI, "x = ")
        running.backend.step_gate.clear()
        older = client.start_completion(URI, 0, 4)
        await running.until(running.backend.stepping.is_set)
        newer = client.start_completion(URI, 0, 4)
        assert {"items": []} == await older.result()
        assert not newer.done
        running.backend.step_gate.set()
        assert 1 == len((await newer.result())["items"])


async def test_other_requests_are_answered_while_a_completion_is_held(tmp_path: Path) -> None:
    """The engine's work never holds the loop: the order of the answers shows it."""
    async with lsp_daemon(tmp_path) as running, running.editor() as client, running.editor() as other:
        client.open(URI, "x = ")
        running.backend.step_gate.clear()
        held = client.start_completion(URI, 0, 4)
        await running.until(running.backend.stepping.is_set)
        await client.request("codeassistd/status")
        await other.request("codeassistd/status")
        assert not held.done
        running.backend.step_gate.set()
        assert 1 == len((await held.result())["items"])


async def test_two_editors_have_texts_of_their_own(tmp_path: Path) -> None:
    """The same file may differ in two windows, and neither supersedes the other."""
    rules = (Rule.after("left = ", "1"), Rule.after("right = ", "2"))
    async with lsp_daemon(tmp_path, *rules) as running, running.editor() as left, running.editor() as right:
        left.open(URI, "left = ")
        right.open(URI, "right = ")
        running.backend.step_gate.clear()
        pending = [left.start_completion(URI, 0, 7), right.start_completion(URI, 0, 8)]
        await running.until(running.backend.stepping.is_set)
        running.backend.step_gate.set()
        assert ["1", "2"] == [(await one.result())["items"][0]["insertText"] for one in pending]


async def test_an_editor_that_vanishes_leaves_nothing_running(tmp_path: Path) -> None:
    """Its generation is aborted and its session closed; the others go on."""
    async with lsp_daemon(tmp_path) as running, running.editor() as other:
        other.open(URI, "x = ")
        async with running.editor() as client:
            client.open(URI, "x = ")
            running.backend.step_gate.clear()
            client.start_completion(URI, 0, 4)
            await running.until(running.backend.stepping.is_set)
            await client.hang_up()
        await running.until(lambda: running.daemon.engine.status().n_aborted == 1)
        await running.until(lambda: len(running.daemon.sessions) == 1)
        running.backend.step_gate.set()
        assert 1 == len(await other.complete(URI, 0, 4))


@pytest.mark.parametrize(
    ("selected", "expected"),
    [("print", ["int()"]), ("pride", []), ("print()", ["int()"]), ("print(x)", [])],
)
async def test_a_suggestion_must_fit_what_the_menu_has_selected(
    tmp_path: Path, selected: str, expected: list[str]
) -> None:
    """With the editor's own menu open, a suggestion that says something else is not shown."""
    async with lsp_daemon(tmp_path, Rule.after("pr", "int()")) as running, running.editor() as client:
        client.open(URI, "pr")
        word = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 2}}
        result = await client.start_completion(URI, 0, 2, selected={"range": word, "text": selected}).result()
        assert expected == [item["insertText"] for item in result["items"]]
        span = await client.request("codeassistd/explain", {})
        assert ("shown" if expected else "silent") == span["outcome"]


async def test_a_cold_place_that_misses_its_deadline_is_answered_on_a_following_key(tmp_path: Path) -> None:
    """What the model read for the first key is not read again, and it reads on while nobody asks."""
    lines = "".join(f"value_{n} = {n}\n" for n in range(16))
    backend = FakeBackend(FakeScript((Rule.after("x = ", "41 + 1"),)), n_batch=32)
    async with lsp_daemon(tmp_path, backend=backend) as running, running.editor() as client:
        client.open(URI, lines)
        # An edit, so that the document is not read for having been opened.
        client.insert(URI, 16, 0, "x =")
        backend.hold(after=3)
        missed = client.start_completion(URI, 16, 3)
        await running.until(lambda: not backend.step_gate.is_set())
        await running.clock.advance(2.0)
        assert {"items": []} == await missed.result()
        assert "deadline" == (await client.request("codeassistd/explain", {}))["outcome"]
        backend.step_gate.set()
        await running.until(lambda: running.daemon.engine.status().n_finished == 1)
        client.insert(URI, 16, 3, " ")
        [item] = await client.complete(URI, 16, 4)
        assert "41 + 1" == item["insertText"]
        span = await client.request("codeassistd/explain", {})
        assert span["n_prompt"] - span["n_cached"] <= 8
        assert span["n_cached"] > 200


async def test_a_known_block_is_served_line_by_line(tmp_path: Path) -> None:
    """Whoever accepts one line of it is shown all that is left, at the start of the next line too, without new work."""
    rule = Rule.after("def f(a):\n    ", "b = a\n    c = b\n    return c\n")
    async with lsp_daemon(tmp_path, rule) as running, running.editor() as client:
        client.open(URI, "def f(a):\n    ")
        [item] = await client.complete(URI, 1, 4)
        shown = [item["insertText"]]
        for line, character, accepted in ((1, 4, "b = a\n"), (2, 0, "    c = b\n")):
            start = {"line": line, "character": character}
            client.change(URI, {"range": {"start": start, "end": start}, "text": accepted})
            [item] = await client.complete(URI, line + 1, 0)
            shown.append(item["insertText"])
        n_asked = len(running.backend.prompts)

    assert ["b = a\n    c = b\n    return c", "    c = b\n    return c", "    return c"] == shown
    assert 1 == n_asked
