"""A running indexer on small workspaces, with git and SQLite at hand."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from codeassistd.clock import SystemClock
from codeassistd.config import IndexSettings
from codeassistd.index.indexer import Indexer
from codeassistd.index.types import IndexStatus, WorkspaceStatus
from codeassistd.paths import Paths

REPO = Path(__file__).resolve().parent.parent.parent
#: The rules of whoever runs the tests (a global ignore file) must not decide them; workers must find the extractors.
ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONPATH": str(REPO)}
#: A safety stop, not a measure: everything here takes a fraction of a second on an idle machine.
PATIENCE_S = 60.0


class Running:
    """A started indexer, and every status it has published."""

    def __init__(self, home: Path, settings: IndexSettings, **parts: Any) -> None:
        self.paths = Paths.resolve({"CODEASSISTD_HOME": str(home)})
        self.store = self.paths.index_dir / "index.db"
        self.statuses: list[IndexStatus] = []
        self._changed = threading.Condition()
        self.indexer = Indexer(self.paths, settings, SystemClock(), self._on_change, **parts)

    def _on_change(self) -> None:
        with self._changed:
            self.statuses.append(self.indexer.status())
            self._changed.notify_all()

    def wait_until(self, condition: Callable[[], bool]) -> None:
        """Wait for `condition`, looking again whenever the indexer reports something."""
        with self._changed:
            for _ in range(int(PATIENCE_S / 0.1)):
                if condition():
                    return
                self._changed.wait(0.1)
        raise AssertionError(f"did not happen; {self.indexer.status()}")

    def settle(self) -> None:
        """Wait until nothing is left to do."""
        assert self.indexer.wait_idle(PATIENCE_S), self.indexer.status()

    def workspace(self) -> WorkspaceStatus:
        """The status of the one open workspace."""
        (workspace,) = self.indexer.status().workspaces
        return workspace

    def rows(self) -> dict[str, list[str]]:
        """Names of the stored symbols, in order, by path."""
        return rows(self.store)

    def phases(self) -> list[str]:
        """The phases of the first workspace as they were published, repetitions left out."""
        seen = [status.workspaces[0].phase.value for status in list(self.statuses) if status.workspaces]
        return [phase for index, phase in enumerate(seen) if index == 0 or seen[index - 1] != phase]


@contextmanager
def running(
    home: Path, *roots: Path, watch: str = "off", parts: dict[str, Any] | None = None, **settings: Any
) -> Iterator[Running]:
    """An indexer of `roots`, settled; by default it looks at the disk only when asked."""
    run = Running(home, IndexSettings.model_validate({"watch": watch, **settings}), **(parts or {}))
    with patch.dict(os.environ, ENVIRONMENT):
        run.indexer.start()
        try:
            for root in roots:
                run.indexer.add_workspace(root)
            run.settle()
            yield run
        finally:
            run.indexer.stop()


def rows(store: Path) -> dict[str, list[str]]:
    """Names of the stored symbols, in order, by path; read past all of our code."""
    with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True)) as connection:
        # One transaction, so that both questions are answered about the same state.
        connection.execute("begin")
        found: dict[str, list[str]] = {path: [] for (path,) in connection.execute("select path from files")}
        joined = "select path, name from symbols join files on files.id = file_id order by path, span_start"
        for path, name in connection.execute(joined):
            found[path].append(name)
    return found


def write(root: Path, files: dict[str, str | bytes]) -> None:
    """Write files by their relative names, making folders."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def git(folder: Path, *arguments: str) -> str:
    """Run git without anybody's settings."""
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("GIT_")}, **ENVIRONMENT}
    identity = ("-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=env, check=True, capture_output=True, text=True
    )
    return done.stdout


def repository(folder: Path) -> Path:
    """A fresh repository at `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    return folder
