"""How the rows of one workspace are made equal to the disk, and what a worker's answer does to them.

A file that has a row is read again when it was touched. Everything else (a new file, a folder, an ignore file, an
overflow, a start) leads to the one comparison of the whole workspace: it is cheap, and it cannot drift.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from codeassistd.index.crawler import compare
from codeassistd.index.ignore import LanguageOf, Tree, is_wanted, survey, watchable_folders
from codeassistd.index.parsed import Gone, Job, Limits, Parsed
from codeassistd.index.store import ReadFile, Store
from codeassistd.index.watcher import Watched, Watcher
from codeassistd.index.workers import Result
from codeassistd.index.workspace import Workspace

__all__ = ["Reconciler"]


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Compares workspaces with the disk and writes what the workers found.

    Attributes:
        store_problem: what the store cannot do, asked once.
        poll_s: time between two comparisons where no events come.
        excluded: folders of our own that are never read.
    """

    store: Store
    store_problem: str
    watcher: Watcher
    limits: Limits
    poll_s: float
    language_of: LanguageOf
    excluded: Sequence[Path]

    def look(self, workspace: Workspace, now_s: float) -> None:
        """See what became of the files that were touched, or of all of them."""
        # What was read a moment ago must not seem to be unread.
        self.write(workspace)
        if workspace.compare_due or not workspace.touched:
            self._compare(workspace, now_s)
            return
        for path in workspace.take_touched():
            language = self.language_of(path)
            if self.store.file(workspace.id, path) is not None and language:
                workspace.crawl.put_first(Job(workspace.root, path, language))
            elif language and is_wanted(path) and _is_file(workspace.root / path):
                # Whether a new file is ignored is for the whole comparison to say.
                workspace.compare_due = True
        if workspace.compare_due:
            self._compare(workspace, now_s)

    def next_job(self, workspace: Workspace) -> Job:
        """The next file to read, with what is known of its content at this moment."""
        job = workspace.crawl.take()
        row = self.store.file(workspace.id, job.path)
        return replace(job, known_hash=row.hash if row else b"")

    def record(self, workspace: Workspace, result: Result, now_s: float) -> None:
        """Take in what became of a file; `write` puts what was read into the store."""
        job, outcome = result.job, result.outcome
        if isinstance(outcome, Parsed):
            workspace.keep_unwritten(job, outcome, now_s)
            return
        if isinstance(outcome, Gone):
            self.store.delete(workspace.id, job.path)
        else:
            self.store.touch(workspace.id, job.path, outcome.size, outcome.mtime_ns)
        workspace.crawl.finish(job)
        workspace.tally = None

    def write(self, workspace: Workspace) -> None:
        """Write the files that were read."""
        unwritten = workspace.take_unwritten()
        if not unwritten:
            return
        self.store.put_all(workspace.id, [ReadFile(job.path, job.language, parsed) for job, parsed in unwritten])
        for job, _ in unwritten:
            workspace.crawl.finish(job)
        workspace.n_parsed += len(unwritten)
        workspace.tally = None

    def _compare(self, workspace: Workspace, now_s: float) -> None:
        """Make the list of what has to be read, and drop the rows of files that are gone."""
        workspace.begin_comparing()
        workspace.next_poll_s = None
        if not workspace.root.is_dir():
            # An unmounted disk is no reason to forget what was read from it.
            workspace.problem = f"the folder {workspace.root} is not there"
            workspace.missed, workspace.next_poll_s = False, now_s + self.poll_s
            return
        tree = survey(workspace.root, self.language_of, self.excluded)
        self._watch(workspace, tree, now_s)
        difference = compare(tree.files, self.store.files(workspace.id), self.limits)
        for path in difference.vanished:
            self.store.delete(workspace.id, path)
        jobs = [Job(workspace.root, file.path, file.language) for file in difference.changed]
        workspace.crawl.replace(jobs, len(tree.files) - len(jobs))
        workspace.crawling = bool(jobs)
        workspace.compared, workspace.missed, workspace.problem = True, False, ""
        workspace.tally = None

    def _watch(self, workspace: Workspace, tree: Tree, now_s: float) -> None:
        """Watch the folders of the tree, or note when to compare next without being told."""
        workspace.markers = tree.markers
        if self.watcher.wants_folders(workspace.root):
            folders = watchable_folders(workspace.root, tree, self.excluded)
            watched = Watched(workspace.root, frozenset(workspace.root / path for path in folders), tree.markers)
            if self.watcher.follow(watched):
                # A file may have come between the listing of a folder and its watch.
                workspace.compare_at(now_s)
        workspace.late = self.watcher.polls(workspace.root)
        if workspace.late:
            workspace.next_poll_s = now_s + self.poll_s


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
