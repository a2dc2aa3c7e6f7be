"""Everything that is wanted in one prompt, and the prompt that comes of it in a given room."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from codeassistd.context.budget import Allotment, Demand, Line, allot
from codeassistd.context.outline import choose_outline
from codeassistd.context.prompt import Material, assemble, has_middle, has_suffix, rereads_suffix
from codeassistd.context.render import outline_text
from codeassistd.context.score import Identity, identity
from codeassistd.context.tokens import Seam
from codeassistd.context.types import ContextRequest, PartKind, Prompt
from codeassistd.context.window import Window
from codeassistd.context.writing import Writing
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.types import Definition, FoundChunk
from codeassistd.syntax.facts import FileFacts

__all__ = ["Draft"]

#: Most tokens of the text behind the cursor that answers are guessed from; what an answer repeats stands near it.
_N_BESIDE = 512

_HEAD_STEP = 32
_PLENTY = 4


@dataclass(frozen=True, slots=True)
class Draft:
    """All that is wanted in one prompt; `fill` makes it fit.

    Attributes:
        frame: the names that stand in every prompt of this document.
        scores: worth of each definition, so far as it is known.
        edits: path and edit of each that the window does not show, the oldest first.
        n_fixed: tokens of the frame and of the model's markers.
    """

    request: ContextRequest
    writing: Writing
    window: Window
    definitions: tuple[Definition, ...]
    scores: Mapping[Identity, float]
    chunks: tuple[FoundChunk, ...]
    edits: tuple[tuple[str, Edit], ...]
    frame: Material
    n_fixed: int

    def fill(self, room: int) -> Prompt:
        """The prompt whose parts share `room` tokens."""
        head, demand = self._demand(room)
        allotment = allot(demand)
        outline = ""
        facts = self.request.facts
        if facts is not None and self.request.settings.outline and not self._shows_all(demand, allotment):
            # No token is shorter than a byte, so this is more than the outline can take.
            demand = replace(
                demand, outline=sum(len(entry.text.encode("utf-8", "surrogatepass")) for entry in facts.outline)
            )
            allotment = allot(demand)
            outline = self._outline(facts, _shown(demand, allotment), allotment.outline)
        return assemble(self._material(demand, allotment, head, outline), self.writing.profile, self.writing.tokens)

    def beside(self) -> tuple[tuple[int, ...], ...]:
        """Tokens of the text behind the cursor, where the model cannot be shown it; the nearest lines."""
        if has_suffix(self.writing.profile):
            return ()
        ids: list[int] = []
        for chunk in self.writing.tokens.chunks(self.window.suffix):
            if len(ids) >= _N_BESIDE:
                break
            ids += self.writing.tokens.chunk_ids(chunk)
        return (tuple(ids),) if ids else ()

    def _demand(self, room: int) -> tuple[str, Demand]:
        """The start of the cursor's line, as it will be tokenised, and what is wanted beside it."""
        window = self.window
        if has_middle(self.writing.profile):
            head, above = window.head, self._lines_above(window.above, room)
        else:
            above = self._lines_above(window.prefix, room)
            head = above.pop().text if above else ""
        demand = Demand(
            definitions=self._definition_sizes(),
            chunks=[self.writing.piece_size(chunk) for chunk in self.chunks],
            edits=[self.writing.edit_size(edit) for edit in reversed(self.edits)],
            outline=0,
            prefix=above,
            suffix=self._lines_below(window.suffix, self._suffix_room(room)),
            line=window.line,
            room=room - _paid_for(self.writing.tokens.count(head), room),
        )
        return head, demand

    def _suffix_room(self, room: int) -> int:
        """Most tokens of the suffix: where each letter stands in front of it, each has all of it read again."""
        profile, n_key = self.writing.profile, self.request.n_key
        if not has_suffix(profile):
            return 0
        return room if n_key is None or not rereads_suffix(profile) else min(room, n_key)

    def _material(self, demand: Demand, allotment: Allotment, head: str, outline: str) -> Material:
        prefix = "".join(line.text for line in demand.prefix[len(demand.prefix) - allotment.n_prefix :])
        middle = has_middle(self.writing.profile)
        left_out = self.writing.tokens.joined_end(head)
        head = head.removesuffix(left_out)
        if not middle:
            prefix += head
        if allotment.n_prefix < len(demand.prefix):
            # The first line is no longer behind a line break.
            prefix = prefix.lstrip("\n")
        return replace(
            self.frame,
            chunks=tuple(self.writing.pieces(self.chunks[: allotment.n_chunks])),
            edits=tuple(self.writing.edits(self.edits[len(self.edits) - allotment.n_edits :])),
            definitions=tuple(self.writing.files(self.definitions[: allotment.n_definitions])),
            outline=outline,
            prefix=prefix,
            suffix="".join(line.text for line in demand.suffix[: allotment.n_suffix]),
            middle=head if middle else "",
            left_out=left_out,
            scores=self._scores(allotment),
        )

    def _scores(self, allotment: Allotment) -> dict[tuple[PartKind, str], float]:
        """The worth of the best of each kind in each file that lends some."""
        best: dict[tuple[PartKind, str], float] = {}
        worths = [
            *((PartKind.CHUNKS, each.relative, each.score) for each in self.chunks[: allotment.n_chunks]),
            *(
                (PartKind.DEFINITIONS, each.relative, score)
                for each in self.definitions[: allotment.n_definitions]
                if (score := self.scores.get(identity(each))) is not None
            ),
        ]
        for kind, path, score in worths:
            best[kind, path] = max(score, best.get((kind, path), score))
        return best

    def _lines_above(self, text: str, room: int) -> list[Line]:
        """The chunks of `text`, which ends at the cursor or its line: as many as fill `room`, and one more."""
        lines: list[Line] = []
        end, used = self.window.line, 0
        for chunk in reversed(self.writing.tokens.chunks(text)):
            start = end - chunk.count("\n")
            lines.append(self._line(chunk, start, end))
            used += lines[-1].n_tokens
            if used > room:
                break
            end = start
        return lines[::-1]

    def _lines_below(self, text: str, room: int) -> list[Line]:
        """The chunks of `text`, which begins at the cursor: as many as fill `room`, and one more; none for no room."""
        lines: list[Line] = []
        start, used = self.window.line + self.window.head.count("\n"), 0
        for chunk in self.writing.tokens.chunks(text) if room > 0 else ():
            end = start + chunk.count("\n")
            lines.append(self._line(chunk, start, end))
            used += lines[-1].n_tokens
            if used > room:
                break
            start = end
        return lines

    def _line(self, chunk: str, start: int, end: int) -> Line:
        # A chunk that begins with line breaks shows the line that it ends on.
        number = end if self.writing.tokens.seam is Seam.BEFORE_BREAK else start
        return Line(chunk, len(self.writing.tokens.chunk_ids(chunk)), number)

    def _definition_sizes(self) -> list[int]:
        """Tokens that each definition adds to those before it, the names of their files counted in."""
        before = (None, *self.definitions)
        return [self.writing.size_behind(*pair) for pair in zip(before, self.definitions, strict=False)]

    def _outline(self, facts: FileFacts, shown: tuple[int, int], limit: int) -> str:
        entries = choose_outline(
            facts,
            shown,
            self.request.offset,
            limit,
            lambda text: self.writing.tokens.count(self.writing.comment(f"{text}\n")),
        )
        return outline_text(entries, self.writing.language)

    def _shows_all(self, demand: Demand, allotment: Allotment) -> bool:
        """Whether the prompt holds the whole document, so that an outline would only repeat it."""
        whole = self.window.starts_file and self.window.ends_file
        return whole and (allotment.n_prefix, allotment.n_suffix) == (len(demand.prefix), len(demand.suffix))


def _paid_for(n_head: int, room: int) -> int:
    """Room that the start of the cursor's line takes, in whole steps where there is plenty.

    Paid for to the token, each typed letter would take a token from the other parts, and now and then push a line out
    at their far end, which moves everything behind it in the prompt.
    """
    stepped = -(-n_head // _HEAD_STEP) * _HEAD_STEP
    return stepped if room >= _PLENTY * stepped else n_head


def _shown(demand: Demand, allotment: Allotment) -> tuple[int, int]:
    """First line that the prompt shows, and the first one behind."""
    prefix = demand.prefix[len(demand.prefix) - allotment.n_prefix :]
    suffix = demand.suffix[: allotment.n_suffix]
    start = prefix[0].number if prefix else demand.line
    return start, max(demand.line, suffix[-1].number if suffix else 0) + 1
