"""Where everything of ours lies on disk, and the modes it is created with.

Config, data (models), state (index, history, logs) and cache follow the XDG rules and their like on macOS and Windows.
`CODEASSISTD_HOME` puts all of them under one folder: that is how the demo, the benchmarks and the tests get directories
of their own. Standard library only, since the proxy uses it.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from codeassistd import __version__
from codeassistd.errors import DaemonError

__all__ = ["OutsidePlaces", "Paths", "child_environment", "make_private_dir"]

_APP = "codeassistd"
# sockaddr_un holds 108 bytes on Linux and 104 on macOS, the final zero included.
_MAX_SOCKET_BYTES = 100


@dataclass(frozen=True, slots=True)
class Paths:
    """The directories of one installation; files inside are named by the properties."""

    config_dir: Path
    data_dir: Path
    state_dir: Path
    cache_dir: Path
    runtime_dir: Path

    @classmethod
    def resolve(cls, environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> Paths:
        """Read the places from the environment; creates nothing."""
        env = os.environ if environ is None else environ
        home = env.get("CODEASSISTD_HOME")
        if home:
            root = Path(home).expanduser().absolute()
            return cls(root / "config", root / "data", root / "state", root / "cache", _short_runtime(root))
        user = Path(env.get("HOME") or Path.home()).absolute()
        if platform == "darwin":
            library = user / "Library"
            support = library / "Application Support" / _APP
            return cls(support, support, support / "state", library / "Caches" / _APP, _runtime(env))
        if platform == "win32":
            local = Path(env.get("LOCALAPPDATA") or user / "AppData" / "Local") / _APP
            roaming = Path(env.get("APPDATA") or user / "AppData" / "Roaming") / _APP
            return cls(roaming, local / "data", local / "state", local / "cache", local / "run")
        return cls(
            _xdg(env, "XDG_CONFIG_HOME", user / ".config") / _APP,
            _xdg(env, "XDG_DATA_HOME", user / ".local" / "share") / _APP,
            _xdg(env, "XDG_STATE_HOME", user / ".local" / "state") / _APP,
            _xdg(env, "XDG_CACHE_HOME", user / ".cache") / _APP,
            _runtime(env),
        )

    @property
    def config_file(self) -> Path:
        """The user's settings."""
        return self.config_dir / "config.toml"

    @property
    def manifests_dir(self) -> Path:
        """Manifests of the user's own."""
        return self.config_dir / "models"

    @property
    def models_dir(self) -> Path:
        """Pulled and requantised model files."""
        return self.data_dir / "models"

    @property
    def drafts_dir(self) -> Path:
        """Small models made of the first layers of others, to guess for them."""
        return self.data_dir / "drafts"

    @property
    def llama_dir(self) -> Path:
        """Libraries of llama.cpp that `setup` built for this machine."""
        return self.data_dir / "llama.cpp"

    @property
    def tried_file(self) -> Path:
        """The models that this machine's library was tried with."""
        return self.state_dir / "tried-models.json"

    @property
    def tuned_file(self) -> Path:
        """What `tune` has found out about machines and models."""
        return self.state_dir / "tuned.json"

    @property
    def installed_file(self) -> Path:
        """What `setup` and `install-service` put outside of these directories."""
        return self.data_dir / "installed.json"

    @property
    def current_model_file(self) -> Path:
        """Names the model chosen by `model use`."""
        return self.data_dir / "current-model.json"

    @property
    def index_dir(self) -> Path:
        """The symbol index."""
        return self.state_dir / "index"

    @property
    def history_file(self) -> Path:
        """What became of suggestions, as numbers."""
        return self.state_dir / "history" / "history.db"

    @property
    def chat_file(self) -> Path:
        """Conversations: what was asked, shown and said."""
        return self.state_dir / "chat" / "chat.db"

    @property
    def kv_dir(self) -> Path:
        """What the model made of prompts, kept over a restart."""
        return self.cache_dir / "kv"

    @property
    def semantic_dir(self) -> Path:
        """Answers that may fit again where the code is much alike; they hold source text."""
        return self.cache_dir / "semantic"

    @property
    def wheels_dir(self) -> Path:
        """Wheels of llama.cpp that were built for this machine."""
        return self.cache_dir / "wheels"

    @property
    def log_file(self) -> Path:
        """The daemon's log."""
        return self.state_dir / "log" / "daemon.log"

    @property
    def metrics_token_file(self) -> Path:
        """What a reader of the metrics over HTTP has to know."""
        return self.state_dir / "metrics.token"

    @property
    def socket_file(self) -> Path:
        """The daemon's socket; named by version, so that two versions never meet on one socket."""
        return self.runtime_dir / f"daemon-{__version__}.sock"

    @property
    def lock_file(self) -> Path:
        """Locked by the operating system for as long as the daemon lives."""
        return self.runtime_dir / f"daemon-{__version__}.lock"

    @property
    def start_lock_file(self) -> Path:
        """Held by the one client that is starting the daemon, so that twenty do not start twenty."""
        return self.runtime_dir / f"start-{__version__}.lock"

    @property
    def token_file(self) -> Path:
        """Port and token of the loopback transport, on systems without unix sockets."""
        return self.runtime_dir / f"daemon-{__version__}.token"


@dataclass(frozen=True, slots=True)
class OutsidePlaces:
    """Where other programs look for what we install: an editor's plugins, the services of the user.

    Attributes:
        neovim_package: our place among the packages that Neovim loads at its start.
        systemd_unit: None where there is no systemd.
        launch_agent: None but on macOS.
    """

    neovim_package: Path
    systemd_unit: Path | None
    launch_agent: Path | None

    @classmethod
    def resolve(cls, environ: Mapping[str, str] | None = None, platform: str = sys.platform) -> OutsidePlaces:
        """Read the places from the environment; creates nothing."""
        env = os.environ if environ is None else environ
        user = Path(env.get("HOME") or Path.home()).absolute()
        if platform == "win32":
            editor = Path(env.get("LOCALAPPDATA") or user / "AppData" / "Local") / "nvim-data"
        else:
            editor = _xdg(env, "XDG_DATA_HOME", user / ".local" / "share") / "nvim"
        is_mac = platform == "darwin"
        config = _xdg(env, "XDG_CONFIG_HOME", user / ".config")
        return cls(
            neovim_package=editor / "site" / "pack" / _APP / "start" / _APP,
            systemd_unit=None if is_mac or platform == "win32" else config / "systemd" / "user" / f"{_APP}.service",
            launch_agent=user / "Library" / "LaunchAgents" / f"{_APP}.plist" if is_mac else None,
        )


def child_environment(environ: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for a process of ours that is started in another folder: relative places made absolute."""
    env = dict(os.environ if environ is None else environ)
    for name in ("CODEASSISTD_HOME", "HOME"):
        if env.get(name):
            env[name] = str(Path(env[name]).expanduser().absolute())
    return env


def make_private_dir(path: Path) -> Path:
    """Create `path` (and its parents) for the owner only, and check that it is ours.

    Raises:
        DaemonError: it cannot be made, it belongs to somebody else, or it is not a folder.
    """
    try:
        # One by one: mkdir's own `parents` would leave their modes to the umask.
        for folder in reversed([path, *path.parents]):
            if not folder.is_dir():
                folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        raise DaemonError(f"cannot make the folder {error.filename}: {error.strerror}") from error
    if sys.platform == "win32":
        return path
    info = path.lstat()
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid():
        remedy = "move it away, or set CODEASSISTD_HOME to another place"
        raise DaemonError(f"{path} is not a folder of yours (a link to one does not count); {remedy}")
    if stat.S_IMODE(info.st_mode) & 0o077:
        path.chmod(0o700)
    return path


def keep_file(part: Path, target: Path) -> None:
    """Move a finished file into place, readable by the owner only; it is whole there or not there at all.

    Both must lie on one disk. The content reaches the disk before the name does, so that a crash of the machine leaves
    no half file under the final name.

    Raises:
        OSError: no space, or the folder cannot be written.
    """
    part.chmod(0o600)
    with part.open("rb+") as file:
        os.fsync(file.fileno())
    part.replace(target)
    if sys.platform != "win32":
        folder = os.open(target.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _xdg(env: Mapping[str, str], name: str, default: Path) -> Path:
    """An XDG directory; a relative value must be ignored, says the specification."""
    value = env.get(name, "")
    return Path(value) if Path(value).is_absolute() else default


def _runtime(env: Mapping[str, str]) -> Path:
    value = env.get("XDG_RUNTIME_DIR", "")
    if Path(value).is_absolute() and Path(value).is_dir():
        return _short_runtime(Path(value) / _APP)
    return _temporary_dir() / f"{_APP}-{_user_id()}"


def _short_runtime(root: Path) -> Path:
    """`root/run`, or a short stand-in named by a hash of it where a socket's path would be too long."""
    wanted = root / "run"
    if len(os.fsencode(wanted / f"daemon-{__version__}.sock")) < _MAX_SOCKET_BYTES:
        return wanted
    # hashlib would cost the proxy several milliseconds of import; zlib is built in, and a clash is only two homes that
    # share one daemon of the same user.
    from zlib import crc32  # noqa: PLC0415 - only for overlong paths

    return _temporary_dir() / f"{_APP}-{_user_id()}" / f"{crc32(os.fsencode(root)):08x}"


def _temporary_dir() -> Path:
    import tempfile  # noqa: PLC0415 - takes the proxy 10 ms and 2 MB, and is needed in few environments only

    return Path(tempfile.gettempdir())


def _user_id() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
