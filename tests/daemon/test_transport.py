"""The private socket, and the loopback port with its token."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.daemon.transport import LoopbackTransport, UnixTransport, peer_pid, transport_for
from codeassistd.errors import SocketTakenError
from codeassistd.paths import Paths


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "d.sock"


@pytest.fixture
def listening(path: Path) -> Iterator[socket.socket]:
    with UnixTransport(path).listen() as made:
        yield made


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_socket_is_private_whatever_the_umask(path: Path) -> None:
    """Folder 0700, socket 0600, also under the widest umask."""
    before = os.umask(0)
    try:
        with UnixTransport(path).listen():
            assert (0o700, 0o600) == (mode(path.parent), mode(path))
    finally:
        os.umask(before)


def test_a_client_reaches_it_and_both_know_each_other(path: Path, listening: socket.socket) -> None:
    """Each side checks that the other one is the same user."""
    transport = UnixTransport(path)
    client = transport.connect(1.0)
    assert client is not None
    accepted, _ = listening.accept()
    with client, accepted:
        assert transport.admits(accepted, "")
        assert os.getpid() == peer_pid(client)


def test_another_user_is_not_admitted(path: Path, listening: socket.socket, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system's word about the other side counts, not the file's mode alone."""
    transport = UnixTransport(path)
    client = transport.connect(1.0)
    assert client is not None
    accepted, _ = listening.accept()
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000)
    with client, accepted:
        assert not transport.admits(accepted, "")


def test_nobody_there_is_none(path: Path) -> None:
    """Without a socket, and with one whose daemon has died, there is nobody."""
    assert UnixTransport(path).connect(1.0) is None
    UnixTransport(path).listen().close()
    assert path.exists()
    assert UnixTransport(path).connect(1.0) is None


def test_a_dead_daemons_socket_is_replaced(path: Path) -> None:
    """`listen` is called under the lock, so what lies there is left over."""
    UnixTransport(path).listen().close()
    with UnixTransport(path).listen():
        client = UnixTransport(path).connect(1.0)
        assert client is not None
        client.close()


@pytest.mark.parametrize("make", [lambda path: path.write_text("mine"), lambda path: path.mkdir()])
def test_what_is_no_socket_is_left_alone(path: Path, make: object) -> None:
    """A file or folder in the socket's place is somebody's data: refused by both sides, and kept."""
    path.parent.mkdir()
    make(path)  # type: ignore[operator]
    for call in (UnixTransport(path).listen, lambda: UnixTransport(path).connect(1.0)):
        with pytest.raises(SocketTakenError, match="in the way and not a socket"):
            call()
    assert path.exists()


def test_release_takes_only_its_own_socket(path: Path) -> None:
    """A daemon that ends late must not unlink the socket of its successor."""
    old, new = UnixTransport(path), UnixTransport(path)
    with old.listen():
        path.unlink()
        with new.listen():
            old.release()
            assert path.exists()
            new.release()
            assert not path.exists()
            new.release()


def test_loopback_needs_the_token(tmp_path: Path) -> None:
    """Anybody on the machine can reach the port, so only the token from the owner's file opens it."""
    daemon, client = LoopbackTransport(tmp_path / "run" / "t.token"), LoopbackTransport(tmp_path / "run" / "t.token")
    with daemon.listen() as listening:
        assert "127.0.0.1" == listening.getsockname()[0]
        assert 0o600 == mode(tmp_path / "run" / "t.token")
        connected = client.connect(1.0)
        assert connected is not None
        accepted, _ = listening.accept()
        with connected, accepted:
            assert daemon.admits(accepted, client.token())
            assert not daemon.admits(accepted, "guess")
            assert not daemon.admits(accepted, "")
        daemon.release()
    assert not (tmp_path / "run" / "t.token").exists()
    assert client.connect(1.0) is None


def test_loopback_without_a_daemon_is_none(tmp_path: Path) -> None:
    """A token file left by a killed daemon, or a damaged one, means that nobody is there."""
    file = tmp_path / "run" / "t.token"
    LoopbackTransport(file).listen().close()
    assert LoopbackTransport(file).connect(1.0) is None
    file.write_text("{")
    assert LoopbackTransport(file).connect(1.0) is None


def test_release_keeps_a_successors_token(tmp_path: Path) -> None:
    """A daemon that ends late leaves the token of the next one."""
    file = tmp_path / "run" / "t.token"
    old, new = LoopbackTransport(file), LoopbackTransport(file)
    with old.listen(), new.listen():
        old.release()
        assert file.exists()
        new.release()


def test_each_system_has_its_transport() -> None:
    """TCP only where there are no unix sockets."""
    paths = Paths.resolve({"CODEASSISTD_HOME": "/h"})
    kinds = [type(transport_for(paths, platform)) for platform in ("linux", "darwin", "win32")]
    assert [UnixTransport, UnixTransport, LoopbackTransport] == kinds
