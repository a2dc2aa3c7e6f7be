"""C's declarators: `int *(*table[4])(void)` declares `table`, somewhere inside."""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

__all__ = ["Declared", "unwrap"]

_NAMES = frozenset(
    {"identifier", "field_identifier", "type_identifier", "primitive_type", "destructor_name", "operator_name"}
)
# These stand round a declarator without changing what it declares.
_TRANSPARENT = frozenset({"parenthesized_declarator", "attributed_declarator"})
# What a qualified or templated name holds its last part in, and what a wrapper holds the rest in.
_FIELDS = ("declarator", "name")


@dataclass(frozen=True, slots=True)
class Declared:
    """What a declarator declares.

    Attributes:
        name: the node of its name.
        qualified: the node of the name with its qualification (`Shape::area`), where it has one.
        is_function: it declares a function, not a variable that holds one.
    """

    name: tree_sitter.Node
    qualified: tree_sitter.Node | None
    is_function: bool


def unwrap(declarator: tree_sitter.Node) -> Declared | None:
    """Go in to the name; None where it declares none (a conversion operator, broken code)."""
    node, qualified, innermost = declarator, None, ""
    while node.type not in _NAMES:
        if node.type == "qualified_identifier":
            qualified = qualified or node
        elif node.type not in _TRANSPARENT:
            innermost = node.type
        inner = _inner(node)
        if inner is None:
            return None
        node = inner
    return Declared(node, qualified, innermost == "function_declarator")


def _inner(node: tree_sitter.Node) -> tree_sitter.Node | None:
    for field in _FIELDS:
        inner = node.child_by_field_name(field)
        if inner is not None:
            return inner
    # References, brackets and attributes hold theirs without a field.
    children = node.named_children
    return next((child for child in children if child.type in _NAMES or child.type.endswith("declarator")), None)
