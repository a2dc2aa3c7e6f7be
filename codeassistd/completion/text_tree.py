"""A radix tree over texts: which of the kept texts does this one begin with?

Texts before a cursor share their beginnings, so each beginning is kept once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

__all__ = ["TextTree"]

T = TypeVar("T")


@dataclass(slots=True)
class _Node(Generic[T]):
    """An edge and what hangs on it; `value` belongs to the text that ends here."""

    edge: str
    value: T | None = None
    children: dict[str, _Node[T]] = field(default_factory=dict)


class TextTree(Generic[T]):
    """Values by text; none of them is None."""

    def __init__(self) -> None:
        self._root: _Node[T] = _Node("")
        self._n_values = 0

    def __len__(self) -> int:
        return self._n_values

    @property
    def n_letters(self) -> int:
        """Letters that it holds, shared ones once."""
        return sum(len(node.edge) for node in self._nodes(self._root))

    def put(self, text: str, value: T) -> None:
        """Keep `value` for `text`, in place of an older one."""
        node, done = self._root, 0
        while done < len(text):
            child = node.children.get(text[done])
            if child is None:
                child = node.children[text[done]] = _Node(text[done:])
            if not text.startswith(child.edge, done):
                child = self._split(node, child, _n_common(child.edge, text[done:]))
            node, done = child, done + len(child.edge)
        self._n_values += node.value is None
        node.value = value

    def along(self, text: str) -> Iterator[tuple[int, T]]:
        """The kept texts that `text` begins with, the longest first, as their lengths and values."""
        path = [(node, length) for node, length in self._path(text) if node.value is not None]
        for node, length in reversed(path):
            if node.value is not None:
                yield length, node.value

    def remove(self, text: str) -> None:
        """Forget the value of `text`; one that is not kept is ignored."""
        path = self._path(text)
        node, length = path[-1]
        if length != len(text) or node.value is None:
            return
        node.value = None
        self._n_values -= 1
        for (parent, _), (child, _) in zip(reversed(path[:-1]), reversed(path[1:]), strict=True):
            if child.value is None and not child.children:
                del parent.children[child.edge[0]]
            elif child.value is None and len(child.children) == 1:
                (grandchild,) = child.children.values()
                grandchild.edge = child.edge + grandchild.edge
                parent.children[grandchild.edge[0]] = grandchild

    def check_integrity(self) -> None:
        """Raise AssertionError if a node neither holds nor parts anything, or a count is false; for tests."""
        # ruff: noqa: S101 - an audit
        nodes = list(self._nodes(self._root))
        assert self._n_values == sum(node.value is not None for node in nodes)
        for node in nodes:
            assert all(edge == child.edge[:1] for edge, child in node.children.items())
            assert node is self._root or node.value is not None or len(node.children) > 1

    def _path(self, text: str) -> list[tuple[_Node[T], int]]:
        """The nodes that `text` passes from the root on, each with the length of its text."""
        path, node, done = [(self._root, 0)], self._root, 0
        while done < len(text):
            child = node.children.get(text[done])
            if child is None or not text.startswith(child.edge, done):
                break
            node, done = child, done + len(child.edge)
            path.append((node, done))
        return path

    def _split(self, parent: _Node[T], child: _Node[T], n_common: int) -> _Node[T]:
        upper: _Node[T] = _Node(child.edge[:n_common])
        child.edge = child.edge[n_common:]
        upper.children[child.edge[0]] = child
        parent.children[upper.edge[0]] = upper
        return upper

    def _nodes(self, node: _Node[T]) -> Iterator[_Node[T]]:
        stack = [node]
        while stack:
            node = stack.pop()
            yield node
            stack += node.children.values()


def _n_common(one: str, other: str) -> int:
    """Letters that both begin with."""
    differing = (n for n, (left, right) in enumerate(zip(one, other, strict=False)) if left != right)
    return next(differing, min(len(one), len(other)))
