"""How one model is written to: its markers, its vocabulary, and the language of the open file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from codeassistd.catalogue.profile import Profile
from codeassistd.context.prompt import marks_files
from codeassistd.context.render import commented, definition_files, definition_text, difference
from codeassistd.context.tokens import TokenCache
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.types import Definition, FoundChunk
from codeassistd.syntax.languages import Language, Languages

__all__ = ["Writing"]


@dataclass(frozen=True, slots=True)
class Writing:
    """Writes parts of prompts down and counts their tokens.

    Attributes:
        n_doc: most letters of a definition's documentation.
    """

    profile: Profile
    tokens: TokenCache
    language: Language | None
    languages: Languages
    n_doc: int

    def files(self, definitions: Sequence[Definition]) -> list[tuple[str, str]]:
        """Definitions as files, or as comments of the open file for a model without markers for files."""
        files = definition_files(definitions, self.languages.by_path, self.n_doc)
        if marks_files(self.profile):
            return files
        return [(path, self.comment(f"{path}\n{text}")) for path, text in files]

    def pieces(self, chunks: Sequence[FoundChunk]) -> list[tuple[str, str]]:
        """Pieces of files as files, or as comments of the open file for a model without markers for files."""
        files = [(chunk.relative, chunk.text if chunk.text.endswith("\n") else f"{chunk.text}\n") for chunk in chunks]
        if marks_files(self.profile):
            return files
        return [(path, self.comment(f"{path}\n{text}")) for path, text in files]

    def piece_size(self, chunk: FoundChunk) -> int:
        """Tokens that a piece of a file takes."""
        ((path, text),) = self.pieces([chunk])
        return self.tokens.count(f"{path}\n{text}") + 1 if marks_files(self.profile) else self.tokens.count(text)

    def edits(self, edits: Sequence[tuple[str, Edit]]) -> list[tuple[str, str]]:
        """Edits as differences, each under the name of its file."""
        files = [(f"{path}.diff", difference(edit)) for path, edit in edits]
        if marks_files(self.profile):
            return files
        return [(path, self.comment(f"{path}\n{text}")) for path, text in files]

    def edit_size(self, edit: tuple[str, Edit]) -> int:
        """Tokens that an edit takes."""
        ((path, text),) = self.edits([edit])
        return self.tokens.count(f"{path}\n{text}") + 1 if marks_files(self.profile) else self.tokens.count(text)

    def size_behind(self, behind: Definition | None, definition: Definition) -> int:
        """Tokens that a definition takes which stands behind another one, or behind none."""
        path, text = definition_text(definition, behind, self.languages.by_path, self.n_doc)
        if path:
            text = f"{path}\n{text}"
        if not marks_files(self.profile):
            return self.tokens.count(self.comment(text))
        # The marker of a file, too.
        return self.tokens.count(text) + bool(path)

    def comment(self, text: str) -> str:
        """`text` as comments of the open file."""
        return commented(text, self.language)
