"""The names by which the engine knows conversations: they keep a prompt warm, and tell what has to be forgotten."""

from __future__ import annotations

from collections.abc import Callable

from codeassistd.chat.conversation import ConversationKey

__all__ = ["MINUTES", "client_of", "is_of", "is_of_workspace"]

_PREFIX = "chat "
#: Who reads turns to summarise them, of whatever conversation.
MINUTES = "chat minutes"


def client_of(key: ConversationKey) -> str:
    """The name of one conversation."""
    return f"{_prefix_of(key.root)}{key.session}"


def is_of(key: ConversationKey) -> Callable[[str], bool]:
    """Tells whether something was read for a conversation, or may have been."""
    return frozenset({client_of(key), MINUTES}).__contains__


def is_of_workspace(root: str | None) -> Callable[[str], bool]:
    """Tells whether something was read for the conversations of a workspace, or may have been; None: of any."""
    prefix = _PREFIX if root is None else _prefix_of(root)
    return lambda client: client == MINUTES or client.startswith(prefix)


def _prefix_of(root: str) -> str:
    # A URI has no such sign but for what we put there.
    return f"{_PREFIX}{root}#"
