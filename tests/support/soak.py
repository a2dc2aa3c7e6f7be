"""An editor whose user types, accepts, undoes, and lets it change several places at once; in two editors' manners.

Every line that is typed is one of a few, and the scripted model knows how each of them ends. So an item is stale
exactly if it does not end the line that the cursor stood in when it was asked for.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from codeassistd.testing.lsp_client import LspClient, LspError, Pending

__all__ = ["SCRIPT", "Manner", "SoakedEditor"]

_ENDS = {f"{name} = ": f"{name}_of(total, {number})" for number, name in enumerate(("alpha", "beta", "gamma", "delta"))}
_LINES = tuple(head + end for head, end in _ENDS.items())
_IMPORT = "from somewhere.far.away import a_rather_long_name_of_a_thing\n"
_CANCELLED = -32800

SCRIPT: Mapping[str, object] = {
    "rules": [{"after": f"\n{line[:n]}", "answer": line[n:]} for line in _LINES for n in range(1, len(line))],
    "default": "",
    "step_s": 0.0005,
}


@dataclass(frozen=True, slots=True)
class Manner:
    """How an editor asks.

    Attributes:
        cancels: whether it takes a request back as soon as it sends the next one.
        has_menu: whether it tells which entry of its menu is selected.
    """

    cancels: bool
    has_menu: bool


@dataclass(slots=True)
class _Asked:
    """A request and the text before the cursor on its line at that moment."""

    pending: Pending
    head: str
    entry: str


@dataclass(slots=True)
class SoakedEditor:
    """One document in one editor.

    Attributes:
        n_asked: requests.
        n_shown: items that came.
        n_imports: imports that came together with what was typed.
        n_after_import: items that came right after one.
    """

    client: LspClient
    uri: str
    manner: Manner
    chance: random.Random
    lines: list[str] = field(default_factory=lambda: ["import os", "", ""])
    n_asked: int = 0
    n_shown: int = 0
    n_imports: int = 0
    n_after_import: int = 0
    _running: list[_Asked] = field(default_factory=list)

    def open(self) -> None:
        """Open the document."""
        self.client.open(self.uri, "\n".join(self.lines))

    async def live(self, n_requests: int) -> None:
        """Do what users do until so many requests were sent, then wait for all answers."""
        until = self.n_asked + n_requests
        while self.n_asked < until:
            await self._write_line()
        await self._settle(0)

    async def _write_line(self) -> None:
        """One line from its first letter to its end, in one of many ways."""
        # Never the one above: a line that stands there twice is not suggested.
        line = self.chance.choice([line for line in _LINES if line not in self.lines[-2]])
        for place, letter in enumerate(line):
            self._change(self._typed(letter))
            asked = self._ask(line[: place + 1])
            if self.chance.random() < 0.15:
                item = await self._item(asked)
                if item is not None and self.chance.random() < 0.7:
                    await self._accept(item)
                    break
        if self.chance.random() < 0.3:
            await self._import(line)
        if self.chance.random() < 0.2:
            self._edit_two_lines()
        self._change(self._typed("\n"))
        self._ask("")
        await self._settle(8)

    async def _accept(self, item: Mapping[str, object]) -> None:
        text = str(item["insertText"])
        self._change(self._typed(text))
        command = item["command"]
        assert isinstance(command, dict)
        await self.client.request(
            "workspace/executeCommand", {"command": command["command"], "arguments": command["arguments"]}
        )
        if self.chance.random() < 0.3:
            # Undone, and typed by hand after all.
            end = len(self.lines[-1])
            self._change(self._removed(len(text)))
            assert end - len(text) == len(self.lines[-1])
            self._ask(self.lines[-1])
            self._change(self._typed(text))

    async def _import(self, line: str) -> None:
        """An entry of the menu is taken that brings an import: both changes come in one notification."""
        self._change(self._removed(len(self.lines[-1])))
        head = next(head for head in _ENDS if line.startswith(head))
        change = self._typed(head)
        top = {"range": _range(0, 0, 0, 0), "text": _IMPORT}
        self.lines.insert(0, _IMPORT.rstrip("\n"))
        self._change(change, top)
        self.n_imports += 1
        item = await self._item(self._ask(head, alone=True))
        if item is not None:
            self.n_after_import += 1
            await self._accept(item)

    def _edit_two_lines(self) -> None:
        """Two cursors type the same letters, told from the last to the first."""
        last = len(self.lines) - 1
        changes = [
            {"range": _range(row, len(self.lines[row]), row, len(self.lines[row])), "text": "  # ö"}
            for row in (last, 1)
        ]
        for row in (last, 1):
            self.lines[row] += "  # ö"
        self._change(*changes)

    def _ask(self, head: str, *, alone: bool = False) -> _Asked:
        entry, selected = "", None
        row, column = len(self.lines) - 1, len(self.lines[-1])
        if self.manner.has_menu and not alone and 2 < len(head) < 5 and self.chance.random() < 0.3:
            entry = next(line for line in _LINES if line.startswith(head)).split(" ")[0]
            selected = {"range": _range(row, 0, row, column), "text": entry}
        if self.manner.cancels and self._running:
            self.client.cancel(self._running[-1].pending)
        asked = _Asked(self.client.start_completion(self.uri, row, column, selected=selected), self.lines[-1], entry)
        self._running.append(asked)
        self.n_asked += 1
        return asked

    async def _settle(self, n_left: int) -> None:
        """Read the answers but the newest ones."""
        while len(self._running) > n_left:
            await self._item(self._running[0])

    async def _item(self, asked: _Asked) -> Mapping[str, object] | None:
        """What came for a request, once it has come: it ends the line that it was asked for."""
        if asked in self._running:
            self._running.remove(asked)
        try:
            items = (await asked.pending.result())["items"]
        except LspError as error:
            if error.code != _CANCELLED or not self.manner.cancels:
                raise
            return None
        if not items:
            return None
        [item] = items
        written = asked.head + str(item["insertText"])
        assert any(line.startswith(written) for line in _LINES), f"{asked.head!r} + {item['insertText']!r}"
        assert written.startswith(asked.entry)
        self.n_shown += 1
        result: Mapping[str, object] = item
        return result

    def _typed(self, text: str) -> Mapping[str, object]:
        """What is typed at the end of the document."""
        row, column = len(self.lines) - 1, _units(self.lines[-1])
        self.lines[-1:] = (self.lines[-1] + text).split("\n")
        return {"range": _range(row, column, row, column), "text": text}

    def _removed(self, n_letters: int) -> Mapping[str, object]:
        """The last letters of the last line are taken away."""
        row, line = len(self.lines) - 1, self.lines[-1]
        self.lines[-1] = line[: len(line) - n_letters]
        return {"range": _range(row, _units(self.lines[-1]), row, _units(line)), "text": ""}

    def _change(self, *changes: Mapping[str, object]) -> None:
        self.client.change(self.uri, *changes)


def _units(line: str) -> int:
    return len(line.encode("utf-16-le")) // 2


def _range(line: int, start: int, last: int, end: int) -> dict[str, object]:
    return {"start": {"line": line, "character": start}, "end": {"line": last, "character": end}}
