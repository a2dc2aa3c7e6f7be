"""How the rows of one workspace are made equal to the disk, and what a worker's answer does to them.

A file that has a row is read again when it was touched. Everything else (a new file, a folder, an ignore file, an
overflow, a start) leads to the one comparison of the whole workspace: it is cheap, and it cannot drift. The looking is
done elsewhere (`Surveyor`), and what was found is compared with the rows.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass, replace
from pathlib import Path

from codeassistd.index.crawler import compare
from codeassistd.index.ignore import LanguageOf, Seen, is_wanted
from codeassistd.index.parsed import Gone, Job, Limits, Parsed
from codeassistd.index.store import ReadFile, Store
from codeassistd.index.surveyor import Surveyor
from codeassistd.index.watcher import Watched, Watcher
from codeassistd.index.workers import Result
from codeassistd.index.workspace import Workspace

__all__ = ["Reconciler"]

#: A workspace without events is looked at for at most a tenth of the time: a home folder takes a minute.
_REST = 9


@dataclass(frozen=True, slots=True)
class Reconciler:
    """Compares workspaces with the disk and writes what the workers found.

    Attributes:
        store_problem: what the store cannot do, asked once.
        poll_s: time between two comparisons where no events come.
    """

    store: Store
    store_problem: str
    watcher: Watcher
    surveyor: Surveyor
    limits: Limits
    poll_s: float
    language_of: LanguageOf

    def look(self, workspace: Workspace, now_s: float) -> None:
        """See what became of the files that were touched, or begin to survey all of them."""
        if workspace.compare_due or not workspace.touched:
            self._begin_survey(workspace, now_s)
            return
        # What was read a moment ago must not seem to be unread.
        self.write(workspace)
        for path in workspace.take_touched():
            language = self.language_of(path)
            if self.store.file(workspace.id, path) is not None and language:
                workspace.crawl.put_first(Job(workspace.root, path, language))
            elif language and is_wanted(path) and _is_file(workspace.root / path):
                # Whether a new file is ignored is for the whole comparison to say.
                workspace.compare_due = True
        if workspace.compare_due:
            self._begin_survey(workspace, now_s)

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

    def compare(self, workspace: Workspace, seen: Seen | None, now_s: float) -> None:
        """Make the list of what has to be read, and drop the rows of files that are gone; no folder gives None."""
        took_s = workspace.end_survey(now_s)
        if seen is None:
            # An unmounted disk is no reason to forget what was read from it.
            workspace.problem = f"the folder {workspace.root} is not there"
            workspace.missed, workspace.next_poll_s = False, now_s + self.poll_s
            return
        # What was missed since this survey began is for the next one to find.
        workspace.missed = workspace.missed and workspace.compare_due
        # As in `look`.
        self.write(workspace)
        self._watch(workspace, seen, now_s, took_s)
        files = seen.tree.files
        difference = compare(files, self.store.files(workspace.id), self.limits)
        for path in difference.vanished:
            self.store.delete(workspace.id, path)
        jobs = [Job(workspace.root, file.path, file.language) for file in difference.changed]
        workspace.crawl.replace(jobs, len(files) - len(jobs))
        workspace.crawling = bool(jobs)
        workspace.compared, workspace.problem = True, ""
        workspace.tally = None

    def _begin_survey(self, workspace: Workspace, now_s: float) -> None:
        """Have the workspace looked at; `compare` is called with what was found."""
        workspace.begin_survey(now_s)
        self.surveyor.begin(workspace.root, with_folders=self.watcher.wants_folders(workspace.root))

    def _watch(self, workspace: Workspace, seen: Seen, now_s: float, took_s: float) -> None:
        """Watch the folders that were seen, or note when to compare next without being told."""
        root, markers = workspace.root, seen.tree.markers
        workspace.markers = markers
        if self.watcher.wants_folders(root):
            watched = Watched(root, frozenset(root / path for path in seen.folders), markers)
            if self.watcher.follow(watched):
                # A file may have come between the listing of a folder and its watch.
                workspace.compare_at(now_s)
        workspace.late = self.watcher.polls(root)
        if workspace.late:
            workspace.next_poll_s = now_s + max(self.poll_s, _REST * took_s)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False
