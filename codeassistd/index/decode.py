"""From the bytes of a file to UTF-8, or the reason why it is not text.

Most source is UTF-8, and the rest must neither stop a crawl nor lose letters: a replacement mark in the middle of a
name would store a name that stands nowhere. So a file is read by the first of these that fits: its byte-order mark,
UTF-8, the zero bytes of UTF-16, the encoding that it declares itself (PEP 263), cp1252, Latin-1.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

__all__ = ["Decoded", "decode"]

#: Longer marks first: the mark of UTF-32 begins with the mark of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"\A(?:[^\n]*\n)?[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)")
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f\v\b\x1b")
#: Enough to tell text from data without reading a large file twice.
_SAMPLE_BYTES = 8192
#: ASCII letters in UTF-16 give a zero in every second byte; data seldom has so many on one side only.
_UTF16_ZEROS, _UTF16_OTHERS = 0.4, 0.05


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, and how it was read.

    Attributes:
        content: UTF-8 without a byte-order mark; None where the file is not text.
        encoding: what the bytes were in; empty where the file is not text.
    """

    content: bytes | None
    encoding: str


_BINARY = Decoded(None, "")


def decode(data: bytes) -> Decoded:
    """Read `data` as text; never raises and never puts a replacement mark."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _as(data[len(mark) :], encoding) or _BINARY
    sample = data[:_SAMPLE_BYTES]
    if 0 in sample:
        encoding = _utf16(sample)
        return (_as(data, encoding) or _BINARY) if encoding else _BINARY
    if _is_utf8(data):
        return Decoded(data, "utf-8")
    if not _CONTROL.isdisjoint(sample):
        return _BINARY
    declared = _declared(data)
    return (declared and _as(data, declared)) or _as(data, "cp1252") or _as(data, "latin-1") or _BINARY


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _as(data: bytes, encoding: str) -> Decoded | None:
    """`data` read in `encoding`, or None where it is not that."""
    try:
        return Decoded(data.decode(encoding).encode("utf-8"), encoding)
    except UnicodeError:
        return None


def _utf16(sample: bytes) -> str:
    """The byte order that the zeros of `sample` speak for, or nothing."""
    half = max(1, len(sample) // 2)
    even, odd = sample[0::2].count(0) / half, sample[1::2].count(0) / half
    if odd > _UTF16_ZEROS and even < _UTF16_OTHERS:
        return "utf-16-le"
    if even > _UTF16_ZEROS and odd < _UTF16_OTHERS:
        return "utf-16-be"
    return ""


def _declared(data: bytes) -> str:
    """The encoding named in a comment of the first two lines, if it is one of text; else nothing."""
    match = _DECLARED.match(data)
    if not match:
        return ""
    name = match.group(1).decode("ascii", "ignore")
    try:
        "".encode(name)
    except (LookupError, ValueError):
        return ""
    return codecs.lookup(name).name
