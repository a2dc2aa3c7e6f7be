"""Stands between a client and a server: loses one answer with items, and gives another one twice.

python faulty_proxy.py COMMAND...
"""

from __future__ import annotations

import subprocess
import sys
import threading
from typing import BinaryIO


def message(stream: BinaryIO) -> bytes:
    """The next message with its head; empty at the end."""
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline()
        if not line:
            return b""
        head += line
    length = next(
        int(part.split(b":")[1]) for part in head.split(b"\r\n") if part.lower().startswith(b"content-length")
    )
    return head + stream.read(length)


def pass_on(source: BinaryIO, target: BinaryIO) -> None:
    """The client's words, as they are."""
    while data := message(source):
        target.write(data)
        target.flush()
    target.close()


def main() -> None:
    """Pass everything on, but for two answers."""
    with subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        threading.Thread(target=pass_on, args=(sys.stdin.buffer, server.stdin), daemon=True).start()
        n_answers = 0
        while data := message(server.stdout):
            is_answer = b'"items"' in data and b'"method"' not in data
            n_answers += is_answer
            copies = {3: 2, 6: 0}.get(n_answers, 1) if is_answer else 1
            sys.stdout.buffer.write(data * copies)
            sys.stdout.buffer.flush()


main()
