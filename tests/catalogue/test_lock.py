from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
from pathlib import Path

from codeassistd.catalogue.lock import file_lock

TIMEOUT_S = 30


def test_the_second_waits_and_says_so(tmp_path: Path) -> None:
    """A second holder of the lock, here in another process, is told to wait and gets it when the first lets go."""
    path = tmp_path / "lock"
    code = """
        import sys
        from pathlib import Path
        from codeassistd.catalogue.lock import file_lock
        with file_lock(Path(sys.argv[1]), lambda: None):
            print("held", flush=True)
            sys.stdin.readline()
    """
    first = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with first:
        assert first.stdout is not None
        assert "held\n" == first.stdout.readline()
        waiting, order = threading.Event(), list[str]()

        def second() -> None:
            with file_lock(path, waiting.set):
                order.append("got it")

        thread = threading.Thread(target=second)
        thread.start()
        assert waiting.wait(TIMEOUT_S)
        assert [] == order
        first.communicate("\n", timeout=TIMEOUT_S)
        thread.join(TIMEOUT_S)
        assert ["got it"] == order


def test_a_free_lock_is_had_at_once(tmp_path: Path) -> None:
    """Nobody is told to wait for a lock that was let go."""
    told: list[str] = []
    for _ in range(2):
        with file_lock(tmp_path / "lock", lambda: told.append("wait")):
            pass
    assert [] == told
