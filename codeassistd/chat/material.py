"""What is put in front of a question, chosen by need and within a budget of tokens.

In order of how sure it is that it is meant: what the user selected, named or ran; then the definitions of what the
question mentions, what was changed lately, the outline of the open file, and pieces of other files that the question's
words lead to. Blocks (files, git, the index), so it belongs to a worker thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.chat.desk import Desk, Refusal, may_be_secret
from codeassistd.chat.mentions import mentions_in
from codeassistd.chat.request import ChatRequest, RawOutput
from codeassistd.chat.tool_output import cut_output
from codeassistd.chat.turn import Part, PartKind
from codeassistd.context.render import difference
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.types import FoundChunk

__all__ = ["Material", "gather"]

_MAX_CHUNKS = 8
_MAX_PER_FILE = 2
#: Of the budget, for pieces that nobody asked for by name.
_CHUNK_SHARE = 0.7
#: Less of a file than this is not worth a part.
_LEAST_TOKENS = 32
_N_EDITS = 4
_CUT = "[... cut here: {n} of {total} lines shown ...]"


@dataclass(slots=True)
class Material:
    """What was found.

    Attributes:
        parts: in the order in which they should stand.
        warnings: one line for each thing that was asked for and could not be had.
        outputs: of commands, those whose text was cut.
    """

    parts: list[Part] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    outputs: list[RawOutput] = field(default_factory=list)


def gather(request: ChatRequest, desk: Desk, n_tokens: int, count: Callable[[str], int]) -> Material:
    """Everything for one question, in at most `n_tokens`.

    Args:
        request: what is asked.
        desk: reads the files that are named, and asks the index.
        n_tokens: of all parts, as written.
        count: tokens of a text.
    """
    gathering = _Gathering(request, desk, n_tokens, count)
    gathering.take_selection()
    gathering.take_outputs()
    gathering.take_files()
    gathering.take_symbols()
    gathering.take_edits()
    gathering.take_outline()
    gathering.take_chunks()
    return gathering.found


@dataclass(slots=True)
class _Gathering:
    """The parts so far, and the tokens that are left for more."""

    request: ChatRequest
    desk: Desk
    n_left: int
    count: Callable[[str], int]
    found: Material = field(default_factory=Material)

    def take_selection(self) -> None:
        document, span = self.request.document, self.request.selection
        if document is None or span is None or not len(span):
            return
        if document.path is not None and isinstance(refusal := self.desk.read(document.path), Refusal):
            self.found.warnings.append(refusal.why)
            return
        text = document.text
        first, last = text.line_of(span.start), text.line_of(max(span.start, span.end - 1))
        lines = "\n".join(text.line(line) for line in range(first, last + 1))
        label = f"selected in {self._name(document.path, document.uri)}, lines {first + 1}-{last + 1}"
        self._take(Part(PartKind.SELECTION, label, lines, document.path))

    def take_outputs(self) -> None:
        for output in self.request.outputs:
            cut = cut_output(output.text, output.exit_code)
            ended = "ended before it was done" if output.exit_code is None else f"exit code {output.exit_code}"
            part = Part(PartKind.OUTPUT, f"output of `{output.command}` ({ended})", cut.text)
            if self._take(part) and not (cut.is_whole and self.found.parts[-1].text == cut.text):
                self.found.outputs.append(output)

    def take_files(self) -> None:
        mentioned = mentions_in(self.request.text).files
        paths = list(self.request.files)
        for name in mentioned:
            path = self.desk.find(name)
            if path is None:
                self.found.warnings.append(f"there is no file {name} in the workspace; #{name} names none")
            else:
                paths.append(path)
        for path in dict.fromkeys(paths):
            text = self.desk.read(path)
            if isinstance(text, Refusal):
                self.found.warnings.append(text.why)
            elif not self._take(Part(PartKind.FILE, self._name(path), text, path)):
                self.found.warnings.append(f"there is no room for {self._name(path)}; raise chat.context_tokens")

    def take_symbols(self) -> None:
        root = self.request.root
        symbols = mentions_in(self.request.text).symbols
        if root is None or not symbols:
            return
        names = [symbol.rpartition(".")[2] for symbol in symbols]
        for definition in self.desk.lookup.definitions(root, names, None):
            label = f"{definition.qualified_name} ({definition.relative}:{definition.line + 1})"
            text = self.desk.lookup.source(root, definition)
            # A signature is written anew, and quotes no lines that could become stale.
            kind = PartKind.SYMBOL if text else PartKind.OUTLINE
            self._take(Part(kind, label, text or definition.signature, definition.path))

    def take_edits(self) -> None:
        for edit in _newest_of_each(self.request.edits):
            if edit.path is not None and not may_be_secret(edit.path) and (text := difference(edit)):
                self._take(Part(PartKind.DIFF, f"changed lately in {self._name(edit.path)}", text, edit.path))

    def take_outline(self) -> None:
        document, facts = self.request.document, self.request.facts
        if document is None or document.path is None or facts is None or not facts.outline:
            return
        if isinstance(refusal := self.desk.read(document.path), Refusal):
            self.found.warnings.append(refusal.why)
            return
        text = "\n".join(entry.text for entry in facts.outline)
        self._take(
            Part(PartKind.OUTLINE, f"outline of {self._name(document.path)}, the open file", text, document.path)
        )

    def take_chunks(self) -> None:
        root = self.request.root
        if root is None:
            return
        whole = {part.path for part in self.found.parts if part.kind is PartKind.FILE}
        limit = self.n_left - round(self.n_left * _CHUNK_SHARE)
        n_taken, by_file = 0, dict[Path, int]()
        for chunk in self.desk.lookup.search(root, [self.request.text], None, 3 * _MAX_CHUNKS):
            if n_taken == _MAX_CHUNKS or self.n_left <= limit:
                break
            if chunk.path in whole or by_file.get(chunk.path, 0) == _MAX_PER_FILE or self._is_shown(chunk):
                continue
            if self._take(_chunk_part(chunk), may_cut=False):
                n_taken += 1
                by_file[chunk.path] = by_file.get(chunk.path, 0) + 1

    def _is_shown(self, chunk: FoundChunk) -> bool:
        """Whether its first lines stand in a part already: a selection, or a symbol that was named."""
        head = chunk.text.strip()[:200]
        return any(head in part.text for part in self.found.parts if part.path == chunk.path)

    def _take(self, part: Part, *, may_cut: bool = True) -> bool:
        """Put a part in, cut at a line's end if it must be; whether there was room for any of it."""
        size = self.count(part.written())
        if size > self.n_left:
            if not may_cut or self.n_left < _LEAST_TOKENS:
                return False
            part = Part(part.kind, part.label, _cut_to(part, self.n_left, self.count), part.path)
            size = self.count(part.written())
            if size > self.n_left:
                return False
        self.n_left -= size
        self.found.parts.append(part)
        return True

    def _name(self, path: Path | None, uri: str = "") -> str:
        return self.desk.name(path) if path is not None else uri.rpartition("/")[2] or "untitled"


def _cut_to(part: Part, n_tokens: int, count: Callable[[str], int]) -> str:
    """The first lines of a part that have room, with a line that says so."""
    lines = part.text.splitlines()
    low, high = 0, len(lines)

    def cut(n_lines: int) -> str:
        return "\n".join([*lines[:n_lines], _CUT.format(n=n_lines, total=len(lines))])

    while low < high:
        middle = (low + high + 1) // 2
        if count(Part(part.kind, part.label, cut(middle), part.path).written()) <= n_tokens:
            low = middle
        else:
            high = middle - 1
    return cut(low)


def _chunk_part(chunk: FoundChunk) -> Part:
    label = f"{chunk.relative}, lines {chunk.line + 1}-{chunk.end_line}"
    return Part(PartKind.CHUNK, label, chunk.text.rstrip("\n"), chunk.path)


def _newest_of_each(edits: Sequence[Edit]) -> Iterator[Edit]:
    """The last few edits, the newest first."""
    yield from list(reversed(edits))[:_N_EDITS]
