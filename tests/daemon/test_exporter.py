"""The metrics over HTTP: to this machine, with the token, and to no web page."""

from __future__ import annotations

import socket
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from codeassistd.config import MetricsSettings
from codeassistd.daemon.exporter import Exporter
from tests.support.waiting import SAFETY_S

TEXT = "codeassistd_steps_total 3.0\n"


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "metrics.token"


@pytest.fixture
def exporter(token_file: Path) -> Iterator[Exporter]:
    exporter = Exporter(MetricsSettings(http=True, port=0), token_file, lambda: TEXT)
    exporter.start()
    yield exporter
    exporter.stop()


def address(exporter: Exporter) -> tuple[str, int]:
    url = urlsplit(str(exporter.status()["effective"]))
    assert url.hostname is not None
    assert url.port is not None
    return url.hostname, url.port


def get(exporter: Exporter, headers: Mapping[str, str], path: str = "/metrics", method: str = "GET") -> tuple[int, str]:
    with closing(HTTPConnection(*address(exporter), timeout=SAFETY_S)) as connection:
        connection.request(method, path, headers=dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read().decode()


def known(token_file: Path) -> dict[str, str]:
    return {"Authorization": f"Bearer {token_file.read_text('ascii').strip()}"}


def test_who_knows_the_token_gets_the_text(exporter: Exporter, token_file: Path) -> None:
    """At the loopback address that `status` names."""
    assert "127.0.0.1" == address(exporter)[0]
    assert (200, TEXT) == get(exporter, known(token_file))


@pytest.mark.parametrize("authorization", ["", "Bearer ", "Bearer wrong", "Basic dG9rZW4=", "Bearer ü"])
def test_a_wrong_token_is_401(exporter: Exporter, authorization: str) -> None:
    """Other users of the machine can reach the port, and must learn nothing by it."""
    status, text = get(exporter, {"Authorization": authorization.encode().decode("latin-1")} if authorization else {})

    assert (401, False) == (status, TEXT in text)


@pytest.mark.parametrize(
    "headers",
    [{"Host": "example.org"}, {"Host": "127.0.0.1.example.org:9464"}, {"Origin": "http://127.0.0.1"}, {"Host": ""}],
)
def test_a_web_page_is_403_even_with_the_token(
    exporter: Exporter, token_file: Path, headers: Mapping[str, str]
) -> None:
    """A name that was bent to this address shows in Host, and a page's own request in Origin."""
    assert 403 == get(exporter, {**known(token_file), **headers})[0]


def test_there_is_nothing_else(exporter: Exporter, token_file: Path) -> None:
    """One path, one method."""
    assert 404 == get(exporter, known(token_file), "/")[0]
    assert 501 == get(exporter, known(token_file), method="POST")[0]


def test_the_token_is_for_the_owner_alone_and_stays(token_file: Path) -> None:
    """A monitoring system is told of it once; one that others could read is replaced."""
    tokens = []
    for mode in (None, 0o600, 0o644):
        if mode is not None:
            token_file.chmod(mode)
        exporter = Exporter(MetricsSettings(http=True, port=0), token_file, lambda: TEXT)
        exporter.start()
        exporter.stop()
        tokens.append(token_file.read_text("ascii"))
        assert 0o600 == stat.S_IMODE(token_file.stat().st_mode)

    assert (True, False) == (tokens[0] == tokens[1], tokens[1] == tokens[2])


def test_a_port_in_use_is_one_line(token_file: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The daemon lives on, and `status` tells why nothing is served."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        exporter = Exporter(MetricsSettings(http=True, port=port), token_file, lambda: TEXT)
        exporter.start()
        problem = f"metrics are not served at port {port} (Address already in use); choose another by metrics.port"

        assert {"asked": True, "effective": "", "token_file": "", "problem": problem} == exporter.status()
        assert [problem] == caplog.messages
        exporter.stop()


def test_nobody_who_has_not_asked_for_it_gets_a_port(token_file: Path) -> None:
    """Off by default, and then there is no token either."""
    exporter = Exporter(MetricsSettings(), token_file, lambda: TEXT)
    exporter.start()

    assert {"asked": False, "effective": "", "token_file": "", "problem": ""} == exporter.status()
    assert not token_file.exists()
    exporter.stop()
