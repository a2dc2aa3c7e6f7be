"""States of the prefix cache on disk, so that a daemon that was started again does not read its prompts again.

One file per state, readable by the owner only. What the file says about itself is read when the model has been loaded;
the keys and values, which are a thousand times as much, only when a prompt needs them. Layout, little-endian:

    16 bytes    magic, with the version of this layout
    4 bytes     length of the head
    head        JSON: {"state_id", "client", "n_tokens", "n_bytes"}
    4 bytes each   the token ids
    16 bytes    checksum of all before it
    n_bytes     what the backend wrote
    16 bytes    checksum of that

A file that is not exactly so counts as not there: it is removed, with one line in the log. Files of other models wait
for their model, and make room when the space is needed.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import numpy as np

from codeassistd.engine.backend import SavedState
from codeassistd.errors import DaemonError
from codeassistd.paths import make_private_dir

__all__ = ["StateFolder", "StoredState", "clear_states", "forget_states"]

_log = logging.getLogger(__name__)

_MAGIC = b"codeassistd-kv 2"
_LENGTH = struct.Struct("<I")
_MAX_HEAD_BYTES = 65_536
_SUM_BYTES = 16
_SUFFIX = ".kv"
_PART = ".part"


@dataclass(frozen=True, slots=True)
class StoredState:
    """A state on disk.

    Attributes:
        number: its name within this run.
        n_bytes: of the backend's data.
        client: for whom the tokens were read.
    """

    number: int
    path: Path
    tokens: tuple[int, ...]
    n_bytes: int
    client: str = ""


class _OddError(Exception):
    """A file is not what it should be."""


class StateFolder:
    """The saved states of one model in one folder; nothing here raises.

    Args:
        folder: made when the first state is written.
        state_id: of the backend that writes and reads (`BackendInfo.state_id`).
        max_bytes: of all files in the folder together.
    """

    def __init__(self, folder: Path, state_id: str, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._folder = folder
        self._state_id = state_id
        self._prefix = _sum(state_id.encode()).hex()[:12]
        self._known: dict[int, StoredState] = {}

    def index(self, n_ctx: int, n_vocab: int) -> tuple[StoredState, ...]:
        """What there is of this model, newest last, for contexts of at most `n_ctx` tokens."""
        found: list[tuple[float, StoredState]] = []
        for path in self._files(f"{self._prefix}-*{_SUFFIX}"):
            try:
                written_s = path.lstat().st_mtime
                stored = self._read_head(path, number=len(found))
                _check_tokens(stored.tokens, n_ctx, n_vocab)
            except (OSError, _OddError) as error:
                self._discard(path, error)
                continue
            found.append((written_s, stored))
        states = tuple(stored for _, stored in sorted(found, key=lambda pair: pair[0]))
        self._known = {stored.number: stored for stored in states}
        return states

    def read(self, number: int) -> bytes | None:
        """The data of a state, whole and checked; None if they are not there any more."""
        stored = self._known.get(number)
        if stored is None:
            return None
        try:
            return _read_data(stored)
        except (OSError, _OddError) as error:
            self._discard(stored.path, error)
            return None

    def forget(self, number: int) -> None:
        """Remove the file of a state that could not be used."""
        stored = self._known.pop(number, None)
        if stored is not None:
            self._remove(stored.path)

    def name_of(self, tokens: Sequence[int]) -> str:
        """The name of the file for a state of these tokens."""
        return f"{self._prefix}-{_sum(_packed(tokens)).hex()}{_SUFFIX}"

    def size_of(self, name: str) -> int:
        """Bytes of a file of that name; 0 if there is none."""
        try:
            return (self._folder / name).lstat().st_size
        except OSError:
            return 0

    def write(self, tokens: Sequence[int], state: SavedState, max_bytes: int, client: str = "") -> int:
        """Save a state of `tokens`, which were read for `client`.

        Returns:
            How long the file is; 0 if it would be longer than `max_bytes` or could not be written.
        """
        about = {"state_id": self._state_id, "client": client, "n_tokens": len(tokens), "n_bytes": len(state)}
        head = json.dumps(about).encode()
        start = _MAGIC + _LENGTH.pack(len(head)) + head + _packed(tokens)
        n_file = len(start) + len(state) + 2 * _SUM_BYTES
        if n_file > max_bytes:
            return 0
        path = self._folder / self.name_of(tokens)
        part = path.with_suffix(_PART)
        try:
            make_private_dir(self._folder)
            part.unlink(missing_ok=True)
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600), "wb") as file:
                for block in (start, _sum(start), state, _sum(state)):
                    file.write(block)
            # Without a wait for the disk: what a crash leaves half is found by its checksum.
            part.replace(path)
        except (OSError, DaemonError) as error:
            _log.warning("the prefix cache cannot be saved in %s: %s", self._folder, error)
            self._remove(part)
            return 0
        return n_file

    def keep_only(self, names: set[str]) -> None:
        """Remove this model's other files, and files of other models until all fit, the oldest first."""
        n_bytes = 0
        others: list[tuple[float, int, Path]] = []
        for path in self._files("*"):
            try:
                info = path.lstat()
            except OSError:
                continue
            if path.name in names:
                n_bytes += info.st_size
            elif path.suffix == _SUFFIX and not path.name.startswith(self._prefix):
                others.append((info.st_mtime, info.st_size, path))
            else:
                self._remove(path)
        for _, n_file, path in sorted(others, reverse=True):
            n_bytes += n_file
            if n_bytes > self.max_bytes:
                self._remove(path)

    def _read_head(self, path: Path, number: int) -> StoredState:
        with _open(path) as file:
            n_file = os.fstat(file.fileno()).st_size
            start = _start_of(file)
            about = _about(start)
            n_tokens, n_bytes = self._check(about)
            if n_file != len(start) + 4 * n_tokens + n_bytes + 2 * _SUM_BYTES:
                raise _OddError("its length is wrong")
            packed = file.read(4 * n_tokens)
            if file.read(_SUM_BYTES) != _sum(start + packed):
                raise _OddError("the checksum of its head is wrong")
        tokens = tuple(np.frombuffer(packed, dtype="<i4").tolist())
        return StoredState(number, path, tokens, n_bytes, str(about.get("client", "")))

    def _check(self, about: dict[str, object]) -> tuple[int, int]:
        if about.get("state_id") != self._state_id:
            raise _OddError("it is of another model")
        n_tokens, n_bytes = about.get("n_tokens"), about.get("n_bytes")
        if not isinstance(n_tokens, int) or not isinstance(n_bytes, int) or n_tokens < 1 or n_bytes < 1:
            raise _OddError("its head makes no sense")
        return n_tokens, n_bytes

    def _files(self, pattern: str) -> list[Path]:
        try:
            return sorted(path for path in self._folder.glob(pattern) if path.is_file() and not path.is_symlink())
        except OSError:
            return []

    def _discard(self, path: Path, cause: Exception) -> None:
        _log.warning("a saved state of the prefix cache is left out and removed: %s: %s", path, cause)
        self._known = {number: stored for number, stored in self._known.items() if stored.path != path}
        self._remove(path)

    def _remove(self, path: Path) -> None:
        with contextlib.suppress(OSError):
            path.unlink()


def _check_tokens(tokens: Sequence[int], n_ctx: int, n_vocab: int) -> None:
    if len(tokens) > n_ctx or max(tokens) >= n_vocab or min(tokens) < 0:
        raise _OddError("its tokens do not fit the model")


def _read_data(stored: StoredState) -> bytes:
    with _open(stored.path) as file:
        file.seek(-(stored.n_bytes + _SUM_BYTES), os.SEEK_END)
        data = file.read(stored.n_bytes)
        if file.read() != _sum(data):
            raise _OddError("its checksum is wrong")
    return data


def forget_states(folder: Path, is_gone: Callable[[str], bool]) -> None:
    """Remove the saved states of all models that were read for the clients that `is_gone` names.

    One that does not say for whom it was read is removed, too.

    Raises:
        OSError: one of them cannot be removed.
    """
    for path in sorted(folder.glob(f"*{_SUFFIX}")):
        try:
            with _open(path) as file:
                client = _about(_start_of(file)).get("client", "")
        except FileNotFoundError:
            continue
        except (OSError, _OddError):
            path.unlink(missing_ok=True)
            continue
        if is_gone(str(client)):
            path.unlink(missing_ok=True)


def clear_states(folder: Path) -> tuple[int, int]:
    """Remove the saved states of all models; answers how many files and bytes that were.

    Raises:
        OSError: one of them cannot be removed.
    """
    n_files = n_bytes = 0
    for path in sorted(folder.glob("*")):
        if path.suffix in {_SUFFIX, _PART}:
            size = path.lstat().st_size
            path.unlink()
            n_files, n_bytes = n_files + 1, n_bytes + size
    return n_files, n_bytes


_BINARY: int = getattr(os, "O_BINARY", 0)
"""Windows changes line ends without it."""


def _open(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | _BINARY), "rb")


def _start_of(file: BinaryIO) -> bytes:
    """All before the tokens."""
    start = file.read(len(_MAGIC) + _LENGTH.size)
    if not start.startswith(_MAGIC) or len(start) < len(_MAGIC) + _LENGTH.size:
        raise _OddError("it is not a saved state of this version")
    (n_head,) = _LENGTH.unpack_from(start, len(_MAGIC))
    if n_head > _MAX_HEAD_BYTES:
        raise _OddError("its head is too long")
    return start + file.read(n_head)


def _about(start: bytes) -> dict[str, object]:
    """What a file says about itself, in the start of it."""
    try:
        about = json.loads(start[len(_MAGIC) + _LENGTH.size :])
    except ValueError:
        raise _OddError("its head cannot be read") from None
    if not isinstance(about, dict):
        raise _OddError("its head makes no sense")
    return about


def _packed(tokens: Sequence[int]) -> bytes:
    return np.asarray(tokens, dtype="<i4").tobytes()


def _sum(data: SavedState) -> bytes:
    return blake2b(data, digest_size=_SUM_BYTES).digest()
