"""A catalogue whose hub is a server on this machine, with one model in it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

import httpx

from codeassistd.catalogue.catalogue import Catalogue
from codeassistd.catalogue.network import Network
from codeassistd.config_hub import HubAccess
from codeassistd.paths import Paths
from tests.support.loopback import Loopback, Served

MODEL = b"GGUF" + bytes(1_000_000)
MODEL_SHA256 = hashlib.sha256(MODEL).hexdigest()

_MANIFEST = """
name = "tiny"
title = "Tiny"
sha256 = "{sha256}"
context_length = 512
repack = true
[source]
kind = "hub"
repo = "owner/Tiny-GGUF"
file = "tiny.gguf"
[licence]
name = "Tiny Terms"
url = "https://example.org/terms"
needs_acceptance = {needs_acceptance}
[profile]
order = "prefix"
"""


@dataclass(frozen=True)
class Hub:
    """The directories, the server and a catalogue over both."""

    paths: Paths
    server: Loopback
    catalogue: Catalogue

    def publish(self, content: bytes, etag: str = "") -> Served:
        """Put the model's file on the hub, with its hash unless another tag is given."""
        digest = hashlib.sha256(content).hexdigest()
        served = Served(content, etag=etag or f'"{digest}"')
        self.server.files["/owner/Tiny-GGUF/resolve/main/tiny.gguf"] = served
        return served

    def add_manifest(self, *, sha256: str = "", needs_acceptance: str = "false", content: str = "") -> None:
        """Write the user's own manifest of the model."""
        folder = self.paths.config_dir / "models"
        folder.mkdir(parents=True, exist_ok=True)
        text = content or _MANIFEST.format(sha256=sha256, needs_acceptance=needs_acceptance)
        (folder / "tiny.toml").write_text(text, encoding="utf-8")

    def with_space(self, n_bytes: int) -> Catalogue:
        """The same catalogue on a disk with that much room."""
        return Catalogue(self.paths, lambda: replace(_network(self.server), space=lambda _: n_bytes))


def make_hub(home: Path, server: Loopback) -> Hub:
    """A hub with the model and its manifest in place."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(home)})
    hub = Hub(paths, server, Catalogue(paths, lambda: _network(server)))
    hub.publish(MODEL)
    hub.add_manifest()
    return hub


def _network(server: Loopback) -> Network:
    client = httpx.Client(trust_env=False, verify=False)
    return Network(client, HubAccess(server.address), index=lambda _: [])
