"""Which file system a folder lies on: network and foreign ones give no change events and damage databases."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import psutil

__all__ = ["Mount", "foreign_mount", "mounts"]

_FOREIGN = frozenset(
    {
        "9p",
        "afpfs",
        "afs",
        "ceph",
        "cifs",
        "drvfs",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.rclone",
        "fuse.vmhgfs-fuse",
        "fuse.glusterfs",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "prl_fs",
        "smb2",
        "smb3",
        "smbfs",
        "vboxsf",
        "virtiofs",
        "vmhgfs",
        "webdav",
    }
)


class Mount(NamedTuple):
    """Where a file system begins, its type, and the options that the system gives."""

    point: str
    kind: str
    options: str


def mounts() -> tuple[Mount, ...]:
    """All mounted file systems, as the system tells them now."""
    return tuple(
        Mount(os.path.normcase(part.mountpoint), part.fstype.lower(), part.opts)
        for part in psutil.disk_partitions(all=True)
    )


def foreign_mount(path: Path, table: Iterable[Mount]) -> str:
    """The type of the network or host mount that holds `path`, or nothing where its file system is local."""
    real = os.path.normcase(os.path.realpath(path))
    holding = [mount for mount in table if _holds(mount.point, real)]
    if not holding:
        return ""
    # Of two mounts at one point the later one is seen; `max` keeps the first, so the list is turned round.
    nearest = max(reversed(holding), key=lambda mount: len(mount.point))
    if nearest.kind in _FOREIGN:
        return nearest.kind
    # Windows tells the kind of the drive among its options.
    return "network drive" if "remote" in nearest.options.split(",") else ""


def _holds(point: str, path: str) -> bool:
    return path == point or path.startswith(point if point.endswith(os.sep) else point + os.sep)
