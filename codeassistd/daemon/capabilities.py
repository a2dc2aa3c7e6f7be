"""What the language server can do: the answer to `initialize`.

The proxy answers `initialize` by itself, before any daemon runs, and the server gives the same answer when the request
is replayed to it. Both take it from here: a file that is checked in, one rule for the position encoding, and one for
the completion menu. Standard library only, since the proxy uses it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

from codeassistd import __version__
from codeassistd.text import PositionEncoding

__all__ = ["MENU_TRIGGERS", "asks_for_menu", "capabilities", "initialize_result", "position_encoding"]

#: After these the editor opens its menu by itself, as it does in a word. Only what hardly ends a line: where an editor
#: selects the first entry by itself, Enter would take it in place of ending the line.
MENU_TRIGGERS = (".", "=")
_FILE = Path(__file__).with_name("capabilities.json")


def initialize_result(params: Mapping[str, object]) -> dict[str, object]:
    """The whole result of an `initialize` request with these (unchecked) parameters."""
    return {
        "capabilities": capabilities(params),
        "serverInfo": {"name": "codeassistd", "version": __version__},
    }


def capabilities(params: Mapping[str, object]) -> dict[str, object]:
    """The server's capabilities for a client that initializes with these (unchecked) parameters."""
    known = cast("dict[str, object]", json.loads(_FILE.read_text(encoding="utf-8")))
    if asks_for_menu(params):
        known["completionProvider"] = {"triggerCharacters": list(MENU_TRIGGERS)}
    return known | {"positionEncoding": position_encoding(params).value}


def asks_for_menu(params: Mapping[str, object]) -> bool:
    """Whether a client wants suggestions in its completion menu, from the start: `completion.menu` in its options.

    They may be flat, or a section like everywhere else.
    """
    options = _get(params, "initializationOptions")
    section = options if _get(options, "codeassistd") is None else _get(options, "codeassistd")
    return _get(_get(section, "completion"), "menu") is True


def position_encoding(params: Mapping[str, object]) -> PositionEncoding:
    """The unit of positions: the first of the client's that we know, in its order of preference, else UTF-16.

    UTF-16 is what every client must understand, also one that says nothing or something malformed.
    """
    offered = _get(_get(_get(params, "capabilities"), "general"), "positionEncodings")
    if isinstance(offered, list | tuple):
        for name in offered:
            if name in tuple(PositionEncoding):
                return PositionEncoding(name)
    return PositionEncoding.UTF16


def _get(value: object, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None
