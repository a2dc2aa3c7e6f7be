"""Case 51: the limit of file watches is reached."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from codeassistd.index.watcher import EventSource, Sink, Watched, open_events
from tests.support.indexing import repository, running, write

pytestmark = pytest.mark.slow

CODE: dict[str, str | bytes] = {"a.py": "def one(): ...\n"}


@pytest.mark.parametrize(
    ("number", "setting"),
    [(errno.ENOSPC, "fs.inotify.max_user_watches"), (errno.EMFILE, "fs.inotify.max_user_instances")],
)
def test_the_index_polls_and_says_what_to_raise(tmp_path: Path, number: int, setting: str) -> None:
    """No space or too many: the index works, the status names the reason and the setting, changes are still found."""

    def refuse(_sink: Sink) -> EventSource:
        raise OSError(number, "limit reached")

    root = tmp_path / "root"
    write(root, CODE)
    with running(tmp_path / "home", root, watch="auto", poll_s=0.1, parts={"open_source": refuse}) as run:
        assert run.workspace().watching.startswith("polling: ")
        assert f"raise {setting}" in run.workspace().watching
        assert "degraded" == run.workspace().phase.value
        assert 1 == len(run.indexer.lookup.definitions(root, ["one"], None))
        write(root, {"a.py": "def uno(): ...\n"})
        run.wait_until(lambda: run.rows() == {"a.py": ["uno"]})


def test_one_watcher_for_all_workspaces_and_none_for_ignored_folders(tmp_path: Path) -> None:
    """Watches are scarce: one instance, and no folder that git ignores."""
    watched: list[Watched] = []
    sources: list[EventSource] = []

    class Spy:
        """The real source, with what it is asked written down."""

        def __init__(self, sink: Sink) -> None:
            self._source = open_events(sink)
            sources.append(self._source)

        def follow(self, asked: Watched) -> bool:
            watched.append(asked)
            return self._source.follow(asked)

        def forget(self, root: Path) -> None:
            self._source.forget(root)

        def stop(self) -> None:
            self._source.stop()

    one, two = repository(tmp_path / "one"), repository(tmp_path / "two")
    write(one, {"a.py": "x = 1\n", ".gitignore": "node_modules/\n", "node_modules/deep/m.py": "", "pkg/b.py": ""})
    write(two, CODE)
    with running(tmp_path / "home", one, two, watch="auto", parts={"open_source": Spy}) as run:
        assert ["events", "events"] == [workspace.watching for workspace in run.indexer.status().workspaces]
    assert 1 == len(sources)
    assert {one, one / "pkg", two} == {folder for each in watched for folder in each.folders}
