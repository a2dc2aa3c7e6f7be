"""llama.cpp's own server on the same keys: what a user would have without this program.

What it gets is what the best-known plugin for it sends: 256 lines before the cursor, 24 tokens, up to the line's end,
with its prompt cache on. It is started on a free port of the loopback device, and ended when all was typed.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import socket
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from codeassistd.bench.keystrokes import TypingScript
from codeassistd.clock import Clock
from codeassistd.daemon.tuned import TypingSpeed
from codeassistd.errors import EngineError, UsageError
from codeassistd.metrics.stats import percentile

__all__ = ["server_typing"]

_HOST = "127.0.0.1"
_N_LINES = 256
_LEAST_CTX = 8192
"""Tokens that so many lines of code may have; a longer prompt is answered with an error."""
_OURS = frozenset({"GOMP_SPINCOUNT", "GGML_NO_BACKTRACE"})
"""What `engine.llama` sets for the library in this process. The server is to run as its authors would have it."""
_N_TOKENS = 24
_START_S = 120.0
_POLL_S = 0.1
_ANSWER_S = 120.0
_END_S = 10.0


def server_typing(server: Path, model: Path, n_ctx: int, scripts: Sequence[TypingScript], clock: Clock) -> TypingSpeed:
    """How fast that server answers keys; the first of each script, which reads the whole prompt, is not counted.

    Args:
        server: its program.
        model: the file to serve.
        n_ctx: tokens of its context; more where the prompts need it.
        scripts: what is typed.
        clock: measures.

    Raises:
        UsageError: it cannot be started.
        EngineError: it ended, or does not answer.
    """
    with _running(server, model, n_ctx, clock) as port:
        times = [ms for script in scripts for ms in _typed(port, script, clock)]
    p50, p90 = percentile(times, 50), percentile(times, 90)
    if p50 is None or p90 is None:
        raise EngineError(f"{server} was not asked anything; there was nothing to type")
    return TypingSpeed(p50, p90, len(times))


@contextlib.contextmanager
def _running(server: Path, model: Path, n_ctx: int, clock: Clock) -> Iterator[int]:
    port = _free_port()
    n_held = max(n_ctx, _LEAST_CTX)
    command = [str(server), "-m", str(model), "-c", str(n_held), "--host", _HOST, "--port", str(port)]
    environ = {name: value for name, value in os.environ.items() if name not in _OURS}
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environ
        )
    except OSError as error:
        raise UsageError(f"{server} cannot be started: {error.strerror}; give the path of llama-server") from error
    try:
        _until_healthy(process, server, port, clock)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _until_healthy(process: subprocess.Popen[bytes], server: Path, port: int, clock: Clock) -> None:
    end_s = clock.monotonic_s() + _START_S
    while clock.monotonic_s() < end_s:
        if process.poll() is not None:
            raise EngineError(f"{server} ended with code {process.returncode} before it was ready; try it by hand")
        with contextlib.suppress(OSError, http.client.HTTPException):
            if _ask(port, "GET", "/health", None)[0] == http.client.OK:
                return
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_POLL_S)
    raise EngineError(f"{server} was not ready within {_START_S:.0f} s; try it by hand")


def _typed(port: int, script: TypingScript, clock: Clock) -> Iterator[float]:
    for n_keys in range(len(script.keys) + 1):
        before = script.before + script.typed(n_keys)
        asked = {
            "prompt": "".join(before.splitlines(keepends=True)[-_N_LINES:]),
            "n_predict": _N_TOKENS,
            "stop": ["\n"],
            "temperature": 0,
            "cache_prompt": True,
        }
        begun_s = clock.monotonic_s()
        try:
            status, _ = _ask(port, "POST", "/completion", json.dumps(asked))
        except (OSError, http.client.HTTPException) as error:
            raise EngineError(f"the server does not answer: {error}") from error
        if status != http.client.OK:
            raise EngineError(f"the server answers a completion with status {status}")
        if n_keys:
            yield 1000 * (clock.monotonic_s() - begun_s)


def _ask(port: int, method: str, path: str, body: str | None) -> tuple[int, bytes]:
    with contextlib.closing(http.client.HTTPConnection(_HOST, port, timeout=_ANSWER_S)) as connection:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, response.read()


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind((_HOST, 0))
        port: int = listener.getsockname()[1]
        return port
