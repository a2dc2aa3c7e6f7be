"""The metrics over HTTP, for Prometheus on the same machine: off unless asked for, loopback only, and with a token.

It runs on threads of its own and gives one text; what asks in the name of a web page is refused, whatever it knows. A
port that cannot be had is told in one line, and the daemon lives on without it.
"""

from __future__ import annotations

import hmac
import logging
import os
import secrets
import stat
import sys
import threading
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

from codeassistd.config import MetricsSettings
from codeassistd.paths import make_private_dir

__all__ = ["PATH", "Exporter"]

_log = logging.getLogger(__name__)

PATH = "/metrics"
_LOCALHOST = "127.0.0.1"
_CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: A client that says nothing for so long is let go.
_TIMEOUT_S = 5.0
_PRIVATE = 0o600
_OTHERS = 0o077


class Exporter:
    """Serves the text; `start` and `stop` are called on the loop's thread.

    Args:
        settings: whether, and at which port.
        token_file: made if it is not there, for the owner alone; the same token holds over restarts.
        text: the metrics as they are now; called on a thread of the server.
    """

    def __init__(self, settings: MetricsSettings, token_file: Path, text: Callable[[], str]) -> None:
        self._settings = settings
        self._token_file = token_file
        self._text = text
        self._server: _Server | None = None
        self._problem = ""

    def start(self) -> None:
        """Listen, if that is asked for; where it cannot be done the reason stands in `status`."""
        if not self._settings.http:
            return
        try:
            token = _token(self._token_file)
            self._server = _Server(self._settings.port, token, self._text)
        except OSError as error:
            reason = error.strerror or str(error)
            self._problem = (
                f"metrics are not served at port {self._settings.port} ({reason}); choose another by metrics.port"
            )
            _log.warning("%s", self._problem)
            return
        threading.Thread(target=self._server.serve_forever, name="exporter", daemon=True).start()
        _log.info("metrics are served at %s", self._server.url)

    def stop(self) -> None:
        """Listen no more."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    def status(self) -> Mapping[str, object]:
        """What was asked for and what is in force; the token itself is told to nobody."""
        return {
            "asked": self._settings.http,
            "effective": "" if self._server is None else self._server.url,
            "token_file": "" if self._server is None else str(self._token_file),
            "problem": self._problem,
        }


class _Server(ThreadingHTTPServer):
    """Listens on the loopback device alone."""

    daemon_threads = True
    # On Windows that would let another program take the port beside us.
    allow_reuse_address = sys.platform != "win32"

    def __init__(self, port: int, token: str, text: Callable[[], str]) -> None:
        self.token = token
        self.text = text
        super().__init__((_LOCALHOST, port), _Handler)

    @property
    def url(self) -> str:
        """Where the text is."""
        return f"http://{_LOCALHOST}:{self.server_port}{PATH}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up half-way is nothing to print a trace about."""
        del request, client_address
        _log.debug("a reader of the metrics failed", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    """One connection."""

    server: _Server
    timeout = _TIMEOUT_S
    server_version = "codeassistd"
    sys_version = ""
    _hosts: ClassVar[frozenset[str]] = frozenset({_LOCALHOST, "localhost"})

    def do_GET(self) -> None:
        """Give the text to who may have it."""
        refusal = self._refusal()
        if refusal is not None:
            self._answer(refusal, f"{refusal.phrase}\n")
        elif self.path != PATH:
            self._answer(HTTPStatus.NOT_FOUND, f"only {PATH} is here\n")
        else:
            self._answer(HTTPStatus.OK, self.server.text())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in http.server
        """Into our log instead of standard error."""
        _log.debug(format, *args)

    def _refusal(self) -> HTTPStatus | None:
        # A web page can reach this port under a name of its own, but not without a Host or Origin that gives it away.
        host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
        if host not in self._hosts or self.headers.get("Origin") is not None:
            return HTTPStatus.FORBIDDEN
        given = self.headers.get("Authorization", "").encode("utf-8", "replace")
        return None if hmac.compare_digest(given, f"Bearer {self.server.token}".encode()) else HTTPStatus.UNAUTHORIZED

    def _answer(self, status: HTTPStatus, text: str) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", _CONTENT_TYPE)
        self.send_header("Content-Length", str(len(content)))
        if status is HTTPStatus.UNAUTHORIZED:
            self.send_header("WWW-Authenticate", "Bearer")
        self.end_headers()
        self.wfile.write(content)


def _token(file: Path) -> str:
    """The token in the file, which is made anew where it is missing, empty, or readable by others.

    Raises:
        OSError: it can be neither read nor made.
    """
    make_private_dir(file.parent)
    if file.is_file() and (sys.platform == "win32" or not stat.S_IMODE(file.stat().st_mode) & _OTHERS):
        known = file.read_text("ascii", "replace").strip()
        if known:
            return known
    file.unlink(missing_ok=True)
    token = secrets.token_urlsafe(32)
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _PRIVATE), "w", encoding="ascii") as new:
        new.write(f"{token}\n")
    return token
