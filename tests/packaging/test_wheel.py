"""The wheel that users install carries everything the program reads."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> frozenset[str]:
    """The files of a freshly built wheel."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=REPO,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("folder", "pattern", "inside"),
    [
        ("grammars", "codeassistd_grammars/**/*.scm", True),
        ("grammars", "codeassistd_grammars/*.toml", True),
        ("models", "codeassistd_models/*.toml", True),
        ("lsp", "codeassistd_lsp/**/*.py", True),
        (".", "codeassistd/**/*.py", True),
        (".", "codeassistd/**/*.json", True),
        (".", "tests/**/*.py", False),
    ],
)
def test_the_wheel_holds_code_and_data_and_no_tests(
    members: frozenset[str], folder: str, pattern: str, *, inside: bool
) -> None:
    """A grammar or manifest that is missing after installation would show only on a user's machine."""
    wanted = {file.relative_to(REPO / folder).as_posix() for file in (REPO / folder).glob(pattern)}

    assert wanted
    assert (wanted if inside else frozenset()) == wanted & members


@pytest.mark.slow
def test_the_wheel_carries_the_editors_clients(members: frozenset[str]) -> None:
    """`setup` installs them without a clone; the extension for VS Code only where it was built before."""
    neovim, vsix = REPO / "editors" / "neovim", REPO / "editors" / "vscode" / "dist" / "codeassistd.vsix"
    wanted = {
        f"codeassistd_editors/neovim/{file.relative_to(neovim).as_posix()}"
        for file in neovim.rglob("*")
        if file.is_file() and file.name != "tags"
    }
    assert wanted
    assert set() == wanted - members
    assert vsix.is_file() == ("codeassistd_editors/codeassistd.vsix" in members)


@pytest.mark.slow
def test_the_wheel_is_typed_and_licensed(members: frozenset[str]) -> None:
    """Users of the package get its types, and the licence travels with it."""
    assert {"codeassistd/py.typed", "codeassistd_lsp/py.typed"} <= members
    assert any(member.endswith("dist-info/licenses/LICENSE") for member in members)
