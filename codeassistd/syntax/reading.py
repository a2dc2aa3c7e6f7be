"""What has been read of one text, kept so that an edit reads anew only what it touches."""

from __future__ import annotations

from collections.abc import Callable

import tree_sitter

from codeassistd.syntax.chunks import Chunker
from codeassistd.syntax.edits import TextEdit
from codeassistd.syntax.facts import FileFacts
from codeassistd.syntax.grammar import Captures, Pattern, PatternSet
from codeassistd.syntax.heads import Heads
from codeassistd.syntax.imports import ImportCollector
from codeassistd.syntax.languages import Language
from codeassistd.syntax.outline import OutlineCollector
from codeassistd.syntax.references import ReferenceCollector
from codeassistd.syntax.source import Marks, Source
from codeassistd.syntax.tags import TagCollector
from codeassistd.text import Span, Text

__all__ = ["Reading"]

_Take = Callable[[Pattern, tree_sitter.Node, Captures], None]


class Reading:
    """One text, read by the pattern sets that are asked for; nothing of a tree is kept.

    The rows after any edits are those of a reading from nothing of the same tree: a test with random edits says so.
    """

    def __init__(self, language: Language, text: Text) -> None:
        """Begin with nothing read of `text`."""
        self._language = language
        self._source = source = Source(text)
        self._marks = Marks()
        self._tags, self._references = TagCollector(source), ReferenceCollector(source)
        self._imports, self._outline = ImportCollector(source), OutlineCollector(source, language)
        self._chunker = Chunker()
        self._takers: dict[str, _Take] = {
            "tags": self._tags.add,
            "references": self._references.add,
            "imports": self._imports.add,
            "outline": self._outline.add,
            "marks": self._marks.add,
        }

    def read(self, patterns: PatternSet, tree: tree_sitter.Tree) -> None:
        """Take all that `patterns` find in the whole text."""
        takers = self._takers
        for pattern, node, captures in patterns.matches(tree, Span(0, len(self._source.text))):
            takers[pattern.section](pattern, node, captures)

    def edit(self, edit: TextEdit, text: Text) -> TextEdit:
        """Go on to `text`: forget what the edit touches, and move what lies behind it.

        Args:
            edit: of whole lines, as widened by `reread`.
            text: the new text.

        Returns:
            What is to be given to `read_again` for each pattern set: a bit more, down to the definition that comments
            and decorators behind the edit belong to.
        """
        old = self._source.text
        old_end = self._marks.run_below(old, edit.old_end)
        edit = TextEdit(edit.start, old_end, old_end + edit.delta)
        self._references.edit(edit, old, text)
        for collector in (self._marks, self._tags, self._imports, self._outline, self._chunker):
            collector.edit(edit)
        self._source.show(text)
        return edit

    def read_again(self, patterns: PatternSet, tree: tree_sitter.Tree, edit: TextEdit) -> None:
        """Take what `patterns` find in and round the new text of `edit`."""
        takers, start, end = self._takers, edit.start, edit.new_end
        # One byte more on each side: what only borders on the edit was forgotten, too.
        span = Span(max(0, start - 1), min(len(self._source.text), end + 1))
        for pattern, node, captures in patterns.matches(tree, span):
            if node.end_byte >= start and node.start_byte <= end:
                takers[pattern.section](pattern, node, captures)

    def facts(self, tree: tree_sitter.Tree, problems: tuple[str, ...] = ()) -> FileFacts:
        """All that was read, as rows; the outline is empty unless its patterns were read."""
        source, marks = self._source, self._marks
        heads, docs = Heads(source, marks), self._tags.docs(marks)
        symbols = self._tags.symbols(heads, docs, self._references.bases)
        return FileFacts(
            language=self._language.name,
            symbols=symbols,
            references=self._references.references(self._tags.places),
            imports=self._imports.imports(),
            outline=self._outline.entries(heads),
            chunks=self._chunker.chunks(source.text, tree, symbols, docs),
            problems=problems,
        )
