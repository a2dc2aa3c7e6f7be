"""Telling network mounts from local ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.index.mounts import Mount, foreign_mount, mounts

TABLE = (
    Mount("/", "ext4", "rw"),
    Mount("/net", "nfs4", "rw"),
    Mount("/net/local", "xfs", "rw"),
    Mount("/twice", "nfs4", "rw"),
    Mount("/twice", "ext4", "rw"),
    Mount("/drive", "ntfs", "rw,remote"),
)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/me", ""),
        ("/net", "nfs4"),
        ("/net/work/project", "nfs4"),
        ("/network", ""),
        ("/net/local/project", ""),
        ("/twice/x", ""),
        ("/drive/x", "network drive"),
    ],
)
def test_the_nearest_mount_decides(path: str, kind: str) -> None:
    """The longest mount point above a path says on what it lies; of two at one point, the later one."""
    assert kind == foreign_mount(Path(path), TABLE)


def test_without_a_table_everything_is_local() -> None:
    """A system that tells no mounts is taken for a local disk."""
    assert "" == foreign_mount(Path("/anywhere"), ())


def test_the_systems_own_table_can_be_read() -> None:
    """The real mounts include the one that holds everything."""
    assert any(mount.point in {"/", "c:\\"} for mount in mounts())
