"""Downloads: resumable, hashed as they arrive, and into a file of the owner's only.

With the two sources beside it, the only code of the program that opens a connection.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit
from urllib.request import url2pathname

import httpx

from codeassistd.catalogue.network import Network, Remote
from codeassistd.catalogue.progress import OnProgress, PullProgress
from codeassistd.errors import PullError

__all__ = ["checked", "download", "ensure_space", "no_space_as_pull_error", "raise_for_status"]

_CHUNK_BYTES = 256 * 1024
#: Times that a broken connection is taken up again without a byte gained; one that gains is always taken up.
_FRUITLESS_TRIES = 3


def ensure_space(network: Network, folder: Path, n_bytes: int) -> None:
    """Raise PullError if the folder's disk has no room for `n_bytes` more."""
    free = network.space(folder)
    if free < n_bytes:
        raise PullError(
            f"not enough space in {folder}: {_megabytes(n_bytes)} are needed and {_megabytes(free)} are free; "
            "free some, or set CODEASSISTD_HOME or XDG_DATA_HOME to a folder on another disk"
        )


@contextmanager
def no_space_as_pull_error(folder: Path) -> Iterator[None]:
    """Turn a disk that fills up while writing into PullError."""
    try:
        yield
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise PullError(f"cannot write in {folder}: {error.strerror}") from error
        raise PullError(f"the disk of {folder} is full; free some space and pull again, it continues") from error


def checked(sha256: str, expected: str, part: Path, what: str) -> None:
    """Throw a finished download away if its hash is not the expected one.

    Raises:
        PullError: the hashes differ.
    """
    if sha256 == expected:
        return
    part.unlink(missing_ok=True)
    raise PullError(
        f"{what} has SHA-256 {sha256[:12]}… instead of {expected[:12]}…: the download was damaged or the file was "
        "changed; it was thrown away, pull again"
    )


def download(network: Network, remote: Remote, part: Path, on_progress: OnProgress, spare_bytes: int = 0) -> str:
    """Fetch a file into `part`, going on where an earlier try ended, and answer its SHA-256 in hexadecimal.

    Args:
        network: the world outside.
        remote: what to fetch.
        part: kept when the download fails, so that the next one continues; its tag lies beside it.
        on_progress: told after each chunk.
        spare_bytes: room needed beside the download itself.

    Raises:
        PullError: no network, no space, the server does not have it, or its hash is not the published one.
    """
    local = _local_path(remote.url)
    with no_space_as_pull_error(part.parent), _Part(part) as file:
        if not (remote.sha256 and file.sha256 == remote.sha256):
            if local is not None:
                _copy(local, file, remote, on_progress)
            else:
                _fetch(network, remote, file, on_progress, spare_bytes)
        sha256 = file.sha256
    file.tag_path.unlink(missing_ok=True)
    if remote.sha256:
        checked(sha256, remote.sha256, part, remote.what)
    return sha256


class _Part:
    """An unfinished download: its bytes so far, their hash, and the server's tag of what they belong to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tag_path = path.with_suffix(".tag")
        self._file = open(path, "ab", opener=_private)  # noqa: SIM115 - closed by __exit__; needs an opener
        self._hash = hashlib.sha256()
        self.size = 0
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK_BYTES):
                self._hash.update(chunk)
                self.size += len(chunk)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()

    @property
    def tag(self) -> str:
        return self.tag_path.read_text(encoding="ascii") if self.tag_path.is_file() else ""

    def write(self, chunk: bytes) -> None:
        self._file.write(chunk)
        self._hash.update(chunk)
        self.size += len(chunk)

    def restart(self) -> None:
        self._file.truncate(0)
        self._hash = hashlib.sha256()
        self.size = 0


def _fetch(network: Network, remote: Remote, file: _Part, on_progress: OnProgress, spare_bytes: int) -> None:
    """Stream until the file is whole, taking broken connections up again."""
    if not (remote.sha256 or file.tag):
        # Nothing would notice if what is on the server has changed since the first bytes.
        file.restart()
    fruitless = 0
    while True:
        before = file.size
        try:
            _stream(network, remote, file, on_progress, spare_bytes)
        except httpx.TransportError as error:
            fruitless = 0 if file.size > before else fruitless + 1
            if fruitless == _FRUITLESS_TRIES:
                raise PullError(_broken(remote, file, error)) from error
        except httpx.InvalidURL as error:
            raise PullError(f"the address of {remote.what} cannot be used: {error}") from error
        else:
            return


def _stream(network: Network, remote: Remote, file: _Part, on_progress: OnProgress, spare_bytes: int) -> None:
    """Make one request for the missing rest and write what comes."""
    # A compressed answer would have other offsets and another hash.
    headers = {**remote.headers, "Accept-Encoding": "identity"}
    if file.size:
        headers["Range"] = f"bytes={file.size}-"
        if file.tag:
            headers["If-Range"] = file.tag
    with network.client.stream("GET", remote.url, headers=headers, follow_redirects=True) as response:
        if response.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE and file.size:
            # All of it is here, or more than there is now: the hash decides, and without one it begins anew.
            if remote.sha256 == file.sha256:
                return
            file.restart()
            raise httpx.RemoteProtocolError("the file on the server is shorter than what was downloaded")
        raise_for_status(response, remote.what)
        if response.status_code != httpx.codes.PARTIAL_CONTENT:
            file.restart()
        length = response.headers.get("Content-Length", "")
        total = file.size + int(length) if length.isdecimal() else None
        ensure_space(network, file.path.parent, (total or file.size) - file.size + spare_bytes)
        tag = response.headers.get("ETag", "")
        if tag.isascii() and not tag.startswith("W/"):
            file.tag_path.write_text(tag, encoding="ascii")
        on_progress(PullProgress(f"downloading {remote.what}", file.size, total))
        # As they come: a chunk size would hold bytes back, and lose them when the connection breaks.
        for chunk in response.iter_raw():
            file.write(chunk)
            on_progress(PullProgress(f"downloading {remote.what}", file.size, total))


def raise_for_status(response: httpx.Response, what: str) -> None:
    """Say in one line why a server does not give a file.

    Raises:
        PullError: the answer is an error.
    """
    if response.is_success:
        return
    host = response.url.host
    status = response.status_code
    if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        raise PullError(
            f"{host} does not give {what} to just anyone (HTTP {status}): accept its terms on the model's page there, "
            "and set HF_TOKEN to a token of your account"
        )
    if status in {httpx.codes.NOT_FOUND, httpx.codes.GONE}:
        raise PullError(f"{host} does not have {what} (HTTP {status}); the file may have been moved or withdrawn")
    raise PullError(f"{host} answered HTTP {status} for {what}; try again later")


def _broken(remote: Remote, file: _Part, error: httpx.TransportError) -> str:
    host = urlsplit(remote.url).hostname
    if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout | httpx.ProxyError):
        return f"no connection to {host} for {remote.what} ({error}): check network and proxy settings, then pull again"
    return (
        f"the connection to {host} broke after {_megabytes(file.size)} of {remote.what} "
        f"({type(error).__name__}): pull again, it continues there"
    )


def _copy(source: Path, file: _Part, remote: Remote, on_progress: OnProgress) -> None:
    """Take a file of an index that lies on this machine."""
    file.restart()
    try:
        total = source.stat().st_size
        with source.open("rb") as stream:
            while chunk := stream.read(_CHUNK_BYTES):
                file.write(chunk)
                on_progress(PullProgress(f"copying {remote.what}", file.size, total))
    except FileNotFoundError as error:
        raise PullError(f"{source} is named by the package index, but is not there") from error


def _local_path(url: str) -> Path | None:
    parts = urlsplit(url)
    return Path(url2pathname(parts.path)) if parts.scheme == "file" else None


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _megabytes(n_bytes: int) -> str:
    return f"{n_bytes / 1_000_000:,.1f} MB"
