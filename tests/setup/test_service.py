from __future__ import annotations

import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from codeassistd.errors import UsageError
from codeassistd.paths import OutsidePlaces
from codeassistd.setup.installed import Installed
from codeassistd.setup.service import Service, launch_agent, service_for, systemd_unit

COMMAND = ("/opt/my tools/python", "-P", "-m", "codeassistd", "serve")

UNIT = """\
[Unit]
Description=codeassistd, a local code assistant

[Service]
Type=simple
Environment="CODEASSISTD_HOME=/home/a b/100%%"
ExecStart="/opt/my tools/python" "-P" "-m" "codeassistd" "serve" "--set" "daemon.idle_exit_s=0"
Restart=on-failure
RestartPreventExitStatus=2 3

[Install]
WantedBy=default.target
"""


@pytest.fixture
def installed(tmp_path: Path) -> Installed:
    return Installed(tmp_path / "data" / "installed.json")


@pytest.fixture(autouse=True)
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A service manager that writes down what it is told, in place of a real one."""
    told = tmp_path / "told"
    command = tmp_path / "bin" / "systemctl"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\necho "$@" >> {told}\n', encoding="utf-8")
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent))
    return told


def linux(tmp_path: Path) -> Service:
    outside = OutsidePlaces.resolve({"HOME": str(tmp_path)}, "linux")
    return service_for(outside, COMMAND, {"CODEASSISTD_HOME": "/home/a b/100%", "PATH": "/bin", "XDG_DATA_HOME": ""}, 7)


def test_the_unit_is_written_out(tmp_path: Path) -> None:
    """Blanks are in quotes, percent signs doubled, only our own variables are passed on, and idling ends nothing."""
    service = linux(tmp_path)
    assert UNIT == service.content.decode()
    assert tmp_path / ".config/systemd/user/codeassistd.service" == service.path
    assert ("systemctl", "--user", "enable", "--now", "codeassistd.service") == service.enable


@pytest.mark.parametrize(
    ("word", "written"),
    [
        ("a b", '"a b"'),
        ("100%h", '"100%%h"'),
        ('say "hi"', r'"say \"hi\""'),
        ("back\\slash", r'"back\\slash"'),
        ("$HOME/x", '"$$HOME/x"'),
    ],
)
def test_words_of_the_command_reach_it_as_they_are(word: str, written: str) -> None:
    """A service manager would read specifiers, escapes and variables in them."""
    assert f'ExecStart="/python" {written}\n' in systemd_unit(("/python", word), {})


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze to read the unit")
def test_systemd_itself_reads_the_unit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds the program whose path has a blank and a percent sign, and has no complaint."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    program = tmp_path / "a b 100%" / "python"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    program.chmod(0o755)
    unit = tmp_path / "codeassistd.service"
    unit.write_text(systemd_unit((str(program), "serve"), {"X": "a b%"}), encoding="utf-8")
    done = subprocess.run(
        ["systemd-analyze", "--user", "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stderr)


def test_the_agent_of_launchd_is_a_property_list(tmp_path: Path) -> None:
    """Words are whole there, so nothing is escaped; it begins with the session."""
    content = plistlib.loads(launch_agent(COMMAND, {"X": "100%"}))
    assert list(COMMAND) == content["ProgramArguments"]
    assert ({"X": "100%"}, True) == (content["EnvironmentVariables"], content["RunAtLoad"])
    service = service_for(OutsidePlaces.resolve({"HOME": str(tmp_path)}, "darwin"), COMMAND, {}, 501)
    assert tmp_path / "Library/LaunchAgents/codeassistd.plist" == service.path
    assert ("launchctl", "bootstrap", "gui/501", str(service.path)) == service.enable
    assert ("launchctl", "bootout", "gui/501/codeassistd") == service.disable


def test_other_systems_are_told_that_they_need_none(tmp_path: Path) -> None:
    """Editors start the daemon there as everywhere."""
    with pytest.raises(UsageError, match="elsewhere editors start the daemon"):
        service_for(OutsidePlaces.resolve({"HOME": str(tmp_path)}, "win32"), COMMAND, {}, 0)


def test_it_is_written_and_removed_and_the_manager_told(tmp_path: Path, installed: Installed, manager: Path) -> None:
    """Twice is as good as once; enabling it is the user's to do."""
    service = linux(tmp_path)
    service.install(installed)
    service.install(installed)
    assert UNIT == service.path.read_text(encoding="utf-8")
    assert ["--user daemon-reload"] * 2 == manager.read_text(encoding="utf-8").splitlines()
    assert service.uninstall(installed)
    assert not service.path.exists()
    assert "--user disable --now codeassistd.service" in manager.read_text(encoding="utf-8").splitlines()
    assert [] == installed.items()
    assert not service.uninstall(installed)


def test_a_unit_of_the_users_own_is_left_alone(tmp_path: Path, installed: Installed) -> None:
    """One that was there before, and one of ours that he has changed."""
    service = linux(tmp_path)
    service.path.parent.mkdir(parents=True)
    service.path.write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is not as codeassistd wrote it; move it away"):
        service.install(installed)
    service.path.unlink()
    service.install(installed)
    service.path.write_text("changed", encoding="utf-8")
    with pytest.raises(UsageError, match="was changed by hand; remove it yourself: systemctl --user disable --now"):
        service.uninstall(installed)
    with pytest.raises(UsageError, match="is not as codeassistd wrote it"):
        service.install(installed)
    assert "changed" == service.path.read_text(encoding="utf-8")


def test_without_a_manager_the_file_is_written_all_the_same(
    tmp_path: Path, installed: Installed, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a container, say; it counts from the next session on."""
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    service = linux(tmp_path)
    service.install(installed)
    assert service.uninstall(installed)
