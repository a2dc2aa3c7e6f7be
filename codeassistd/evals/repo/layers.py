"""What a prompt is without one of its layers, to see what the layer is worth."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from codeassistd.config import ContextSettings
from codeassistd.context.types import PartKind
from codeassistd.index.types import IndexLookup, NoIndex

__all__ = ["Layer", "has_layer", "without"]


class Layer(StrEnum):
    """A part of prompts that can be left out."""

    OUTLINE = "outline"
    """Of the open file."""
    DEFINITIONS = "definitions"
    """Of other files."""
    PIECES = "pieces"
    """Of other files that look like the code at the cursor."""
    ALL = "all"
    """Nothing is left but the window round the cursor."""


_PARTS = {
    Layer.OUTLINE: {PartKind.OUTLINE},
    Layer.DEFINITIONS: {PartKind.DEFINITIONS},
    Layer.PIECES: {PartKind.CHUNKS},
    Layer.ALL: {PartKind.OUTLINE, PartKind.DEFINITIONS, PartKind.CHUNKS},
}


def has_layer(parts: Collection[str], layer: Layer) -> bool:
    """Whether a prompt of these kinds of parts has the layer; without it nothing changes where it is left out."""
    return any(part.value in parts for part in _PARTS[layer])


def without(layer: Layer, lookup: IndexLookup, context: ContextSettings) -> tuple[IndexLookup, ContextSettings]:
    """What may be asked, and the settings, for prompts that lack a layer."""
    if layer is Layer.OUTLINE:
        return lookup, context.model_copy(update={"outline": False})
    if layer is Layer.DEFINITIONS:
        return lookup, context.model_copy(update={"definitions": 0})
    if layer is Layer.PIECES:
        return lookup, context.model_copy(update={"pieces": 0})
    return NoIndex(), context.model_copy(update={"outline": False})
