"""What a definition stands in, as its qualified name tells it."""

from __future__ import annotations

from codeassistd.index.types import Definition
from codeassistd.syntax.facts import CLASS_KINDS

__all__ = ["group_of", "holder_of"]


def holder_of(definition: Definition) -> str:
    """The qualified name of what a definition is a member of; empty for none."""
    return definition.qualified_name.removesuffix(definition.name).rstrip(".")


def group_of(definition: Definition) -> str:
    """The qualified name of what a definition is written with: its class, or a class itself, as their head."""
    return holder_of(definition) or (definition.qualified_name if definition.kind in CLASS_KINDS else "")
