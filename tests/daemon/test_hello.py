"""The first line of a connection and its answer."""

from __future__ import annotations

import json

import pytest

from codeassistd.daemon.hello import Answer, Hello, HelloError, Kind


def test_what_is_sent_is_read() -> None:
    """A hello and an answer survive the line they travel on."""
    hello = Hello(Kind.LSP, token="t")
    assert hello == Hello.from_line(hello.to_line())
    assert Answer("no") == Answer.from_line(Answer("no").to_line())


def test_the_line_is_plain_json() -> None:
    """The format is promised to other versions of ourselves, so it is written out here."""
    assert {"protocol": 1, "version": "0.1.0", "kind": "lsp", "token": ""} == json.loads(Hello(Kind.LSP).to_line())
    assert {"protocol": 1, "version": "0.1.0", "ok": True, "error": ""} == json.loads(Answer().to_line())


def test_another_version_is_understood() -> None:
    """Both sides can still read who the other one is, with fields that they do not know."""
    line = b'{"protocol": 9, "version": "7.0", "kind": "control", "new": 1}\n'
    assert Hello(Kind.CONTROL, protocol=9, version="7.0") == Hello.from_line(line)
    assert Answer("old", 9, "7.0") == Answer.from_line(b'{"protocol":9,"version":"7.0","ok":false,"error":"old"}')


@pytest.mark.parametrize(
    "line",
    [b"", b"\n", b"GET / HTTP/1.1\r\n", b"[]", b"{}", b'{"protocol":"1","version":"1","kind":"lsp"}',
     b'{"protocol":1,"version":"1","kind":"web"}', b'{"protocol":1,"version":1,"kind":"lsp"}', b"\xff\xfe"],
)  # fmt: skip
def test_anything_else_is_no_hello(line: bytes) -> None:
    """A browser, a port scanner or a broken client gets no further than this line."""
    with pytest.raises(HelloError):
        Hello.from_line(line)


def test_a_refusal_without_words_still_refuses() -> None:
    """Whoever answers `ok: false` refuses, whether it says why or not."""
    assert not Answer.from_line(b'{"protocol":1,"version":"1","ok":false}').ok
