"""Plays one scenario to a language server as an editor would, and says what came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from codeassistd.evals.scenarios.scenario import Act, ActKind, Change, Place, Scenario
from codeassistd.syntax.languages import Languages
from codeassistd.testing.lsp_client import AUTOMATIC, INVOKED, LspClient
from codeassistd.text import PositionEncoding, Text

__all__ = ["Came", "play", "write_project"]

#: Nobody waits here: what is judged is what comes, not when.
_UNHURRIED: Mapping[str, object] = {"deadline_ms": 60_000, "follow_up": "off"}
_CODE_CELL = 2
#: A busy machine may not have asked git yet; the next request finds its answer.
_NOT_KNOWN_YET = "it is not known yet"
_MOST_TRIES = 60
_WORD = "_"


@dataclass(frozen=True, slots=True)
class Came:
    """The answer to the request that counts.

    Attributes:
        place: the document and the cursor when it was made.
        inserted: the text of the item; None if none came.
        is_at_cursor: whether the item replaces nothing and stands at the cursor.
        reason, filters: why nothing came, or why so much, and what was done to the model's text; the server's words.
    """

    place: Place
    inserted: str | None
    is_at_cursor: bool
    reason: str
    filters: tuple[str, ...]


def write_project(scenario: Scenario, root: Path) -> None:
    """Put the files of the workspace on disk, that of the cursor as it is opened."""
    files = {**scenario.files, **({} if scenario.is_notebook else {scenario.file: scenario.opened.text})}
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


async def play(scenario: Scenario, client: LspClient, root: Path) -> Came:
    """Say hello, do what the user does, and ask.

    Raises:
        LspError: the server answered with an error.
    """
    options = {"completion": {**_UNHURRIED, **scenario.settings}}
    await client.initialize(root, capabilities={"textDocument": {"inlineCompletion": {}}}, options=options)
    for name, text in scenario.unsaved.items():
        client.open((root / name).as_uri(), text, _language_of(name, scenario.language))
    editor = _Editor(client, scenario, root)
    editor.open()
    for act in scenario.acts:
        await editor.do(act)
    item, story = await editor.ask(INVOKED if scenario.is_invoked else AUTOMATIC)
    await editor.rest()
    place = editor.position()
    return Came(
        place=editor.place,
        inserted=None if item is None else str(item["insertText"]),
        is_at_cursor=item is None or item["range"] == {"start": place, "end": place},
        reason=str(story.get("reason", "")),
        filters=tuple(story.get("filters", ())),
    )


class _Editor:
    """The document of one scenario in an editor."""

    def __init__(self, client: LspClient, scenario: Scenario, root: Path) -> None:
        self._client = client
        self._scenario = scenario
        self._root = root
        self._undo: list[tuple[Change, Place]] = []
        self._shown: Any = None
        self.place = scenario.opened

    @property
    def _uri(self) -> str:
        if self._scenario.is_notebook:
            return self._cell(len(self._scenario.cells))
        return (self._root / self._scenario.file).as_uri()

    def _cell(self, number: int) -> str:
        book = (self._root / self._scenario.file).as_posix()
        return f"vscode-notebook-cell:{book}#W{number}"

    def open(self) -> None:
        """Open the document, or the notebook up to its cell."""
        scenario = self._scenario
        if not scenario.is_notebook:
            self._client.open(self._uri, self.place.text, scenario.language)
            return
        texts = [*scenario.cells, self.place.text]
        uris = [self._cell(number) for number in range(len(texts))]
        self._client.versions[self._uri] = 1
        self._client.notify(
            "notebookDocument/didOpen",
            {
                "notebookDocument": {
                    "uri": (self._root / scenario.file).as_uri(),
                    "notebookType": "jupyter-notebook",
                    "version": 1,
                    "cells": [{"kind": _CODE_CELL, "document": uri} for uri in uris],
                },
                "cellTextDocuments": [
                    {"uri": uri, "languageId": scenario.language, "version": 1, "text": text}
                    for uri, text in zip(uris, texts, strict=True)
                ],
            },
        )

    async def do(self, act: Act) -> None:
        """Do one thing."""
        if act.kind is ActKind.ASK:
            self._shown, _ = await self.ask(AUTOMATIC)
        elif act.kind is ActKind.ACCEPT:
            await self._accept(self._shown)
        elif act.kind is ActKind.UNDO:
            change, place = self._undo.pop()
            self._send(change)
            self.place = place
        elif act.kind is ActKind.SNIPPET:
            self._client.notify("codeassistd/snippet", {"active": True})
        elif act.kind is ActKind.SNOOZE:
            await self._snooze(act.amount)
        elif act.kind is ActKind.LOSE_SYNC:
            self._client.change(self._uri, {"text": "x"}, version=0)
        else:
            self._edit(self.place.changes(act))

    async def rest(self) -> None:
        """End what holds for all editors of the daemon."""
        if any(act.kind is ActKind.SNOOZE for act in self._scenario.acts):
            await self._snooze(0)

    async def ask(self, trigger_kind: int) -> tuple[Any, Mapping[str, Any]]:
        """The item of a request, None if none came, and what the server says about it."""
        place = self.position()
        item, story = None, dict[str, Any]()
        for _ in range(_MOST_TRIES):
            result = await self._client.start_completion(
                self._uri, place["line"], place["character"], trigger_kind=trigger_kind, selected=self._selected()
            ).result()
            item = result["items"][0] if result["items"] else None
            story = await self._client.request("codeassistd/explain", {}) or {}
            if not str(story.get("reason", "")).startswith(_NOT_KNOWN_YET):
                break
        return item, story

    def position(self) -> dict[str, int]:
        """Where the cursor stands."""
        return _position(self.place.text, self.place.cursor)

    def _edit(self, changes: Sequence[Change]) -> None:
        """Make changes that are undone together: they go on from each other."""
        before = self.place
        for change in changes:
            self._send(change)
            self.place = self.place.changed(change)
        if changes:
            whole = Change(changes[0].start, changes[0].end, "".join(change.text for change in changes))
            self._undo.append((whole.undone(before.text), before))

    def _send(self, change: Change) -> None:
        text = self.place.text
        span = {"start": _position(text, change.start), "end": _position(text, change.end)}
        if self._scenario.is_notebook:
            self._client.versions[self._uri] += 1
        self._client.change(self._uri, {"range": span, "text": change.text})

    async def _accept(self, item: Any) -> None:
        """Put an item in, and run its command."""
        if item is not None:
            self._edit([Change(self.place.cursor, self.place.cursor, str(item["insertText"]))])
            await self._client.request("workspace/executeCommand", item["command"])

    async def _snooze(self, minutes: int) -> None:
        await self._client.request(
            "workspace/executeCommand", {"command": "codeassistd.snooze", "arguments": [minutes]}
        )

    def _selected(self) -> dict[str, object] | None:
        """What is selected in the menu: it takes the place of the word before the cursor."""
        if not self._scenario.menu:
            return None
        before = self.place.before
        start = len(before)
        while start > 0 and (before[start - 1].isalnum() or before[start - 1] == _WORD):
            start -= 1
        span = {"start": _position(self.place.text, start), "end": self.position()}
        return {"text": self._scenario.menu, "range": span}


def _position(text: str, letters: int) -> dict[str, int]:
    place = Text.of(text).position_at(len(text[:letters].encode()), PositionEncoding.UTF16)
    return {"line": place.line, "character": place.character}


def _language_of(name: str, default: str) -> str:
    language = Languages.default().by_path(name)
    return default if language is None or not language.lsp_ids else language.lsp_ids[0]
