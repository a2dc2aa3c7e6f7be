"""Texts with the cursor drawn into them, so that a test shows the place it speaks of.

text, offset = marked("foo(|)")  # ("foo()", 4)
"""

from __future__ import annotations

__all__ = ["marked", "marked_all"]


def marked(source: str, mark: str = "|") -> tuple[str, int]:
    """The text without its one mark, and the byte offset where the mark stood.

    Args:
        source: a text with exactly one mark.
        mark: what marks the place; choose another where `|` is part of the text.

    Raises:
        ValueError: there is no mark, or more than one.
    """
    text, offsets = marked_all(source, mark)
    if len(offsets) != 1:
        raise ValueError(f"expected one {mark!r} in the marked text, found {len(offsets)}")
    return text, offsets[0]


def marked_all(source: str, mark: str = "|") -> tuple[str, tuple[int, ...]]:
    """The text without its marks, and the byte offset of each, in order; two of them draw a span."""
    pieces = source.split(mark)
    offsets: list[int] = []
    n_bytes = 0
    for piece in pieces[:-1]:
        n_bytes += len(piece.encode("utf-8", "surrogatepass"))
        offsets.append(n_bytes)
    return "".join(pieces), tuple(offsets)
