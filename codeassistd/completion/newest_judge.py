"""The best judge of a place that there is by now.

A large document is judged by its tree, and that may come only after the request: while the model writes, the document
is read beside it. Until then only a piece round the cursor can be judged, which may be broken by the very cut.
"""

from __future__ import annotations

from collections.abc import Callable

from codeassistd.syntax.grammar import Grammar
from codeassistd.syntax.parser import ParsedDocument
from codeassistd.syntax.soundness import Soundness
from codeassistd.text import Text

__all__ = ["NewestJudge"]


class NewestJudge:
    """Of one cursor in one version of a document; used on the loop's thread."""

    def __init__(
        self, grammar: Grammar | None, text: Text, offset: int, newest_tree: Callable[[], ParsedDocument | None]
    ) -> None:
        """Judge what is put into `text` at byte `offset`; `newest_tree` gives the tree that there is when asked."""
        self._grammar = grammar
        self._text = text
        self._offset = offset
        self._newest_tree = newest_tree
        self._judge: Soundness | None = None

    def now(self) -> Soundness | None:
        """The judge; None where nothing can be judged: no grammar, or no tree and lines that are too long."""
        if self._judge is None or not self._judge.is_whole:
            tree = self._newest_tree()
            if self._judge is None or tree is not None:
                self._judge = Soundness.at(self._grammar, self._text, self._offset, tree)
        return self._judge
