"""Messages cut out of a stream, whatever pieces it comes in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.daemon.frames import FrameError, FrameReader, frame


def reader(stream: bytes, piece: int = 1) -> FrameReader:
    """A reader that gets `stream` in pieces of so many bytes."""
    rest = [stream[at : at + piece] for at in range(0, len(stream), piece)]
    return FrameReader(lambda _most: rest.pop(0) if rest else b"")


@given(st.lists(st.binary(max_size=40), max_size=5), st.integers(1, 60))
def test_bodies_pass_unchanged(bodies: list[bytes], piece: int) -> None:
    """Whatever the bodies hold, and however the stream is cut, the same bodies come out."""
    frames = reader(b"".join(map(frame, bodies)), piece)
    assert [*bodies, None] == [frames.next() for _ in range(len(bodies) + 1)]


def test_the_length_counts_bytes() -> None:
    """A letter of four bytes counts four."""
    assert b"Content-Length: 6\r\n\r\n\xf0\x9f\xa6\x8aok" == frame("🦊ok".encode())


def test_other_headers_are_skipped() -> None:
    """The type header and any spelling of the length are understood."""
    stream = b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:2\r\n\r\n{}"
    assert b"{}" == reader(stream).next()


@pytest.mark.parametrize("stream", [b"Content-Length: 10\r\n\r\n{}", b"Content-Len", b""])
def test_an_end_within_a_message_is_an_end(stream: bytes) -> None:
    """An editor that was killed leaves half a message behind; that is no error."""
    assert reader(stream).next() is None


@pytest.mark.parametrize("stream", [b"X: 1\r\n\r\n{}", b"Content-Length: -2\r\n\r\n{}", b"x" * 5000])
def test_a_stream_without_lengths_is_refused(stream: bytes) -> None:
    """Where the next message begins cannot be known any more, so there is no way to go on."""
    with pytest.raises(FrameError, match="Content-Length"):
        reader(stream, piece=100).next()


@pytest.mark.parametrize("length", [b"1073741825", b"99999999999", b"9" * 3000])
def test_a_length_that_no_message_has_is_refused(length: bytes) -> None:
    """It is a damaged header: to wait for so many bytes, or to set them aside, would be the end of the proxy."""
    with pytest.raises(FrameError, match="a Content-Length of more than"):
        reader(b"Content-Length: " + length + b"\r\n\r\n{}", piece=100).next()


def test_a_long_message_is_read_in_pieces() -> None:
    """The system is never asked for all of it at once, since some reads set aside what they are asked for."""
    asked: list[int] = []
    stream = iter([b"Content-Length: 3000000\r\n\r\n", bytes(1_000_000), bytes(1_000_000), bytes(1_000_000)])

    def read(most: int) -> bytes:
        asked.append(most)
        return next(stream)

    body = FrameReader(read).next()

    assert 3_000_000 == len(body or b"")
    assert 1 << 20 == max(asked)
