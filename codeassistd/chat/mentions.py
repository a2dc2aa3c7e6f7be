"""What a question names: `#src/cart.py` is a file, `@Cart.total` a symbol."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["Mentions", "mentions_in"]

_FENCE = re.compile(r"^(`{3,}|~{3,}).*?(?:^\1|\Z)|`[^`\n]*`", re.MULTILINE | re.DOTALL)
#: A file has a dot or a slash in its name, so that `#12` and `# Title` are none.
_FILE = re.compile(r"(?:(?<=\s)|^)#(?P<name>[^\s#,;:!?()\[\]{}'\"]*[^\s#,;:!?()\[\]{}'\".])")
_SYMBOL = re.compile(r"(?:(?<=[\s(])|^)@(?P<name>[^\W\d]\w*(?:(?:\.|::)[^\W\d]\w*)*)")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Names in order of their first mention, each once."""

    files: tuple[str, ...]
    symbols: tuple[str, ...]


def mentions_in(text: str) -> Mentions:
    """The names that a question mentions, outside of code."""
    prose = _FENCE.sub(" ", text)
    files = [found["name"] for found in _FILE.finditer(prose) if "." in found["name"] or "/" in found["name"]]
    symbols = [found["name"].replace("::", ".") for found in _SYMBOL.finditer(prose)]
    return Mentions(tuple(dict.fromkeys(files)), tuple(dict.fromkeys(symbols)))
