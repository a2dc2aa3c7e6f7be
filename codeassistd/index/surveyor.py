"""Surveys of workspaces, each on a thread of its own: a home folder takes a minute, and no other waits for that.

What a survey finds comes as an event. One that was given up ends at the next entry it comes to, and is never heard of.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from codeassistd.index.git import Patience
from codeassistd.index.ignore import LanguageOf, Seen, Tree, survey, watchable_folders
from codeassistd.index.inbox import SurveyEnded

__all__ = ["LookAt", "Surveyor"]


class LookAt(Protocol):
    """`survey`, or what stands for it in tests."""

    def __call__(self, root: Path, language_of: LanguageOf, excluded: Collection[Path], patience: Patience, /) -> Tree:
        """Look at the whole workspace."""


class _GivenUpError(Exception):
    """Nobody wants the result of this survey any more."""


@dataclass(frozen=True, slots=True)
class _Running:
    """A survey under way; see `Surveyor.begin`."""

    root: Path
    number: int
    with_folders: bool
    given_up: threading.Event = field(default_factory=threading.Event)

    def go_on(self) -> None:
        """See `GoOn`."""
        if self.given_up.is_set():
            raise _GivenUpError


class Surveyor:
    """Has workspaces surveyed; used by the indexer's thread only.

    Args:
        language_of: the language of a file by its name.
        excluded: folders of our own that are never read.
        sink: gets what was found, from the threads of the surveys.
        look_at: looks at a workspace.
    """

    def __init__(
        self,
        language_of: LanguageOf,
        excluded: Collection[Path],
        sink: Callable[[SurveyEnded], None],
        look_at: LookAt = survey,
    ) -> None:
        self._language_of = language_of
        self._excluded = excluded
        self._sink = sink
        self._look_at = look_at
        self._running: dict[Path, _Running] = {}
        self._n_begun = 0

    def begin(self, root: Path, *, with_folders: bool) -> None:
        """Survey a workspace that is not being surveyed.

        Args:
            root: of the workspace.
            with_folders: whether the folders that could be watched are wanted too.
        """
        self._n_begun += 1
        running = self._running[root] = _Running(root, self._n_begun, with_folders)
        thread = threading.Thread(
            target=self._run,
            args=(running,),
            name=f"codeassistd-survey-{running.number}",
            daemon=True,
        )
        thread.start()

    def take(self, event: SurveyEnded) -> bool:
        """Whether what has ended is a survey that somebody waits for; it is done with by that."""
        running = self._running.get(event.root)
        if running is None or running.number != event.number:
            return False
        del self._running[event.root]
        return True

    def give_up(self, root: Path) -> None:
        """Have the survey of a workspace end soon, if there is one."""
        running = self._running.pop(root, None)
        if running is not None:
            running.given_up.set()

    def stop(self) -> None:
        """Give up all surveys."""
        for root in list(self._running):
            self.give_up(root)

    # --- on the threads ---

    def _run(self, running: _Running) -> None:
        found: Seen | Exception | None
        try:
            found = self._see(running)
        except _GivenUpError:
            return
        except Exception as error:  # noqa: BLE001 - the one guard of this thread: the indexer's puts it right
            found = error
        self._sink(SurveyEnded(running.root, running.number, found))

    def _see(self, running: _Running) -> Seen | None:
        root, patience = running.root, Patience(go_on=running.go_on)
        if not root.is_dir():
            return None
        tree = self._look_at(root, self._language_of, self._excluded, patience)
        folders = watchable_folders(root, tree, self._excluded, patience) if running.with_folders else frozenset[str]()
        return Seen(tree, folders)
