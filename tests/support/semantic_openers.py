"""A process that opens semantic caches whenever it is told to, to race with others of its kind.

For each path on standard input it opens that store, puts an entry, reads it, and answers `ok` or the error.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from codeassistd.completion.semantic.store import open_or_remake
from codeassistd.errors import StoreError

__all__: list[str] = []

_MAX_BYTES = 1 << 20


def main(name: str) -> None:
    """Serve until standard input ends; `name` tells the processes apart in the keys."""
    key = name.encode()
    for line in sys.stdin:
        try:
            store, note = open_or_remake(Path(line.strip()), _MAX_BYTES)
            with closing(store):
                store.put(key, b"value of " + key)
                note = note or ("" if store.get(key) == b"value of " + key else "not what was put")
        except StoreError as error:
            note = str(error)
        print(note or "ok", flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1])
