"""A web server on this machine that serves, cuts and refuses files as a test wants."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Served:
    """A file and how it is served.

    Attributes:
        cuts: bytes after which the connection is cut, one per request, first come first served.
        ranges: answer a Range header with a part.
        location: redirect there instead.
        headers: sent along.
    """

    content: bytes = b""
    etag: str = ""
    status: int = 200
    cuts: list[int] = field(default_factory=list)
    ranges: bool = True
    location: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Asked:
    """A request that came."""

    method: str
    path: str
    headers: Mapping[str, str]


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Stay silent: clients that hang up are what some tests are about."""


class Loopback:
    """The server: put files into `files`, read what was asked from `asked`."""

    def __init__(self) -> None:
        self.files: dict[str, Served] = {}
        self.asked: list[Asked] = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._answer(self, self.command)

            do_HEAD = do_GET  # noqa: N815 - the name is the server's

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the server's own
                """Stay silent."""

        self._server = _Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def address(self) -> str:
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _answer(self, request: http.server.BaseHTTPRequestHandler, method: str) -> None:
        self.asked.append(Asked(method, request.path, dict(request.headers)))
        served = self.files.get(request.path, Served(status=404))
        if served.location:
            request.send_response(302)
            request.send_header("Location", served.location)
        elif served.status != 200:
            request.send_response(served.status)
        else:
            self._send_file(request, served, method)
            return
        for name, value in served.headers.items():
            request.send_header(name, value)
        request.end_headers()

    @staticmethod
    def _send_file(request: http.server.BaseHTTPRequestHandler, served: Served, method: str) -> None:
        wanted = request.headers.get("Range", "")
        same = request.headers.get("If-Range", served.etag) == served.etag
        start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and served.ranges and same else 0
        if start and start >= len(served.content):
            request.send_response(416)
            request.end_headers()
            return
        body = served.content[start:]
        request.send_response(206 if start else 200)
        request.send_header("Content-Length", str(len(body)))
        if served.etag:
            request.send_header("ETag", served.etag)
        for name, value in served.headers.items():
            request.send_header(name, value)
        request.end_headers()
        if method == "GET":
            request.wfile.write(body[: served.cuts.pop(0)] if served.cuts else body)


@contextmanager
def loopback() -> Iterator[Loopback]:
    """A running server, stopped at the end."""
    server = Loopback()
    server.start()
    try:
        yield server
    finally:
        server.stop()
