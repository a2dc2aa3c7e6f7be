"""Case 55: the watcher dies or overflows in silence."""

from __future__ import annotations

import errno
import logging
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from codeassistd.index.watcher import EventSource, Sink, open_events
from tests.support.indexing import running, write

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="faults are put into inotify")]


class Sources:
    """The sources that were opened, so that faults can be put into them."""

    def __init__(self) -> None:
        self.opened: list[EventSource] = []

    def __call__(self, sink: Sink) -> EventSource:
        source = open_events(sink)
        self.opened.append(source)
        return source


def died(root: Path, source: EventSource, monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise inside the watcher's thread at the next event."""

    def broken(_event: object) -> None:
        raise RuntimeError("injected")

    monkeypatch.setattr(source, "handle_event", broken)
    write(root, {"b.py": "def two(): ...\n"})


def overflowed(root: Path, source: EventSource, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lose all events, then report that some were lost."""
    from watchdog.observers.inotify_c import InotifyConstants, InotifyEvent, WatchDescriptor  # noqa: PLC0415 - Linux only

    real = source.handle_event  # type: ignore[attr-defined]  # of inotify's source
    with monkeypatch.context() as patch:
        patch.setattr(source, "handle_event", lambda _event: None)
        write(root, {"b.py": "def two(): ...\n"})
        real(InotifyEvent(WatchDescriptor(-1), InotifyConstants.IN_Q_OVERFLOW, 0, b""))


@pytest.mark.parametrize("fault", [died, overflowed])
def test_the_watcher_is_restarted_and_everything_compared(
    tmp_path: Path,
    fault: Callable[[Path, EventSource, pytest.MonkeyPatch], None],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The status says degraded, a new watcher listens, and the index equals the disk again."""
    root, sources = tmp_path / "root", Sources()
    write(root, {"a.py": "def one(): ...\n"})
    with running(tmp_path / "home", root, watch="auto", parts={"open_source": sources}) as run:
        assert "ready" == run.workspace().phase.value
        with caplog.at_level(logging.WARNING):
            fault(root, sources.opened[0], monkeypatch)
            run.wait_until(lambda: run.rows() == {"a.py": ["one"], "b.py": ["two"]})
        run.settle()
        assert 2 == len(sources.opened)
        assert "degraded" in run.phases()
        assert ("ready", "events") == (run.workspace().phase.value, run.workspace().watching)
        assert 1 == sum("compared with the disk" in entry.message for entry in caplog.records)
        write(root, {"c.py": "def three(): ...\n"})
        run.wait_until(lambda: run.rows().get("c.py") == ["three"])


def test_an_unreadable_folder_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be read is skipped, whoever runs the tests; the rest is indexed and watched."""
    root = tmp_path / "root"
    write(root, {"a.py": "def one(): ...\n", "closed/b.py": "def two(): ...\n"})
    closed, scandir, access = str(root / "closed"), os.scandir, os.access

    def refusing_scandir(path: os.PathLike[str] | str = ".") -> Iterator[os.DirEntry[str]]:
        if os.fspath(path) == closed:
            raise PermissionError(errno.EACCES, "Permission denied", closed)
        return scandir(path)

    # Root may read everything, so that a mode alone refuses nothing.
    monkeypatch.setattr(os, "scandir", refusing_scandir)
    monkeypatch.setattr(os, "access", lambda path, mode: os.fspath(path) != closed and access(path, mode))
    with running(tmp_path / "home", root, watch="auto") as run:
        assert {"a.py": ["one"]} == run.rows()
        assert ("", "ready", "events") == (
            run.indexer.status().problem,
            run.workspace().phase.value,
            run.workspace().watching,
        )
        write(root, {"a.py": "def uno(): ...\n"})
        run.wait_until(lambda: run.rows() == {"a.py": ["uno"]})
