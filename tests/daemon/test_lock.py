"""The lock that dies with its holder."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from codeassistd.daemon.lock import Lock
from codeassistd.errors import DaemonError

_HOLD = "import sys, time; from pathlib import Path; from codeassistd.daemon.lock import Lock; \
lock = Lock.take(Path(sys.argv[1])); print('held' if lock else 'refused', flush=True); time.sleep(600)"


def test_only_one_holds_it(tmp_path: Path) -> None:
    """A second taker is refused while it is held, and served once it is given back."""
    path = tmp_path / "lock"
    first = Lock.take(path)
    assert first is not None
    assert Lock.take(path) is None
    first.release()
    second = Lock.take(path)
    assert second is not None
    second.release()


def test_it_names_its_holder_and_stays_on_disk(tmp_path: Path) -> None:
    """The file tells whose lock it is, is the owner's only, and is never removed."""
    path = tmp_path / "lock"
    path.write_text("123456789")
    lock = Lock.take(path)
    assert lock is not None
    assert os.getpid() == Lock.holder(path)
    lock.release()
    assert path.exists()


def test_it_is_private_whatever_the_umask(tmp_path: Path) -> None:
    """A lock that others could open would let them keep us out."""
    before = os.umask(0)
    try:
        lock = Lock.take(tmp_path / "lock")
    finally:
        os.umask(before)
    assert lock is not None
    assert 0o600 == stat.S_IMODE((tmp_path / "lock").stat().st_mode)
    lock.release()


def test_what_cannot_be_locked_is_one_line(tmp_path: Path) -> None:
    """A folder of that name, say: it is left alone, and the user is told."""
    (tmp_path / "lock").mkdir()
    with pytest.raises(DaemonError, match=r"^cannot lock .*/lock: Is a directory; its folder must be yours"):
        Lock.take(tmp_path / "lock")
    assert (tmp_path / "lock").is_dir()


def test_a_missing_or_damaged_file_has_no_holder(tmp_path: Path) -> None:
    """The holder is only for messages, so nonsense is nobody."""
    assert Lock.holder(tmp_path / "none") is None
    (tmp_path / "odd").write_bytes(b"\xff")
    assert Lock.holder(tmp_path / "odd") is None


@pytest.mark.slow
def test_a_killed_holder_lets_go(tmp_path: Path) -> None:
    """After kill -9 the lock is free at once; while its holder is only stopped by a signal it is not."""
    path = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", _HOLD, str(path)], stdout=subprocess.PIPE)
    assert holder.stdout is not None
    with holder.stdout:
        assert b"held\n" == holder.stdout.readline()
        holder.send_signal(signal.SIGSTOP)
        assert Lock.take(path) is None
        holder.kill()
        holder.wait()
    lock = Lock.take(path)
    assert lock is not None
    lock.release()


def test_asking_who_holds_it_takes_nothing(tmp_path: Path) -> None:
    """A look creates no file, and leaves a free lock free."""
    path = tmp_path / "lock"
    looks = [Lock.is_held(path), path.exists()]
    lock = Lock.take(path)
    assert lock is not None
    looks.append(Lock.is_held(path))
    lock.release()
    looks += [Lock.is_held(path), Lock.is_held(path)]

    assert [False, False, True, False, False] == looks


def test_on_a_full_disk_it_is_given_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user is told, and the next try of the same process succeeds once there is room."""

    def write(file: int, content: bytes) -> int:
        del file, content
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr("os.write", write)
        with pytest.raises(
            DaemonError, match=r"^cannot write .*/lock: No space left on device; make room on its disk$"
        ):
            Lock.take(tmp_path / "lock")
    lock = Lock.take(tmp_path / "lock")
    assert lock is not None
    lock.release()
