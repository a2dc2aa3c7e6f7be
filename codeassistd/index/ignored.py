"""Whether one file is ignored, by the rules that the index has for whole workspaces; reads the disk and may run git."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from codeassistd.index.git import open_repository
from codeassistd.index.ignore import Rules

__all__ = ["is_ignored"]


def is_ignored(path: Path, root: Path | None) -> bool:
    """Whether `path`, a file of the workspace at `root`, would be left out of the index for an ignore rule.

    Without a workspace only the rules of the file's own folder are asked. What is not on this disk, or cannot be asked
    about, is not ignored.
    """
    top = root if root is not None and root in path.parents else path.parent
    try:
        return any(_leaves_out(base, inside) for base, inside in _repositories(top, path))
    except OSError:
        # Its name is longer than any on this disk, or a folder on the way is not ours to look into.
        return False


def _repositories(top: Path, path: Path) -> list[tuple[Path, str]]:
    """Each repository on the way from `top` to the file, with what it is asked about: the next one, or the file."""
    folders = [folder for folder in reversed(path.parents) if folder.is_relative_to(top)]
    bases = [folder for folder in folders if folder == top or (folder / ".git").exists()]
    asked = [*bases[1:], path]
    return [(base, inside.relative_to(base).as_posix()) for base, inside in zip(bases, asked, strict=True)]


def _leaves_out(base: Path, inside: str) -> bool:
    repository = open_repository(base)
    if repository is not None:
        return inside in repository.ignored([inside])
    rules = Rules.of_workspace(base, "")
    folder = PurePosixPath()
    for part in PurePosixPath(inside).parts[:-1]:
        rules = rules.inside(base, folder.as_posix() if folder.parts else "")
        folder /= part
        if rules.ignores(f"{folder}/") or rules.takes_for_built(base / folder):
            return True
    return rules.inside(base, folder.as_posix() if folder.parts else "").ignores(inside)
