"""A server on this machine, and a network that leads nowhere else."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from codeassistd.catalogue.network import Network
from codeassistd.config_hub import HubAccess
from tests.support.loopback import Loopback, loopback


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as running:
        yield running


@pytest.fixture
def network(server: Loopback) -> Iterator[Network]:
    with Network(httpx.Client(trust_env=False, verify=False), HubAccess(server.address), index=lambda _: []) as opened:
        yield opened
