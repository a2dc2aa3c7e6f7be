"""Three ways to make the prompt of one case: ours, the file alone, and the file with the ring of recent windows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from codeassistd.catalogue.profile import Profile
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.prompt import marks_files
from codeassistd.context.render import commented
from codeassistd.context.tokens import TokenCache
from codeassistd.context.types import ContextRequest, PartKind, Prompt, PromptPart
from codeassistd.documents.document import Document
from codeassistd.engine.backend import Vocabulary
from codeassistd.evals.context.case import Case
from codeassistd.evals.context.ring import Windows
from codeassistd.index.types import IndexLookup, NoIndex
from codeassistd.syntax.document_facts import DocumentFacts
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.languages import Languages
from codeassistd.text import Text

__all__ = ["Asker", "Way", "facts_of"]

_N_OUTPUT = 64
_RING_SHARE = 0.5
"""Of the prompt, for the windows; the file has the rest."""


class Way(StrEnum):
    """Whose context."""

    OURS = "ours"
    FILE = "file"
    """Nothing but the open file."""
    RING = "ring"
    """The open file and windows of 64 lines where the user has been."""
    OTHER = "other"
    """Ours with other settings."""


def facts_of(case: Case, text: Text) -> FileFacts:
    """What the parser says about the file of a case with another text."""
    return DocumentFacts(Languages.default()).facts(case.file.path, case.file.facts.language, text)


@dataclass(frozen=True, slots=True)
class Asker:
    """Makes prompts for the cases of one repository with one model's vocabulary."""

    root: Path
    lookup: IndexLookup
    vocabulary: Vocabulary
    profile: Profile
    settings: ContextSettings

    def prompts(self, case: Case, windows: Windows, n_tokens: int) -> Mapping[Way, Prompt]:
        """The prompts of a case, none longer than `n_tokens`."""
        return {
            Way.OURS: self.ours(case, n_tokens),
            Way.FILE: self.file(case, n_tokens),
            Way.RING: self.ring(case, windows, n_tokens),
        }

    def ours(self, case: Case, n_tokens: int) -> Prompt:
        """What the daemon would ask in a file that was just opened."""
        return self._build(self.lookup, case, n_tokens, {})

    def file(self, case: Case, n_tokens: int) -> Prompt:
        """As much of the open file as fits."""
        return self._build(NoIndex(), case, n_tokens, {"outline": False})

    def ring(self, case: Case, windows: Windows, n_tokens: int) -> Prompt:
        """Windows, the oldest first, and the open file in the room that they leave."""
        tokens = TokenCache(self.vocabulary)
        parts: list[tuple[tuple[int, ...], PromptPart]] = []
        room = int(n_tokens * _RING_SHARE)
        for path, text in windows:
            lines = text.splitlines(keepends=True)
            while lines and len(self._ring_ids(path, "".join(lines), tokens)) > room:
                # The last one that gets in is cut, at a line.
                lines = lines[: len(lines) * 3 // 4]
            if not lines:
                break
            shown = "".join(lines)
            ids = self._ring_ids(path, shown, tokens)
            room -= len(ids)
            parts.insert(0, (ids, PromptPart(PartKind.DEFINITIONS, path, len(ids), shown)))
        n_ring = sum(len(ids) for ids, _ in parts)
        rest = self.file(case, n_tokens - n_ring)
        begin = 0 if self.profile.bos is None else 1
        ids = (*rest.ids[:begin], *(token for ids, _ in parts for token in ids), *rest.ids[begin:])
        return Prompt(ids, (*(part for _, part in parts), *rest.parts), rest.left_out)

    def request(self, document: Document, offset: int, n_tokens: int, facts: FileFacts) -> ContextRequest:
        """The question at a cursor."""
        return ContextRequest(
            document=document,
            offset=offset,
            root=self.root,
            facts=facts,
            settings=self.settings.model_copy(update={"max_tokens": n_tokens}),
            n_output=_N_OUTPUT,
            n_max=n_tokens + _N_OUTPUT,
        )

    def document(self, case: Case, text: Text, version: int = 1) -> Document:
        """The file of a case with another text."""
        path = self.root / case.file.path
        return Document(path.as_uri(), path, case.file.facts.language, version, text)

    def _build(self, lookup: IndexLookup, case: Case, n_tokens: int, changes: Mapping[str, object]) -> Prompt:
        facts = facts_of(case, case.text)
        request = self.request(self.document(case, case.text), case.offset, n_tokens, facts)
        request = replace(request, settings=request.settings.model_copy(update=dict(changes)))
        return ContextBuilder(lookup).build(request, self.vocabulary, self.profile)

    def _ring_ids(self, path: str, text: str, tokens: TokenCache) -> tuple[int, ...]:
        marker = self.profile.file_sep if self.profile.file_sep is not None else self.profile.filename
        if marks_files(self.profile) and marker is not None:
            return (marker, *tokens.ids(f"{path}\n{text}"))
        return tuple(tokens.ids(commented(f"{path}\n{text}", Languages.default().by_path(path))))
