"""Case 74: stray bytes on standard output."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from codeassistd.daemon.frames import FrameReader, frame
from tests.support.processes import Home
from tests.support.waiting import SAFETY_S

pytestmark = pytest.mark.slow

URI = "file:///w/größe.py"
ITEM = "größe + 🦊"

#: A proxy in which everything prints all the time: Python, a native library, and a child process.
NOISY_PROXY = """
import os, sys, threading
from codeassistd.daemon import proxy
real = proxy.Proxy.run
def noise():
    while True:
        print("python noise", flush=True)
        os.write(1, b"native noise\\n")
        os.system("echo child noise")
def run(self):
    threading.Thread(target=noise, daemon=True).start()
    return real(self)
proxy.Proxy.run = run
sys.exit(proxy.main([]))
"""

#: A daemon whose model prints on both streams while it loads and with every step.
NOISY_DAEMON = """
import os, sys
from pathlib import Path
from codeassistd.config_layers import load
from codeassistd.daemon.assembly import run_daemon
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd_lsp.server import serve
class Noisy(FakeBackend):
    def load(self, progress):
        os.write(1, b"native load 1\\n"); os.write(2, b"native load 2\\n"); print("python load", flush=True)
        return super().load(progress)
    def decode(self, batch):
        os.write(1, b"native step\\n")
        return super().decode(batch)
paths = Paths.resolve()
sys.exit(run_daemon(paths, load(paths).settings, Noisy.from_json(Path(sys.argv[1])).load, serve))
"""


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


class Editor:
    """Speaks with a proxy and keeps every byte of its standard output."""

    def __init__(self, proxy: subprocess.Popen[bytes]) -> None:
        assert proxy.stdin is not None
        assert proxy.stdout is not None
        self.stdout = b""
        self._stdin, self._stdout = proxy.stdin, proxy.stdout
        self._frames = FrameReader(self._read)

    def _read(self, most: int) -> bytes:
        data = os.read(self._stdout.fileno(), most)
        self.stdout += data
        return data

    def say(self, **message: object) -> None:
        self._stdin.write(frame(json.dumps({"jsonrpc": "2.0", **message}).encode()))
        self._stdin.flush()

    def hear(self, fits: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message that fits."""
        while (body := self._frames.next()) is not None:
            message = json.loads(body)
            if fits(message):
                return dict(message)
        raise AssertionError("the proxy ended")

    def ask(self, identity: int, method: str, params: object) -> Any:
        self.say(id=identity, method=method, params=params)
        return self.hear(lambda message: message.get("id") == identity and "method" not in message)["result"]


def converse(proxy: subprocess.Popen[bytes]) -> Editor:
    """Open a document, get 20 suggestions, leave; returns with the proxy's output complete."""
    # Twenty-two questions, while noise takes all of the processor that it can get.
    safety = threading.Timer(10 * SAFETY_S, proxy.kill)
    safety.start()
    editor = Editor(proxy)
    editor.ask(1, "initialize", {"processId": None, "capabilities": {}})
    editor.say(method="initialized", params={})
    editor.hear(lambda message: message.get("method") == "codeassistd/status" and message["params"]["state"] == "ready")
    document = {"uri": URI, "languageId": "python", "version": 1, "text": "größe = "}
    editor.say(method="textDocument/didOpen", params={"textDocument": document})
    place = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 8}, "context": {"triggerKind": 1}}
    for identity in range(2, 22):
        (item,) = editor.ask(identity, "textDocument/inlineCompletion", place)["items"]
        assert ITEM == item["insertText"]
    editor.ask(22, "shutdown", None)
    editor.say(method="exit")
    editor.stdout += editor._stdout.read()
    safety.cancel()
    return editor


def n_messages(stream: bytes) -> int:
    """How many messages `stream` is made of; fails if a single byte belongs to none."""
    count = 0
    while stream:
        header, _, rest = stream.partition(b"\r\n\r\n")
        name, _, length = header.partition(b": ")
        assert b"Content-Length" == name
        json.loads(rest[: int(length)])
        stream = rest[int(length) :]
        count += 1
    return count


@pytest.mark.parametrize("stderr", ["2>/dev/null", "2>&-"], ids=["open", "closed"])
def test_every_byte_belongs_to_a_message(home: Home, stderr: str) -> None:
    """However much is printed in the proxy and in the daemon, the editor sees framed messages only.

    The daemon's prints stand in its log. A closed standard error harms nothing.
    """
    script = {"default": ITEM}
    file = home.serve_command(script)[-1]
    home.spawn(["sh", "-c", f'exec "$0" -P -c "$1" "$2" {stderr}', sys.executable, NOISY_DAEMON, file])
    home.until_ready()
    command = ["sh", "-c", f'exec "$0" -P -c "$1" {stderr}', sys.executable, NOISY_PROXY]
    proxy = home.spawn(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    editor = converse(proxy)
    assert 0 == proxy.wait(SAFETY_S)
    assert n_messages(editor.stdout) >= 22
    log = home.paths.log_file.read_text("utf-8")
    for line in ("native load 1", "native load 2", "python load", "native step"):
        assert f"{line}\n" in log
    assert "Traceback" not in log
