"""Typing to llama.cpp's own server, played by a small one of ours."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from codeassistd.bench.keystrokes import TypingScript
from codeassistd.clock import SystemClock
from codeassistd.errors import EngineError, UsageError
from codeassistd.tuning.server import server_typing

SERVER = """#!{python}
import http.server, json, os, sys
arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.answer({{"status": "ok"}})
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with open({log!r}, "a") as log:
            log.write(json.dumps({{**asked, **arguments, "spins": os.environ.get("GOMP_SPINCOUNT")}}) + "\\n")
        self.answer({{"content": "x"}}, {status})
    def answer(self, content, status=200):
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
http.server.HTTPServer((arguments["--host"], int(arguments["--port"])), Handler).serve_forever()
"""

SCRIPT = TypingScript(Path("a.py"), "python", "".join(f"line {n}\n" for n in range(300)), ("a", "b"), "", "ab")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the small server is started by its first line")


def program(folder: Path, text: str) -> Path:
    path = folder / "server"
    path.write_text(text)
    path.chmod(0o700)
    return path


def test_each_key_is_asked_as_the_plugin_asks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The 256 lines before the cursor, one line of answer, with the prompt cache; the first request is not counted.

    The context holds so many lines, and what this process has set for its own threads is not handed on.
    """
    monkeypatch.setenv("GOMP_SPINCOUNT", "1000")
    log = tmp_path / "log"
    server = program(tmp_path, SERVER.format(python=sys.executable, log=str(log), status=200))
    speed = server_typing(server, Path("m.gguf"), 2048, [SCRIPT, SCRIPT], SystemClock())
    asked = [json.loads(line) for line in log.read_text().splitlines()]
    assert (4, 6) == (speed.n_keys, len(asked))
    assert 0 < speed.p50_ms <= speed.p90_ms
    assert asked[2]["prompt"].startswith("line 45\n")
    assert asked[2]["prompt"].endswith("line 299\nab")
    assert (24, ["\n"], True, 0) == tuple(asked[0][key] for key in ("n_predict", "stop", "cache_prompt", "temperature"))
    assert ("m.gguf", "8192", "127.0.0.1", None) == tuple(asked[0][key] for key in ("-m", "-c", "--host", "spins"))


def test_what_is_no_server_is_one_line(tmp_path: Path) -> None:
    """A program that cannot be started, one that ends at once, and one that answers with an error."""
    with pytest.raises(UsageError, match="give the path of llama-server"):
        server_typing(tmp_path / "no", Path("m"), 256, [SCRIPT], SystemClock())
    with pytest.raises(EngineError, match="ended with code 3 before it was ready"):
        server_typing(
            program(tmp_path, f"#!{sys.executable}\nraise SystemExit(3)\n"), Path("m"), 256, [SCRIPT], SystemClock()
        )
    failing = program(tmp_path, SERVER.format(python=sys.executable, log=str(tmp_path / "log"), status=500))
    with pytest.raises(EngineError, match="answers a completion with status 500"):
        server_typing(failing, Path("m"), 256, [SCRIPT], SystemClock())
