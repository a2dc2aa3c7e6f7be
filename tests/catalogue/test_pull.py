from __future__ import annotations

import errno
import hashlib
import os
import socket
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.catalogue.network import Network, Remote
from codeassistd.catalogue.progress import PullProgress, ignore_progress
from codeassistd.catalogue.pull import download
from codeassistd.errors import PullError
from tests.support.loopback import Loopback, Served

CONTENT = bytes(range(256)) * 4096
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def remote(server: Loopback) -> Remote:
    server.files["/model"] = Served(CONTENT, etag='"one"')
    return Remote(f"{server.address}/model", "the model", SHA256)


def test_a_whole_download_is_hashed_and_private(network: Network, remote: Remote, tmp_path: Path) -> None:
    """The bytes arrive, their hash is answered, and only the owner can read them."""
    part = tmp_path / "model.part"
    assert SHA256 == download(network, remote, part, ignore_progress)
    assert CONTENT == part.read_bytes()
    if sys.platform != "win32":
        assert 0o600 == stat.S_IMODE(part.stat().st_mode)


def test_progress_reaches_the_total(network: Network, remote: Remote, tmp_path: Path) -> None:
    """Progress begins at nothing, never goes back, and ends at the whole size."""
    told: list[PullProgress] = []
    download(network, remote, tmp_path / "model.part", told.append)
    assert PullProgress("downloading the model", 0, len(CONTENT)) == told[0]
    assert PullProgress("downloading the model", len(CONTENT), len(CONTENT)) == told[-1]
    assert sorted(progress.done_bytes for progress in told) == [progress.done_bytes for progress in told]


def test_a_cut_connection_is_taken_up_where_it_broke(
    network: Network, remote: Remote, server: Loopback, tmp_path: Path
) -> None:
    """Each request asks only for what is missing, as long as something comes."""
    server.files["/model"].cuts = [100_000, 300_000, 50_000, 1, 1, 1]
    assert SHA256 == download(network, remote, tmp_path / "model.part", ignore_progress)
    ranges = [asked.headers.get("Range") for asked in server.asked]
    assert [None, "bytes=100000-", "bytes=400000-", "bytes=450000-", "bytes=450001-", "bytes=450002-"] == ranges[:6]
    assert ['"one"'] == list({asked.headers["If-Range"] for asked in server.asked[1:]})


def test_a_server_that_sends_nothing_is_given_up(
    network: Network, remote: Remote, server: Loopback, tmp_path: Path
) -> None:
    """Three tries without a byte end the pull with one line, and what is there is kept for the next one."""
    server.files["/model"].cuts = [1000, 0, 0, 0]
    part = tmp_path / "model.part"
    with pytest.raises(PullError, match=r"broke after 0\.0 MB of the model .*: pull again, it continues there"):
        download(network, remote, part, ignore_progress)
    assert CONTENT[:1000] == part.read_bytes()
    assert SHA256 == download(network, remote, part, ignore_progress)
    assert "bytes=1000-" == server.asked[-1].headers["Range"]


def test_a_finished_part_is_not_fetched_again(
    network: Network, remote: Remote, server: Loopback, tmp_path: Path
) -> None:
    """A pull that ended after the download but before the file was kept asks the server for nothing."""
    part = tmp_path / "model.part"
    part.write_bytes(CONTENT)
    assert SHA256 == download(network, remote, part, ignore_progress)
    assert [] == server.asked


def test_a_server_without_ranges_starts_anew(
    network: Network, remote: Remote, server: Loopback, tmp_path: Path
) -> None:
    """An answer with the whole file replaces the part instead of being added to it."""
    server.files["/model"].ranges = False
    part = tmp_path / "model.part"
    part.write_bytes(b"half of something")
    assert SHA256 == download(network, remote, part, ignore_progress)


def test_a_file_that_changed_meanwhile_starts_anew(
    network: Network, remote: Remote, server: Loopback, tmp_path: Path
) -> None:
    """The halves of two versions are never joined, even where no hash would tell."""
    unhashed = replace(remote, sha256="")
    part = tmp_path / "model.part"
    server.files["/model"].cuts = [1000, 0, 0, 0]
    with pytest.raises(PullError):
        download(network, unhashed, part, ignore_progress)
    newer = bytes(reversed(CONTENT))
    server.files["/model"] = Served(newer, etag='"two"')
    assert hashlib.sha256(newer).hexdigest() == download(network, unhashed, part, ignore_progress)


def test_without_hash_and_tag_nothing_is_resumed(network: Network, server: Loopback, tmp_path: Path) -> None:
    """Nothing would notice a changed file, so it is fetched from the start."""
    server.files["/model"] = Served(CONTENT)
    part = tmp_path / "model.part"
    part.write_bytes(b"unknown")
    remote = Remote(f"{server.address}/model", "the model")
    assert SHA256 == download(network, remote, part, ignore_progress)


def test_a_part_longer_than_the_file_starts_anew(
    network: Network, remote: Remote, server: Loopback, tmp_path: Path
) -> None:
    """A refused range (416) is not an endless error."""
    part = tmp_path / "model.part"
    part.write_bytes(CONTENT + b"more")
    assert SHA256 == download(network, remote, part, ignore_progress)
    assert 2 == len(server.asked)


def test_a_wrong_hash_throws_the_download_away(
    network: Network, remote: Remote, server: Loopback, tmp_path: Path
) -> None:
    """The error names both hashes, and a damaged part does not poison the next pull."""
    server.files["/model"].content = b"x" + CONTENT[1:]
    part = tmp_path / "model.part"
    wrong = hashlib.sha256(b"x" + CONTENT[1:]).hexdigest()
    with pytest.raises(PullError, match=rf"the model has SHA-256 {wrong[:12]}… instead of {SHA256[:12]}…"):
        download(network, remote, part, ignore_progress)
    assert not part.exists()


def test_no_space_is_seen_before_the_first_byte(network: Network, remote: Remote, tmp_path: Path) -> None:
    """The error says how much is needed and how much is free."""
    cramped = replace(network, space=lambda _: 1_000_000)
    with pytest.raises(PullError, match=r"1\.5 MB are needed and 1\.0 MB are free"):
        download(cramped, remote, tmp_path / "model.part", ignore_progress, spare_bytes=500_000)
    assert 0 == (tmp_path / "model.part").stat().st_size


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (errno.ENOSPC, "the disk of .* is full; free some space and pull again"),
        (errno.EROFS, "cannot write in .*: Read-only"),
    ],
)
def test_a_disk_that_refuses_is_one_line(
    network: Network, remote: Remote, tmp_path: Path, number: int, message: str
) -> None:
    """A write that fails halfway is not a traceback."""

    def fail(_: PullProgress) -> None:
        raise OSError(number, os.strerror(number))

    with pytest.raises(PullError, match=message):
        download(network, remote, tmp_path / "model.part", fail)


@pytest.mark.parametrize(
    ("status", "message"),
    [
        (404, r"127\.0\.0\.1 does not have the model \(HTTP 404\)"),
        (403, r"does not give the model to just anyone \(HTTP 403\): accept its terms .* HF_TOKEN"),
        (503, r"answered HTTP 503 for the model; try again later"),
    ],
)
def test_a_refusal_is_one_line(network: Network, server: Loopback, tmp_path: Path, status: int, message: str) -> None:
    """What the server's status means is said in words."""
    server.files["/model"] = Served(status=status)
    remote = Remote(f"{server.address}/model", "the model", SHA256)
    with pytest.raises(PullError, match=message):
        download(network, remote, tmp_path / "model.part", ignore_progress)


def test_no_network_is_one_line(network: Network, tmp_path: Path) -> None:
    """A host that does not answer is named, with what to look at."""
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    remote = Remote(f"http://127.0.0.1:{port}/model", "the model", SHA256)
    with pytest.raises(PullError, match=r"no connection to 127\.0\.0\.1 for the model .*check network and proxy"):
        download(network, remote, tmp_path / "model.part", ignore_progress)


def test_a_file_of_a_local_index_is_copied(network: Network, tmp_path: Path) -> None:
    """Indexes that are folders of this machine name files, not servers."""
    source = tmp_path / "wheel.whl"
    source.write_bytes(CONTENT)
    part = tmp_path / "model.part"
    assert SHA256 == download(network, Remote(source.as_uri(), "the wheel", SHA256), part, ignore_progress)
    source.unlink()
    part.unlink()
    with pytest.raises(PullError, match="is named by the package index, but is not there"):
        download(network, Remote(source.as_uri(), "the wheel", SHA256), part, ignore_progress)


def test_credentials_stay_with_their_host(network: Network, server: Loopback, tmp_path: Path) -> None:
    """A redirect to another host's storage does not carry the user's token there."""
    server.files["/model"] = Served(location=f"{server.address.replace('127.0.0.1', 'localhost')}/storage")
    server.files["/storage"] = Served(CONTENT)
    remote = Remote(f"{server.address}/model", "the model", SHA256, {"Authorization": "Bearer secret"})
    assert SHA256 == download(network, remote, tmp_path / "model.part", ignore_progress)
    assert ["Bearer secret", None] == [asked.headers.get("Authorization") for asked in server.asked]
