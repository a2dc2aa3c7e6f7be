"""A process that opens stores whenever it is told to, to race with others of its kind.

For each path on standard input it opens that store, writes a file's rows, and answers `ok` or the error.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from codeassistd.errors import StoreError
from codeassistd.index.parsed import Parsed
from codeassistd.index.store import open_or_remake


def main(name: str) -> None:
    """Serve until standard input ends; `name` tells the processes apart in the rows."""
    for line in sys.stdin:
        try:
            store, note = open_or_remake(Path(line.strip()))
            with closing(store):
                store.put(store.workspace(Path("/w")), name, "python", Parsed(1, 1, b"", "indexed"))
        except StoreError as error:
            note = str(error)
        print(note or "ok", flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1])
