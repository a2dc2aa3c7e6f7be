"""How the daemon is reached: a private unix socket, or loopback TCP with a token where there are none (Windows).

A unix socket lies in a folder of mode 0700, has mode 0600 itself, and each side checks the other's user. Loopback TCP
can be reached by anybody on the machine, so there the client proves with a token that it can read the owner's files.
Standard library only, since the proxy uses it.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import struct
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from codeassistd.errors import DaemonError, SocketTakenError
from codeassistd.paths import Paths, make_private_dir

__all__ = ["LoopbackTransport", "Transport", "UnixTransport", "peer_pid", "transport_for"]

#: Connections that may wait while the daemon is busy; a full queue means busy, never absent.
_BACKLOG = 128
_LOCALHOST = "127.0.0.1"
_SEE_DOCTOR = "`codeassistd doctor` looks at all our folders"


class Transport(Protocol):
    """One way to reach the daemon. `listen` and `release` are the daemon's, and only while it holds the lock."""

    def listen(self) -> socket.socket:
        """Begin to listen, in place of a predecessor that died.

        Raises:
            SocketTakenError: something that is not a socket of ours is in the way; it is left alone.
            DaemonError: the system refuses.
        """

    def connect(self, timeout_s: float) -> socket.socket | None:
        """A connection, or None where no daemon listens.

        Raises:
            SocketTakenError: something that is not a socket of ours is in the way.
            DaemonError: a daemon is there but takes no connection, or it is another user's.
        """

    def token(self) -> str:
        """What a client must say; empty where the system itself tells who it is."""

    def admits(self, peer: socket.socket, token: str) -> bool:
        """Whether a client may talk to us."""

    def release(self) -> None:
        """Take away what `listen` put on disk, unless somebody else has replaced it."""


class UnixTransport:
    """A unix socket that only its owner can reach."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity: tuple[int, int] | None = None

    def listen(self) -> socket.socket:
        """Bind; the caller holds the lock, so a socket that lies there already belongs to a dead daemon."""
        make_private_dir(self._path.parent)
        if self._exists():
            self._path.unlink()
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # The folder keeps others out between the next two calls.
            listening.bind(os.fspath(self._path))
            self._path.chmod(0o600)
            listening.listen(_BACKLOG)
        except OSError as error:
            listening.close()
            raise DaemonError(f"cannot listen on {self._path}: {error.strerror}") from error
        self._identity = _identity(self._path)
        return listening

    def connect(self, timeout_s: float) -> socket.socket | None:
        """Connect, and check that the other side is the same user."""
        if not self._exists():
            return None
        peer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        peer.settimeout(timeout_s)
        try:
            peer.connect(os.fspath(self._path))
        except (ConnectionRefusedError, FileNotFoundError):
            peer.close()
            return None
        except OSError as error:
            peer.close()
            raise DaemonError(f"the daemon takes no connection: {error.strerror or error}") from error
        if not self.admits(peer, ""):
            peer.close()
            raise DaemonError(f"{self._path} belongs to another user; remove it")
        return peer

    def token(self) -> str:
        """Empty: the system tells who connects."""
        return ""

    def admits(self, peer: socket.socket, token: str) -> bool:
        """Whether the other side runs as the same user."""
        del token
        return _peer_uid(peer) == os.getuid()

    def release(self) -> None:
        """Unlink the socket if it is still the one that `listen` made."""
        if self._identity is not None and self._identity == _identity(self._path):
            self._path.unlink()
        self._identity = None

    def _exists(self) -> bool:
        """Whether a socket lies at the path."""
        try:
            mode = self._path.lstat().st_mode
        except FileNotFoundError:
            return False
        except OSError as error:
            raise DaemonError(f"{self._path} cannot be reached: {error.strerror}; {_SEE_DOCTOR}") from error
        if not stat.S_ISSOCK(mode):
            raise SocketTakenError(f"{self._path} is in the way and not a socket; move it away and try again")
        return True


class LoopbackTransport:
    """TCP on the loopback device, with port and token in a file that only the owner can read."""

    def __init__(self, token_file: Path) -> None:
        self._file = token_file
        self._token = ""

    def listen(self) -> socket.socket:
        """Listen on a port of the system's choice and write the token file."""
        import secrets  # noqa: PLC0415 - loads the system's cryptography: 5 MB that a proxy on unix never needs

        make_private_dir(self._file.parent)
        self._token = secrets.token_urlsafe(32)
        listening = socket.create_server((_LOCALHOST, 0), backlog=_BACKLOG)
        content = json.dumps({"port": listening.getsockname()[1], "token": self._token})
        # Written beside and renamed, so that a client never reads half of it.
        fresh = self._file.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(content)
        fresh.replace(self._file)
        return listening

    def connect(self, timeout_s: float) -> socket.socket | None:
        """Connect to the port named in the token file."""
        port = self._read().get("port")
        if not isinstance(port, int):
            return None
        try:
            return socket.create_connection((_LOCALHOST, port), timeout_s)
        except ConnectionRefusedError:
            return None
        except OSError as error:
            raise DaemonError(f"the daemon takes no connection: {error.strerror or error}") from error

    def token(self) -> str:
        """The token, as the file has it."""
        return str(self._read().get("token", ""))

    def admits(self, peer: socket.socket, token: str) -> bool:
        """Whether the client knows the token and comes from this machine."""
        import hmac  # noqa: PLC0415 - as above

        return bool(self._token) and peer.getpeername()[0] == _LOCALHOST and hmac.compare_digest(token, self._token)

    def release(self) -> None:
        """Remove the token file if it is still ours."""
        if self._token and self.token() == self._token:
            self._file.unlink(missing_ok=True)
        self._token = ""

    def _read(self) -> Mapping[str, object]:
        try:
            content = json.loads(self._file.read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return content if isinstance(content, dict) else {}


def transport_for(paths: Paths, platform: str = sys.platform) -> Transport:
    """The transport of this system."""
    return LoopbackTransport(paths.token_file) if platform == "win32" else UnixTransport(paths.socket_file)


def peer_pid(peer: socket.socket) -> int | None:
    """Process id of the other side, for messages; None where the system does not tell."""
    if not hasattr(socket, "SO_PEERCRED") or peer.family != socket.AF_UNIX:
        return None
    return _linux_credentials(peer)[0] or None


def _peer_uid(peer: socket.socket) -> int:
    """User id of the other side of a unix socket."""
    if hasattr(socket, "SO_PEERCRED"):
        return _linux_credentials(peer)[1]
    # macOS and the BSDs: struct xucred, which begins with its version and the user id.
    level_local, local_peercred, xucred_bytes = 0, 1, 76
    return int(struct.unpack_from("=Ii", peer.getsockopt(level_local, local_peercred, xucred_bytes))[1])


def _linux_credentials(peer: socket.socket) -> tuple[int, int, int]:
    """Process, user and group id of the other side, as they were when it connected or began to listen."""
    pid, uid, gid = struct.unpack("=3i", peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
    return pid, uid, gid


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        info = path.lstat()
    except FileNotFoundError:
        return None
    return info.st_dev, info.st_ino
