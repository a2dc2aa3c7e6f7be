"""URIs of documents and paths on disk, both ways.

Only `file:` URIs of this machine have a path; untitled buffers, remote folders and versions shown from a repository do
not, and the rooms that read files leave those alone. Editors disagree about percent-encoding and the case of drive
letters (`file:///c%3A/x` and `file:///C:/x` are one file), so paths are compared, never URIs.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from urllib.parse import quote_from_bytes, unquote_to_bytes, urlsplit

__all__ = ["path_of", "uri_of"]

_LOCAL_HOSTS = frozenset({"", "localhost"})
_DRIVE = re.compile(r"/[A-Za-z]:(/|$)")
#: Letters that stay as they are in the path of a URI.
_SAFE = "/:@!$&'()*+,;=~"


def path_of(uri: str) -> Path | None:
    """The path of a `file:` URI; None for other schemes, other machines and what no path can hold."""
    flavour = PureWindowsPath if os.name == "nt" else PurePosixPath
    path = _local_path(uri, flavour)
    return None if path is None else Path(path)


def uri_of(path: PurePath) -> str:
    """The `file:` URI of an absolute path, in the form editors use.

    Raises:
        ValueError: the path is not absolute.
    """
    if not path.is_absolute():
        raise ValueError(f"only an absolute path has a URI, and this is none: {path}")
    text = quote_from_bytes(os.fsencode(path.as_posix()), safe=_SAFE)
    if text.startswith("//"):  # \\server\share\x
        return f"file:{text}"
    return f"file://{text}" if text.startswith("/") else f"file:///{text}"


def _local_path(uri: str, flavour: type[PurePath]) -> PurePath | None:
    """The path of `uri` on a system whose paths are of `flavour`."""
    try:
        parts = urlsplit(uri)
        # Names that are not UTF-8 exist; they come as percent-encoded bytes and leave as Python spells such names.
        text, host = os.fsdecode(unquote_to_bytes(parts.path)), parts.netloc.lower()
    except ValueError:  # a broken host such as "file://[x"
        return None
    if parts.scheme != "file" or not text.startswith("/") or "\0" in text:
        return None
    if issubclass(flavour, PureWindowsPath):
        if host not in _LOCAL_HOSTS:
            return flavour(f"//{host}{text}")
        return flavour(text[1:]) if _DRIVE.match(text) else None
    return flavour(text) if host in _LOCAL_HOSTS else None
