"""Bytes of files to UTF-8."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from codeassistd.index.decode import Decoded, decode

CODE = "def añadir_nota():\n    pass\n"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (CODE.encode(), "utf-8"),
        (CODE.encode("utf-8-sig"), "utf-8"),
        (CODE.encode("utf-16"), "utf-16-le"),
        (CODE.encode("utf-16-le"), "utf-16-le"),
        (CODE.encode("utf-16-be"), "utf-16-be"),
        (CODE.encode("utf-32"), "utf-32-le"),
        (CODE.encode("latin-1"), "cp1252"),
    ],
)
def test_a_text_keeps_its_letters(data: bytes, encoding: str) -> None:
    """Whatever the encoding, the same text comes out, without a byte-order mark."""
    assert Decoded(CODE.encode(), encoding) == decode(data)


def test_a_declared_encoding_is_believed() -> None:
    """A comment in the first two lines (PEP 263) beats the guess."""
    text = "#!/usr/bin/python\n# -*- coding: iso8859-2 -*-\nłódź = 1\n"
    assert Decoded(text.encode(), "iso8859-2") == decode(text.encode("iso8859-2"))


@pytest.mark.parametrize("name", ["rot13", "no-such-encoding", "hex"])
def test_a_declaration_of_no_text_encoding_is_passed_over(name: str) -> None:
    """Python also calls things encodings that do not make text."""
    text = f"# coding: {name}\nä = 1\n"
    assert Decoded(text.encode(), "cp1252") == decode(text.encode("cp1252"))


def test_bytes_that_cp1252_lacks_are_read_as_latin_1() -> None:
    """Some bytes mean nothing in cp1252, but every byte means something in Latin-1."""
    assert Decoded("é\x81".encode(), "latin-1") == decode(b"\xe9\x81")


@pytest.mark.parametrize(
    "data", [b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00", b"\x89PNG\r\n\x1a\n\x00\x00", b"\x80\x01\x02\xff"]
)
def test_data_is_no_text(data: bytes) -> None:
    """Zero bytes or control characters among foreign bytes are no source."""
    assert Decoded(None, "") == decode(data)


@given(st.binary(max_size=200))
def test_no_bytes_are_refused_and_no_mark_is_put(data: bytes) -> None:
    """Anything is either text or not, and text never gets a replacement mark that was not there."""
    content = decode(data).content
    if content is not None:
        text = content.decode("utf-8")
        assert ("\ufffd" in text) <= (b"\xef\xbf\xbd" in data or b"\xfd\xff" in data or b"\xff\xfd" in data)
