from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd import __version__
from codeassistd.paths import OutsidePlaces
from codeassistd.setup.editors import EXTENSION, NeovimClient, Presence, VsCodeClient, client_files, find_clients
from codeassistd.setup.installed import Installed, Item, Kind, take_away, tree_mark

#: An editor's command that keeps its extensions in files beside itself.
_CODE = """#!/bin/sh
folder=$(dirname "$0")/extensions
mkdir -p "$folder"
case "$1" in
  --list-extensions) for file in "$folder"/*; do [ -f "$file" ] && cat "$file"; done ;;
  --install-extension) [ -f "$2" ] || { echo "no such file: $2" >&2; exit 1; }
    echo "NAME@VERSION" > "$folder/NAME" ;;
  --uninstall-extension) rm "$folder/$2" ;;
esac
"""


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path / "data" / "installed.json")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """The client as shipped."""
    folder = tmp_path / "shipped"
    (folder / "plugin").mkdir(parents=True)
    (folder / "plugin" / "codeassistd.lua").write_text("-- one", encoding="utf-8")
    return folder


@pytest.fixture
def neovim(tmp_path: Path, files: Path, installed: Installed) -> NeovimClient:
    return NeovimClient(files, tmp_path / "nvim/site/pack/codeassistd/start/codeassistd", installed)


def code(tmp_path: Path, installed: Installed, *, version: str = __version__) -> VsCodeClient:
    """An editor with our extension at hand, which installs it as that version."""
    command, vsix = tmp_path / "bin" / "code", tmp_path / "codeassistd.vsix"
    command.parent.mkdir(exist_ok=True)
    command.write_text(_CODE.replace("NAME", EXTENSION).replace("VERSION", version), encoding="utf-8")
    command.chmod(0o755)
    vsix.touch()
    return VsCodeClient(vsix, str(command), installed)


class TestNeovim:
    def test_the_package_is_a_link_to_the_shipped_files(self, neovim: NeovimClient, files: Path) -> None:
        """So it is the newest after each update; a second run changes nothing."""
        assert Presence.ABSENT is neovim.presence()
        assert "" == neovim.install()
        assert files == neovim.package.readlink()
        assert Presence.CURRENT is neovim.presence()
        assert "" == neovim.install()
        assert [Item(Kind.LINK, str(neovim.package), str(files))] == neovim.installed.items()

    def test_where_links_cannot_be_made_it_is_a_copy(
        self, neovim: NeovimClient, files: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Which is replaced when other files are shipped."""

        def refuse(*_: object, **__: object) -> None:
            raise OSError(1, "no privilege")

        monkeypatch.setattr(Path, "symlink_to", refuse)
        assert "" == neovim.install()
        assert Presence.CURRENT is neovim.presence()
        (files / "plugin" / "codeassistd.lua").write_text("-- two", encoding="utf-8")
        assert Presence.OUTDATED is neovim.presence()
        assert "" == neovim.install()
        assert "-- two" == (neovim.package / "plugin" / "codeassistd.lua").read_text(encoding="utf-8")

    def test_a_link_to_an_older_installation_is_made_anew(self, neovim: NeovimClient, tmp_path: Path) -> None:
        """Also where that installation is gone."""
        neovim.package.parent.mkdir(parents=True)
        neovim.package.symlink_to(tmp_path / "gone")
        neovim.installed.put(Item(Kind.LINK, str(neovim.package), str(tmp_path / "gone")))
        assert Presence.OUTDATED is neovim.presence()
        assert "" == neovim.install()
        assert neovim.files == neovim.package.readlink()

    def test_what_the_user_has_there_is_left_alone(self, neovim: NeovimClient, tmp_path: Path) -> None:
        """His own folder, his own link, and a copy of ours that he has changed."""
        neovim.package.mkdir(parents=True)
        (neovim.package / "mine.lua").write_text("", encoding="utf-8")
        assert Presence.FOREIGN is neovim.presence()
        neovim.installed.put(Item(Kind.TREE, str(neovim.package), "of what setup copied"))
        assert "foreign: left alone" == neovim.install()
        assert ["mine.lua"] == [path.name for path in neovim.package.iterdir()]
        (neovim.package / "mine.lua").unlink()
        neovim.package.rmdir()
        neovim.package.symlink_to(tmp_path)
        assert Presence.FOREIGN is neovim.presence()

    def test_without_files_it_says_what_to_do(self, neovim: NeovimClient, installed: Installed) -> None:
        """As in a wheel that was built without them."""
        bare = NeovimClient(None, neovim.package, installed)
        assert Presence.NO_FILES is bare.presence()
        assert "clone" in bare.by_hand


class TestVsCode:
    def test_the_editor_installs_the_extension(self, tmp_path: Path, installed: Installed) -> None:
        """And lists it then; it is remembered by the editor's command."""
        client = code(tmp_path, installed)
        assert Presence.ABSENT is client.presence()
        assert "" == client.install()
        assert Presence.CURRENT is client.presence()
        assert [Item(Kind.EXTENSION, client.command, EXTENSION)] == installed.items()

    def test_another_version_is_replaced_only_if_setup_put_it_there(self, tmp_path: Path, installed: Installed) -> None:
        """One that the user chose is his."""
        code(tmp_path, installed, version="0.0.1").install()
        client = code(tmp_path, installed)
        assert Presence.OUTDATED is client.presence()
        installed.drop(client.command)
        assert Presence.FOREIGN is client.presence()
        assert "foreign: left alone" == client.install()

    def test_what_the_editor_says_about_a_failure_is_passed_on(self, tmp_path: Path, installed: Installed) -> None:
        """In its own words."""
        client = VsCodeClient(tmp_path / "missing.vsix", code(tmp_path, installed).command, installed)
        assert f"no such file: {tmp_path}/missing.vsix" == client.install()
        assert [] == installed.items()

    def test_without_a_package_it_says_how_to_make_one(self, tmp_path: Path, installed: Installed) -> None:
        """The command is the editor's own."""
        client = VsCodeClient(None, code(tmp_path, installed).command, installed)
        assert Presence.NO_FILES is client.presence()
        assert "`make vscode` in a clone packages it; then code --install-extension codeassistd.vsix" == client.by_hand


def test_editors_are_found_on_the_path(tmp_path: Path, installed: Installed) -> None:
    """By their commands, each once; nothing is run to find them."""
    for name in ("nvim", "codium"):
        (tmp_path / name).touch(mode=0o755)
    outside = OutsidePlaces.resolve({"HOME": str(tmp_path)}, "linux")
    clients = find_clients(outside, installed, {"PATH": str(tmp_path)})
    assert ["Neovim", "VS Code (codium)"] == [client.name for client in clients]
    assert f"{tmp_path}/.local/share/nvim/site/pack/codeassistd/start/codeassistd" == clients[0].place
    assert [] == find_clients(outside, installed, {"PATH": str(tmp_path / "empty")})


def test_the_clients_files_are_found_in_a_clone() -> None:
    """Where there is no wheel."""
    folder = client_files("neovim")
    assert folder is not None
    assert (folder / "plugin" / "codeassistd.lua").is_file()
    assert None is client_files("no-such-client")


class TestTakingAway:
    def test_each_kind_goes_as_it_came(self, tmp_path: Path, neovim: NeovimClient, installed: Installed) -> None:
        """A link alone, a file, a tree, an extension by its editor."""
        client = code(tmp_path, installed)
        client.install()
        neovim.install()
        for item in installed.items():
            assert "" == take_away(item)
        assert ["pack"] == [path.name for path in (tmp_path / "nvim/site").rglob("*")]
        assert neovim.files is not None
        assert neovim.files.is_dir()
        assert Presence.ABSENT is client.presence()

    def test_what_was_changed_is_left(self, tmp_path: Path) -> None:
        """It is the user's now."""
        (tmp_path / "tree").mkdir()
        tree = Item(Kind.TREE, str(tmp_path / "tree"), tree_mark(tmp_path / "tree"))
        (tmp_path / "tree" / "new").touch()
        assert "was changed since" == take_away(tree)
        (tmp_path / "tree" / "new").unlink()
        assert "" == take_away(tree)

    def test_what_is_gone_already_is_no_problem(self, tmp_path: Path) -> None:
        """Nor an editor that was removed with its extensions."""
        assert "" == take_away(Item(Kind.FILE, str(tmp_path / "gone"), ""))
        assert "" == take_away(Item(Kind.EXTENSION, str(tmp_path / "no-editor"), EXTENSION))
