"""A process that opens histories whenever it is told to, to race with others of its kind.

For each path on standard input it opens that history, adds a row, and answers `ok` or the error.
"""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

from codeassistd.completion.history.store import HistoryStore
from codeassistd.errors import StoreError
from tests.support.evidence import record


def main(name: str) -> None:
    """Serve until standard input ends; `name` tells the processes apart in the rows."""
    for line in sys.stdin:
        try:
            store, note = HistoryStore.open_or_remake(Path(line.strip()))
            with closing(store):
                store.add(record(name))
        except StoreError as error:
            note = str(error)
        print(note or "ok", flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main(sys.argv[1])
