"""What git says about a folder: reading commands only, with nothing of the workspace's own config run.

`core.fsmonitor` in a repository's config names a program that git would start, so it is switched off; optional locks
are off, so that not even git's own index is refreshed. Every answer is None where git is missing, does not trust the
repository or does not answer: then the caller reads the ignore files itself. How long an answer is waited for is up to
whoever asks (`Patience`); who has enough ends git, too.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from codeassistd.paths import child_environment

__all__ = ["GoOn", "Patience", "Repository", "exclude_files", "is_linked_work_tree", "open_repository"]

GoOn: TypeAlias = Callable[[], None]
"""Called again and again by work that may take long; raises where nobody wants its result any more."""

_COMMAND = ("git", "--no-optional-locks", "-c", "core.fsmonitor=", "-c", "core.quotePath=false")
#: A listing of a million files takes seconds; a git that hangs (a dead network mount) must not stop the index for ever.
_TIMEOUT_S = 120.0
#: While git works, who waits is asked so often whether to go on.
_LISTEN_S = 0.25
#: Windows opens a console for each child of a windowless process otherwise.
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)


def _on() -> None:
    """Go on."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for git: for an answer at most so many seconds, and no longer than `go_on` has it."""

    answer_s: float = _TIMEOUT_S
    go_on: GoOn = _on


@dataclass(frozen=True, slots=True)
class Repository:
    """A folder in a work tree of git.

    Attributes:
        folder: where the questions are asked: the work tree's root, or a folder below it.
        markers: files of git's own whose change means that the answers may differ: HEAD and the local exclude file.
        patience: with its answers.
    """

    folder: Path
    markers: tuple[Path, ...]
    patience: Patience

    def list_files(self) -> list[str] | None:
        """Tracked and untracked-not-ignored paths below the folder, with `/`.

        A child repository stands there as one path: with a `/` at its end while it is untracked, without it when it is
        a submodule.
        """
        asked = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        answer = _ask(self.folder, asked, patience=self.patience)
        return None if answer is None else [os.fsdecode(path) for path in answer.split(b"\0") if path]

    def ignored(self, folders: Iterable[str]) -> frozenset[str]:
        """Which of `folders` (relative, with `/`) an ignore rule leaves out."""
        # A leading "./" keeps git from reading pathspec magic into a name that begins with a colon.
        asked = b"\0".join(os.fsencode(f"./{folder}") for folder in folders)
        if not asked:
            return frozenset()
        asking = ["check-ignore", "-z", "--stdin"]
        answer = _ask(self.folder, asking, asked, good_codes=(0, 1), patience=self.patience)
        return frozenset(os.fsdecode(path).removeprefix("./") for path in (answer or b"").split(b"\0") if path)


def open_repository(folder: Path, patience: Patience) -> Repository | None:
    """The repository that decides about the files of `folder`, or None where there is none.

    A folder that lies in a work tree which ignores it (a project below a home folder kept in git) has no repository:
    git would list nothing.
    """
    asking = ["rev-parse", "--show-prefix", "--git-path", "HEAD", "--git-path", "info/exclude"]
    answer = _ask(folder, asking, patience=patience)
    if answer is None:
        return None
    prefix, *markers = os.fsdecode(answer).split("\n")[:3]
    if prefix and _ask(folder, ["check-ignore", "-q", "."], patience=patience) is not None:
        return None
    return Repository(folder, tuple(Path(os.path.normpath(folder / marker)) for marker in markers), patience)


def exclude_files(folder: Path, patience: Patience) -> tuple[Path, ...]:
    """Files of rules that are no `.gitignore`: the user's for all repositories, and that of the one round `folder`."""
    usual = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git" / "ignore"
    asked = _ask(folder, ["config", "--type=path", "--get", "core.excludesFile"], patience=patience)
    mine = Path(folder, os.fsdecode(asked).rstrip("\n")) if asked else usual
    local = _ask(folder, ["rev-parse", "--git-path", "info/exclude"], patience=patience)
    return (mine, Path(folder, os.fsdecode(local).rstrip("\n"))) if local else (mine,)


def is_linked_work_tree(folder: Path) -> bool:
    """Whether `folder` is a second work tree of a repository (`git worktree add`): another state of the same files."""
    try:
        text = (folder / ".git").read_text("utf-8", "replace")
    except OSError:
        return False
    return text.startswith("gitdir:") and Path(text.removeprefix("gitdir:").strip()).parent.name == "worktrees"


def _ask(
    folder: Path,
    arguments: Sequence[str],
    given: bytes = b"",
    good_codes: tuple[int, ...] = (0,),
    *,
    patience: Patience,
) -> bytes | None:
    """Standard output of git in `folder`, or None where it cannot be had."""
    try:
        with subprocess.Popen(
            [*_COMMAND, *arguments],
            cwd=folder,
            env=_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=_NO_WINDOW,
        ) as process:
            try:
                answer = _heard(process, given, patience)
            except BaseException:
                process.kill()
                raise
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer if process.returncode in good_codes else None


def _heard(process: subprocess.Popen[bytes], given: bytes, patience: Patience) -> bytes:
    """What `process` says when it is given `given`.

    Raises:
        subprocess.TimeoutExpired: it took too long.
    """
    # What was given once must not be given again: the process goes on with it through all turns.
    left: bytes | None = given
    for _ in range(int(patience.answer_s / _LISTEN_S)):
        patience.go_on()
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(left, _LISTEN_S)[0]
        left = None
    return process.communicate(left, 0)[0]


def _environment() -> dict[str, str]:
    """Our environment without what would point git elsewhere: a daemon started by a git hook inherits GIT_DIR."""
    env = child_environment()
    return {name: value for name, value in env.items() if not name.startswith("GIT_") or name.startswith("GIT_CONFIG_")}
