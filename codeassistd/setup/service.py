"""The daemon as a service of the user: a unit of systemd, or an agent of launchd.

The service starts the daemon with the session and again after a crash; its socket stays the daemon's own, and editors
find it as ever.
"""

from __future__ import annotations

import plistlib
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from codeassistd.errors import UsageError
from codeassistd.paths import OutsidePlaces
from codeassistd.setup.installed import Installed, Item, Kind, file_mark, is_unchanged, take_away

__all__ = ["Service", "launch_agent", "service_for", "systemd_unit"]

_LABEL = "codeassistd"
#: What decides where the daemon keeps its files and which library it loads; the session of a service manager has not
#: read the user's shell files.
_VARIABLES = (
    "CODEASSISTD_HOME",
    "LLAMA_CPP_LIB_PATH",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
)
#: A wrong setting, and another daemon that runs already: to start again would not help.
_NO_RESTART = "2 3"
_MANAGER_S = 30.0


@dataclass(frozen=True, slots=True)
class Service:
    """A service file and the commands around it.

    Attributes:
        path: where the service manager looks for it.
        enable, disable: commands that begin and end it.
        reload: has the manager read its files again; empty where it does so by itself.
    """

    path: Path
    content: bytes
    enable: Sequence[str]
    disable: Sequence[str]
    reload: Sequence[str] = ()

    def install(self, installed: Installed) -> None:
        """Write the file, in place of one of ours; the manager is told.

        Raises:
            UsageError: another one is there, or ours was changed by hand, or it cannot be written.
        """
        item = installed.find(str(self.path))
        is_ours = item is not None and is_unchanged(item)
        if self.path.exists() and not is_ours and self.path.read_bytes() != self.content:
            raise UsageError(f"{self.path} is not as codeassistd wrote it; move it away, or edit it by hand")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_bytes(self.content)
        except OSError as error:
            raise UsageError(
                f"{self.path} cannot be written: {error.strerror}; give its folder to your user"
            ) from error
        installed.put(Item(Kind.FILE, str(self.path), file_mark(self.content)))
        run_quietly(self.reload)

    def uninstall(self, installed: Installed) -> bool:
        """End the service and remove its file; False if there was none of ours.

        Raises:
            UsageError: the file was changed by hand.
        """
        item = installed.find(str(self.path))
        if item is None or not self.path.exists():
            return False
        if not is_unchanged(item):
            raise UsageError(f"{self.path} was changed by hand; remove it yourself: {' '.join(self.disable)}")
        run_quietly(self.disable)
        problem = take_away(item)
        if problem:
            raise UsageError(f"{self.path} {problem}")
        installed.drop(str(self.path))
        run_quietly(self.reload)
        return True


def service_for(outside: OutsidePlaces, command: Sequence[str], environ: Mapping[str, str], user_id: int) -> Service:
    """The service for this system.

    Raises:
        UsageError: this system has neither systemd nor launchd.
    """
    variables = {name: environ[name] for name in _VARIABLES if environ.get(name)}
    # The editors do not decide how long a service runs.
    whole = (*command, "--set", "daemon.idle_exit_s=0")
    if outside.launch_agent is not None:
        target = f"gui/{user_id}"
        return Service(
            outside.launch_agent,
            launch_agent(whole, variables),
            ("launchctl", "bootstrap", target, str(outside.launch_agent)),
            ("launchctl", "bootout", f"{target}/{_LABEL}"),
        )
    if outside.systemd_unit is not None:
        manager, unit = ("systemctl", "--user"), outside.systemd_unit.name
        return Service(
            outside.systemd_unit,
            systemd_unit(whole, variables).encode(),
            (*manager, "enable", "--now", unit),
            (*manager, "disable", "--now", unit),
            (*manager, "daemon-reload"),
        )
    raise UsageError("services are known for Linux (systemd) and macOS (launchd); elsewhere editors start the daemon")


def systemd_unit(command: Sequence[str], variables: Mapping[str, str]) -> str:
    """A unit of a user's systemd."""
    program, *arguments = command
    # The program's own path is not searched for variables, so its dollars stand for themselves.
    words = [_quoted(program), *(_quoted(word.replace("$", "$$")) for word in arguments)]
    environment = [f"Environment={_quoted(f'{name}={value}')}" for name, value in sorted(variables.items())]
    lines = [
        "[Unit]",
        "Description=codeassistd, a local code assistant",
        "",
        "[Service]",
        "Type=simple",
        *environment,
        f"ExecStart={' '.join(words)}",
        "Restart=on-failure",
        f"RestartPreventExitStatus={_NO_RESTART}",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def launch_agent(command: Sequence[str], variables: Mapping[str, str]) -> bytes:
    """An agent of launchd."""
    return plistlib.dumps(
        {
            "Label": _LABEL,
            "ProgramArguments": list(command),
            "EnvironmentVariables": dict(variables),
            "RunAtLoad": True,
            "KeepAlive": {"SuccessfulExit": False},
        }
    )


def run_quietly(command: Sequence[str]) -> bool:
    """Run a service manager's command where there is such a manager; False where it is not, or refuses.

    In a container, or over ssh without a session, the command is there and nobody answers it.
    """
    if not command or shutil.which(command[0]) is None:
        return False
    try:
        return subprocess.run(command, capture_output=True, timeout=_MANAGER_S, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _quoted(word: str) -> str:
    """One word of a unit file: percent signs would begin a specifier, and C's escapes hold in quotes."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("%", "%%")
    return f'"{escaped}"'
