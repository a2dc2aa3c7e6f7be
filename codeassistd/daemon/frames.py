"""Framed messages as the language server protocol has them: a header with the length in bytes, then the body.

Bodies pass through untouched. Standard library only, since the proxy uses it.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["FrameError", "FrameReader", "frame"]

_CHUNK_BYTES = 65_536
_HEADER_END = b"\r\n\r\n"
#: A header is one or two short lines; what is longer is something else than a language client.
_MAX_HEADER_BYTES = 4096
#: Far more than any document; a longer one is a damaged header, and would be waited for in vain.
_MAX_BODY_BYTES = 1 << 30
#: Some readers set aside all that they are asked for at once.
_MAX_READ_BYTES = 1 << 20


class FrameError(ValueError):
    """The bytes are no framed messages, so where the next one begins cannot be known."""


class FrameReader:
    """Cuts a stream of bytes into the bodies of its messages.

    `read(n)` gives at least one and at most n bytes, and none at the end.
    """

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._buffer = bytearray()

    def next(self) -> bytes | None:
        """The next body; None at the end of the stream, also where it ends within a message.

        Raises:
            FrameError: this is no header, or it announces more than any message has.
        """
        while (end := self._buffer.find(_HEADER_END)) < 0:
            if len(self._buffer) > _MAX_HEADER_BYTES:
                raise FrameError("a message without a Content-Length header")
            if not self._fill(_CHUNK_BYTES):
                return None
        length = _content_length(bytes(self._buffer[:end]))
        del self._buffer[: end + len(_HEADER_END)]
        while (missing := length - len(self._buffer)) > 0:
            if not self._fill(min(max(missing, _CHUNK_BYTES), _MAX_READ_BYTES)):
                return None
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        return body

    def _fill(self, most: int) -> bool:
        data = self._read(most)
        self._buffer += data
        return bool(data)


def frame(body: bytes) -> bytes:
    """`body` with its header in front."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _content_length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            # By the number of digits first: the interpreter refuses to convert endless ones.
            if len(value.strip()) > len(str(_MAX_BODY_BYTES)) or int(value) > _MAX_BODY_BYTES:
                raise FrameError(f"a Content-Length of more than {_MAX_BODY_BYTES} bytes")
            return int(value)
    raise FrameError("a message without a Content-Length header")
