"""Where things lie, on each system and under each variable."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from codeassistd.errors import DaemonError
from codeassistd.paths import OutsidePlaces, Paths, child_environment, make_private_dir


def test_one_home_holds_everything(tmp_path: Path) -> None:
    """CODEASSISTD_HOME moves every directory below itself, so that a scratch daemon meets no other."""
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path), "HOME": "/home/a", "XDG_STATE_HOME": "/elsewhere"})
    assert tmp_path / "config" / "config.toml" == paths.config_file
    assert tmp_path / "data" / "models" == paths.models_dir
    assert tmp_path / "state" / "log" / "daemon.log" == paths.log_file
    assert tmp_path / "cache" == paths.cache_dir
    assert tmp_path / "run" == paths.runtime_dir


def test_linux_follows_xdg(tmp_path: Path) -> None:
    """The XDG variables count where they are absolute; a relative one must be ignored."""
    env = {"HOME": "/home/a", "XDG_CONFIG_HOME": "/etc/a", "XDG_DATA_HOME": "data", "XDG_RUNTIME_DIR": str(tmp_path)}
    paths = Paths.resolve(env, "linux")
    assert Path("/etc/a/codeassistd") == paths.config_dir
    assert Path("/home/a/.local/share/codeassistd") == paths.data_dir
    assert Path("/home/a/.local/state/codeassistd") == paths.state_dir
    assert Path("/home/a/.cache/codeassistd") == paths.cache_dir
    assert tmp_path / "codeassistd" / "run" == paths.runtime_dir


def test_macos_uses_the_library() -> None:
    """On macOS support files and caches lie in the user's Library."""
    paths = Paths.resolve({"HOME": "/Users/a"}, "darwin")
    assert Path("/Users/a/Library/Application Support/codeassistd") == paths.config_dir
    assert Path("/Users/a/Library/Application Support/codeassistd/state") == paths.state_dir
    assert Path("/Users/a/Library/Caches/codeassistd") == paths.cache_dir


def test_windows_uses_app_data() -> None:
    """On Windows settings roam, everything else is local, and the token file takes the socket's place."""
    paths = Paths.resolve({"HOME": "C:/a", "LOCALAPPDATA": "C:/a/Local", "APPDATA": "C:/a/Roaming"}, "win32")
    assert Path("C:/a/Roaming/codeassistd") == paths.config_dir
    assert Path("C:/a/Local/codeassistd/state") == paths.state_dir
    assert Path("C:/a/Local/codeassistd/run") == paths.token_file.parent


def test_a_long_home_gets_a_short_socket(tmp_path: Path) -> None:
    """A socket's path has room for about 100 bytes, so a deep home is stood in for by a short folder of its own."""
    deep, other = tmp_path / ("a" * 90), tmp_path / ("b" * 90)
    sockets = [Paths.resolve({"CODEASSISTD_HOME": str(home)}).socket_file for home in (deep, deep, other)]
    assert len(os.fsencode(sockets[0])) < 100
    assert sockets[0] == sockets[1]
    assert sockets[0] != sockets[2]


def test_files_are_named_by_version() -> None:
    """Socket, lock and token carry the version, so that two versions never meet on one of them."""
    paths = Paths.resolve({"CODEASSISTD_HOME": "/h"})
    names = {path.stem for path in (paths.socket_file, paths.lock_file, paths.token_file)}
    assert {"daemon-0.1.0"} == names
    assert "start-0.1.0.lock" == paths.start_lock_file.name


def test_private_dirs_are_private_whatever_the_umask(tmp_path: Path) -> None:
    """A folder made under the widest umask is the owner's only, and one that was open is closed."""
    before = os.umask(0)
    try:
        made = make_private_dir(tmp_path / "parent" / "new")
        opened = tmp_path / "open"
        opened.mkdir(mode=0o777)
        make_private_dir(opened)
    finally:
        os.umask(before)
    assert [0o700] * 3 == [stat.S_IMODE(path.stat().st_mode) for path in (made, made.parent, opened)]


def test_a_link_is_no_private_dir(tmp_path: Path) -> None:
    """Somebody may have put a link where our folder should be, to have our files written elsewhere."""
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    expected = r"link is not a folder of yours \(a link to one does not count\); move it away, or set CODEASSISTD_HOME"
    with pytest.raises(DaemonError, match=expected):
        make_private_dir(tmp_path / "link")


def test_a_file_in_a_folders_place_is_named(tmp_path: Path) -> None:
    """What cannot be made is told in one line, with its name."""
    (tmp_path / "file").touch()
    with pytest.raises(DaemonError, match=r"cannot make the folder .*/file: File exists"):
        make_private_dir(tmp_path / "file" / "new")


def test_a_child_gets_an_absolute_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon is started in another folder, so a relative home must not be handed on as it is."""
    monkeypatch.chdir(tmp_path)
    for name in ("CODEASSISTD_HOME", "HOME"):
        assert {name: str(tmp_path / "h"), "A": "b"} == child_environment({name: "h", "A": "b"})


def test_a_relative_home_is_taken_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the same words would mean other places in a daemon, which runs in another folder."""
    monkeypatch.chdir(tmp_path)

    assert tmp_path / "h" / ".config" / "codeassistd" == Paths.resolve({"HOME": "h"}, "linux").config_dir


class TestOutside:
    @pytest.mark.parametrize(
        ("environ", "platform", "expected"),
        [
            (
                {"HOME": "/u"},
                "linux",
                OutsidePlaces(
                    Path("/u/.local/share/nvim/site/pack/codeassistd/start/codeassistd"),
                    Path("/u/.config/systemd/user/codeassistd.service"),
                    None,
                ),
            ),
            (
                {"HOME": "/u", "XDG_DATA_HOME": "/d", "XDG_CONFIG_HOME": "/c", "CODEASSISTD_HOME": "/h"},
                "linux",
                OutsidePlaces(
                    Path("/d/nvim/site/pack/codeassistd/start/codeassistd"),
                    Path("/c/systemd/user/codeassistd.service"),
                    None,
                ),
            ),
            (
                {"HOME": "/u"},
                "darwin",
                OutsidePlaces(
                    Path("/u/.local/share/nvim/site/pack/codeassistd/start/codeassistd"),
                    None,
                    Path("/u/Library/LaunchAgents/codeassistd.plist"),
                ),
            ),
            (
                {"HOME": "/u", "LOCALAPPDATA": "/l"},
                "win32",
                OutsidePlaces(Path("/l/nvim-data/site/pack/codeassistd/start/codeassistd"), None, None),
            ),
        ],
    )
    def test_other_programs_look_where_they_always_do(
        self, environ: dict[str, str], platform: str, expected: OutsidePlaces
    ) -> None:
        """A home of our own does not move the editor's folders, nor the service manager's."""
        assert expected == OutsidePlaces.resolve(environ, platform)
