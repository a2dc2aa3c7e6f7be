"""Messages out of a byte stream: a header that tells the length, an empty line, and that many bytes.

A body that is too large is skipped without ever being held, so that one absurd message does not cost the editor its
connection. A header that makes no sense does: nobody can tell where the next message begins.
"""

from __future__ import annotations

import asyncio

__all__ = ["MAX_MESSAGE_BYTES", "FramingError", "MessageReader", "MessageTooLargeError"]

#: Far above any file that is worth a completion, far below what would hurt the machine.
MAX_MESSAGE_BYTES = 64 * 1024 * 1024
_MAX_HEADER_LINES = 32
_SKIP_BYTES = 64 * 1024
_LENGTH = b"content-length"


class FramingError(Exception):
    """The stream cannot be read any further."""


class MessageTooLargeError(Exception):
    """One message is over the limit; the next `read` skips it."""


class MessageReader:
    """Reads the bodies of one stream's messages, one after the other."""

    def __init__(self, stream: asyncio.StreamReader, max_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._stream = stream
        self._max_bytes = max_bytes
        self._to_skip = 0

    async def read(self) -> bytes | None:
        """The next message's body; None at the end of the stream, also where it ends inside a message.

        Raises:
            MessageTooLargeError: the body is over the limit; reading can go on.
            FramingError: the header cannot be understood; reading cannot go on.
        """
        try:
            await self._skip()
            length = await self._header()
            if length is None:
                return None
            if length > self._max_bytes:
                self._to_skip = length
                raise MessageTooLargeError(f"a message of {length} bytes is over the limit of {self._max_bytes} bytes")
            return await self._stream.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return None

    async def _skip(self) -> None:
        while self._to_skip > 0:
            self._to_skip -= len(await self._stream.readexactly(min(self._to_skip, _SKIP_BYTES)))

    async def _header(self) -> int | None:
        """The length that the next header tells; None at the end of the stream."""
        length: int | None = None
        for _ in range(_MAX_HEADER_LINES):
            try:
                line = await self._stream.readline()
            except ValueError as error:  # longer than the stream's buffer
                raise FramingError("a header line is too long") from error
            if not line.endswith(b"\n"):
                return None
            if not line.strip():
                if length is None:
                    raise FramingError("a message has no Content-Length")
                return length
            name, colon, value = line.partition(b":")
            if not colon:
                raise FramingError("a header line has no colon")
            if name.strip().lower() == _LENGTH:
                length = _number(value.strip())
        raise FramingError("a message has too many header lines")


def _number(digits: bytes) -> int:
    """A length as written; Python would also take signs, underscores and thousands of digits."""
    if not digits.isdigit() or len(digits) > len(str(2**63)):
        raise FramingError("a Content-Length is not a number")
    return int(digits)
