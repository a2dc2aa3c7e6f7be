"""Parsing functions for worker processes that misbehave on purpose."""

from __future__ import annotations

import os
import signal

from codeassistd.syntax.extract import extract
from codeassistd.syntax.facts import FileFacts


def crashing(language_id: str, content: bytes) -> FileFacts:
    """Dies like a binding with a broken pointer where the text says so."""
    if b"CRASH" in content:
        os.kill(os.getpid(), signal.SIGSEGV)
    return extract(language_id, content)


def hanging(language_id: str, content: bytes) -> FileFacts:
    """Never comes back where the text says so."""
    while b"HANG" in content:
        pass
    return extract(language_id, content)


def raising(language_id: str, content: bytes) -> FileFacts:
    """Has a bug that shows where the text says so."""
    if b"RAISE" in content:
        raise KeyError(language_id)
    return extract(language_id, content)


def printing(language_id: str, content: bytes) -> FileFacts:
    """Prints like a native library, past Python's own streams."""
    os.write(1, b"noise " * 10)
    return extract(language_id, content)
