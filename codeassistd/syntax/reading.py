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
_Taker = dict[int, int] | _Take
"""What becomes of the matches of one pattern: of most only the ends are kept, by their starts."""


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

    def read(self, patterns: PatternSet, tree: tree_sitter.Tree) -> None:
        """Take all that `patterns` find in the whole text."""
        self._take(patterns, tree, 0, len(self._source.text))

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
        self._take(patterns, tree, edit.start, edit.new_end)

    def facts(self, tree: tree_sitter.Tree, problems: tuple[str, ...] = ()) -> FileFacts:
        """All that was read, as rows; the outline is empty unless its patterns were read."""
        source, marks = self._source, self._marks
        heads, docs = Heads(source, marks), self._tags.docs(marks)
        symbols = self._tags.symbols(heads, docs, self._references.names_of_bases)
        return FileFacts(
            language=self._language.name,
            symbols=symbols,
            references=self._references.references(self._tags.places),
            imports=self._imports.imports(),
            outline=self._outline.entries(heads),
            chunks=self._chunker.chunks(source.text, tree, symbols, docs),
            problems=problems,
        )

    def _take(self, patterns: PatternSet, tree: tree_sitter.Tree, start: int, end: int) -> None:
        """Take the matches whose place lies or borders between `start` and `end`."""
        takers, known = self._takers_of(patterns), patterns.patterns
        # One byte more on each side: what only borders on an edit was forgotten, too.
        span = Span(max(0, start - 1), min(len(self._source.text), end + 1))
        for matches in patterns.matches(tree, span):
            for index, captures in matches:
                pattern, taker = known[index], takers[index]
                nodes = captures.get(pattern.place)
                if not nodes:
                    continue
                node = nodes[0]
                node_start, node_end = node.start_byte, node.end_byte
                if node_end < start or node_start > end:
                    continue
                if isinstance(taker, dict):
                    taker[node_start] = node_end
                else:
                    taker(pattern, node, captures)

    def _takers_of(self, patterns: PatternSet) -> list[_Taker]:
        """What becomes of the matches, by the indexes of their patterns."""
        marks, references = self._marks, self._references
        takers: dict[str, _Taker] = {
            "tags": self._tags.add,
            "imports": self._imports.add,
            "outline": self._outline.add,
            "comment": marks.comments,
            "attached": marks.attached,
            "reference": references.uses,
            "reference.base": references.bases,
        }
        return [
            next(takers[key] for key in (pattern.main, pattern.role, pattern.section) if key in takers)
            for pattern in patterns.patterns
        ]
