"""A file of text that the user named on the command line."""

from __future__ import annotations

import stat
from pathlib import Path

from codeassistd.errors import UsageError

__all__ = ["read_text_file"]

#: No source text is nearly so large, and reading it would only take memory.
_MAX_BYTES = 64 * 1_048_576


def read_text_file(name: str | Path) -> str:
    """The text, without the byte-order mark that editors do not show.

    Raises:
        UsageError: there is no such file, it cannot be read, has no end (a device, a pipe) or none near, or is no text.
    """
    path = Path(name)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            raise UsageError(f"{name} is a device or a pipe; name a file")
        if status.st_size > _MAX_BYTES:
            raise UsageError(f"{name} is larger than {_MAX_BYTES // 1_048_576} MiB; name a file of source text")
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise UsageError(f"there is no file {name}") from error
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not UTF-8 (byte {error.start}); save it as UTF-8") from error
