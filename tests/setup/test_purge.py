from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from codeassistd.paths import Paths
from codeassistd.setup.purge import Removal, plan_purge, remove, remove_empty


def write(path: Path, n_bytes: int = 1) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(n_bytes))
    return path


@pytest.fixture
def user(tmp_path: Path) -> Path:
    """The home folder of a user."""
    return tmp_path / "user"


@pytest.fixture
def paths(user: Path, tmp_path: Path) -> Paths:
    """The usual places of a user on Linux, with something in each."""
    run = tmp_path / "run"
    run.mkdir()
    paths = Paths.resolve({"HOME": str(user), "XDG_RUNTIME_DIR": str(run)}, "linux")
    for path in (paths.config_file, paths.models_dir / "x" / "model.gguf", paths.history_file, paths.kv_dir / "a"):
        write(path, 10)
    write(paths.socket_file)
    return paths


def purge(paths: Paths, *, keep_models: bool = False) -> None:
    assert [] == remove(plan_purge(paths, keep_models=keep_models))
    remove_empty(paths)


def left(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())


def test_all_is_listed_with_its_size(paths: Paths, user: Path) -> None:
    """What would go, before it goes."""
    assert [
        Removal(user / ".config/codeassistd", 10),
        Removal(user / ".local/share/codeassistd", 10),
        Removal(user / ".local/state/codeassistd", 10),
        Removal(user / ".cache/codeassistd", 10),
        Removal(paths.socket_file, 1),
    ] == plan_purge(paths, keep_models=False)


def test_nothing_of_ours_is_left_and_all_else_is(paths: Paths, user: Path, tmp_path: Path) -> None:
    """Neighbours in the same folders stay."""
    for name in (".config/other/x", ".local/share/nvim/y", ".cache/codeassistd-other/z"):
        write(user / name)
    write(paths.data_dir / "of-a-later-version")
    purge(paths)
    assert [".cache/codeassistd-other/z", ".config/other/x", ".local/share/nvim/y"] == left(user)
    assert [] == list((tmp_path / "run").iterdir())
    assert [] == plan_purge(paths, keep_models=False)


def test_models_can_be_kept(paths: Paths, user: Path) -> None:
    """They take long to fetch again."""
    write(paths.current_model_file)
    purge(paths, keep_models=True)
    assert [".local/share/codeassistd/models/x/model.gguf"] == left(user)


def test_a_link_is_removed_and_not_followed(paths: Paths, user: Path, tmp_path: Path) -> None:
    """Neither that of a whole folder nor one in it; what it leads to is somebody else's."""
    elsewhere = tmp_path / "disk"
    write(elsewhere / "big.gguf", 100)
    (paths.models_dir / "mine").symlink_to(elsewhere, target_is_directory=True)
    paths.cache_dir.rename(tmp_path / "cache")
    paths.cache_dir.symlink_to(tmp_path / "cache", target_is_directory=True)
    assert [10, 0] == [removal.n_bytes for removal in plan_purge(paths, keep_models=False)][1:4:2]
    purge(paths)
    assert [] == left(user)
    assert ["big.gguf"] == left(elsewhere)
    assert ["kv/a"] == left(tmp_path / "cache")


def test_under_a_home_of_its_own_only_what_we_name_goes(tmp_path: Path) -> None:
    """That home may be a folder with a `data` of its own in it, such as a workspace."""
    home = tmp_path / "project"
    paths = Paths.resolve({"CODEASSISTD_HOME": str(home)})
    for path in (paths.config_file, paths.manifests_dir / "a.toml", paths.history_file, paths.lock_file):
        write(path)
    others = ["data/measurements.csv", "config/prod.toml", "state/index.html", "src/main.py"]
    for name in others:
        write(home / name)
    purge(paths)
    assert sorted(others) == left(home)


def test_a_home_that_was_ours_alone_goes_as_well(tmp_path: Path) -> None:
    """Down to the folder itself, but not the one it lies in."""
    home = tmp_path / "codeassistd"
    paths = Paths.resolve({"CODEASSISTD_HOME": str(home)})
    write(paths.history_file)
    write(paths.lock_file)
    purge(paths)
    assert not home.exists()
    assert tmp_path.is_dir()


def test_a_workspace_is_never_touched(paths: Paths, user: Path) -> None:
    """Also where somebody keeps one under our name: his settings under version control, say."""
    (paths.config_dir / ".git").mkdir()
    purge(paths)
    assert [".config/codeassistd/config.toml"] == left(user)


def test_on_macos_what_lies_in_one_another_goes_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There settings, data and state share a folder."""
    # Sockets lie in the machine's own temporary folder there, where another program of ours may have left some.
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    paths = Paths.resolve({"HOME": str(tmp_path)}, "darwin")
    write(paths.history_file, 5)
    write(paths.config_file, 2)
    assert [Removal(tmp_path / "Library/Application Support/codeassistd", 7)] == plan_purge(paths, keep_models=False)


def test_what_cannot_be_removed_is_said(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line each; the rest goes."""

    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    removals = plan_purge(paths, keep_models=False)
    monkeypatch.setattr(Path, "unlink", refuse)
    assert [f"{paths.socket_file} cannot be removed: Permission denied"] == remove(removals)
    assert not paths.config_dir.exists()
