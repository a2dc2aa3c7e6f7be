"""Edits between two versions of a text, and how much has to be read again after one."""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

from codeassistd.text import Text, n_alike, n_alike_behind

__all__ = ["TextEdit", "difference", "reread"]

# A node up to this size is read again whole, so that patterns over several nodes see all of them: two milliseconds.
_WHOLE_BYTES = 8192


@dataclass(frozen=True, slots=True)
class TextEdit:
    """What was replaced between two texts: old bytes `start` to `old_end` became new bytes `start` to `new_end`."""

    start: int
    old_end: int
    new_end: int

    @property
    def delta(self) -> int:
        """By how much everything behind the edit moved."""
        return self.new_end - self.old_end


def difference(old: bytes, new: bytes) -> TextEdit:
    """The smallest single edit that makes `new` of `old`: what lies between their common start and common end."""
    start = n_alike(old, new)
    n_end = n_alike_behind(old, new, min(len(old), len(new)) - start)
    return TextEdit(start, len(old) - n_end, len(new) - n_end)


def reread(edit: TextEdit, told: tree_sitter.Tree, tree: tree_sitter.Tree, text: Text) -> TextEdit:
    """`edit`, widened to all that may read differently now, in whole lines.

    What lies outside has the same nodes round it as before. A pattern may look at more than what is round a place,
    though: so small nodes are widened to as a whole, the line on either side comes in, and what follows next.

    Args:
        edit: what was replaced.
        told: the old tree, after it was told of the edit.
        tree: the new tree.
        text: the new text.
    """
    changed = told.changed_ranges(tree)
    start = min([edit.start, *(change.start_byte for change in changed)])
    end = min(len(text), max([edit.new_end, *(change.end_byte for change in changed)]))
    node = tree.root_node.descendant_for_byte_range(start, end) or tree.root_node
    while node.parent is not None and node.end_byte - node.start_byte <= _WHOLE_BYTES:
        start, end = min(start, node.start_byte), max(end, node.end_byte)
        node = node.parent
    end = max(end, _start_behind(node, end))
    first, last = max(0, text.line_of(start) - 1), text.line_of(min(end, len(text))) + 1
    start, end = text.line_start(first), text.line_start(last + 1)
    return TextEdit(start, end - edit.delta, end)


def _start_behind(node: tree_sitter.Node, end: int) -> int:
    """Where the first child of `node` behind `end` starts that is no comment; 0 where there is none."""
    # By a cursor: where there is no such child, `Node.first_child_for_byte` gives a node that crashes whoever reads it.
    cursor = node.walk()
    if cursor.goto_first_child_for_byte(end) is None:
        return 0
    while cursor.node is not None and cursor.node.is_extra:
        if not cursor.goto_next_sibling():
            return 0
    return 0 if cursor.node is None else cursor.node.start_byte
