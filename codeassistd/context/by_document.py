"""What is remembered of each client's document, for as many documents as anybody works on at once."""

from __future__ import annotations

from collections import OrderedDict
from typing import Generic, TypeVar

__all__ = ["ByDocument", "DocumentKey"]

T = TypeVar("T")

DocumentKey = tuple[str, str]
"""A client, and the URI of one of its documents."""

_MAX_DOCUMENTS = 64


class ByDocument(Generic[T]):
    """One value for each document; of too many, those that were put longest ago go. Belongs to one thread."""

    def __init__(self) -> None:
        self._values: OrderedDict[DocumentKey, T] = OrderedDict()

    def get(self, key: DocumentKey) -> T | None:
        """What was put for a document; None if it is not known."""
        return self._values.get(key)

    def put(self, key: DocumentKey, value: T) -> None:
        """Remember `value`, in place of what was known."""
        self._values[key] = value
        self._values.move_to_end(key)
        while len(self._values) > _MAX_DOCUMENTS:
            self._values.popitem(last=False)

    def drop(self, key: DocumentKey) -> None:
        """Forget what is known of a document, if anything."""
        self._values.pop(key, None)
