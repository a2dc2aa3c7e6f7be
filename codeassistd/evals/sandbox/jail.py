"""The child of the sandbox: shuts itself in, runs one program, and tells how that ended.

Run by its path (`python -I -S jail.py`), so it is standard library only and imports nothing of ours. It reads one JSON
object from standard input and writes JSON lines to standard output: first what it is shut in by, then, if the program
came to its end, a line with the secret word that it was given. Whoever ends otherwise (`os._exit`, a signal) has not
passed. Three walls, each of which would do for code that means no harm:

- Namespaces, where the system has them: no process of others can be seen or signalled, there is no network, all disks
  are read-only, and the folder is a small disk of its own that is gone afterwards. With the first process in them all
  others end.
- Limits of the system: processor time, memory, size of files, open files; in namespaces also processes.
- A guard inside of the interpreter, which refuses whatever would reach beyond: writing outside of the folder, sockets,
  processes, signals, native code.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable
from typing import Any

_NEWNS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x20000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
_MS_REC, _MS_PRIVATE, _MS_NOSUID, _MS_NODEV = 0x4000, 0x40000, 2, 4
_MOUNT_SETATTR, _AT_FDCWD, _AT_RECURSIVE, _ATTR_RDONLY = 442, -100, 0x8000, 1
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
_CAPABILITY_VERSION = 0x20080522

_HARMLESS = frozenset({"os.listdir", "os.scandir", "os.walk", "os.fwalk", "os.listxattr", "os.getxattr"})
"""What may be asked of the system; all else that has an event of this kind may change something."""
_REFUSED = (
    *("os.", "shutil.", "socket.", "subprocess.", "ctypes.", "pty.", "fcntl.", "mmap.", "syslog.", "webbrowser."),
    *("resource.", "gc."),
)
_REFUSED_MODULES = frozenset({"_ctypes", "_posixsubprocess", "_socket", "_multiprocessing", "_winapi"})
"""They reach the system without an event."""
_CHANGING = {"os.mkdir": 1, "os.remove": 1, "os.rmdir": 1, "os.rename": 2, "os.truncate": 1}
"""What may be done in the folder, and how many paths it is told."""
_UNSEEN = ("mkfifo", "mknod", "pidfd_open", "sched_setaffinity", "sched_setparam", "sched_setscheduler", "setpriority")
"""Functions of the system that reach beyond the process, or the folder, without an event."""
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def main() -> None:
    """Shut in, run, tell."""
    asked = json.load(sys.stdin)
    # Before the namespaces: there are no rights for it inside.
    out = os.dup(1)
    walls = _namespaces(asked["folder"], asked["disk_bytes"]) if asked["namespaces"] else "not asked for"
    _tell(out, {"namespaces": walls})
    if not walls:
        _fork_into()
    _silence()
    _limit(asked, is_alone=not walls)
    _forget()
    sys.addaudithook(_guard(asked["folder"]))
    _run(asked["program"], asked["word"], out)


def _forget() -> None:
    """Take out what the guard is not asked about: native code that was imported here, and some functions."""
    for name in [name for name in sys.modules if name.partition(".")[0] in {"ctypes", "_ctypes"}]:
        del sys.modules[name]
    for module in [sys.modules[name] for name in ("os", "posix", "signal", "_signal") if name in sys.modules]:
        for name in (*_UNSEEN, "pidfd_send_signal"):
            if hasattr(module, name):
                delattr(module, name)


def _run(program: str, word: str, out: int) -> None:
    try:
        exec(compile(program, "<program>", "exec", dont_inherit=True), {"__name__": "__main__"})  # noqa: S102 - its job
    except BaseException as error:  # noqa: BLE001 - whatever a stranger's program raises, an exit among them
        _tell(out, {"raised": type(error).__name__, "message": _short(error)})
    else:
        _tell(out, {"word": word})


def _short(error: BaseException) -> str:
    try:
        return str(error)[:200]
    except Exception:  # noqa: BLE001 - a stranger's class
        return ""


def _tell(out: int, line: dict[str, object]) -> None:
    os.write(out, json.dumps(line).encode() + b"\n")


def _silence() -> None:
    """What the program prints goes nowhere, and there is nothing to read."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.close(nothing)


def _namespaces(folder: str, disk_bytes: int) -> str:
    """Go into namespaces of our own.

    Returns:
        Why that is not possible here; empty if it was done.
    """
    if sys.platform != "linux":
        return f"{sys.platform} has none"
    import ctypes  # noqa: PLC0415 - only where it is of use

    libc = ctypes.CDLL(None, use_errno=True)

    def call(what: str, code: int) -> None:
        if code != 0:
            raise OSError(ctypes.get_errno(), what)

    user, group = os.getuid(), os.getgid()
    try:
        call("unshare", libc.unshare(_NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC))
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
        call("mount private", libc.mount(None, b"/", None, _MS_REC | _MS_PRIVATE, None))
        # struct mount_attr: set, clear, propagation, user namespace.
        read_only = (ctypes.c_uint64 * 4)(_ATTR_RDONLY, 0, 0, 0)
        arguments: tuple[Any, ...] = (_MOUNT_SETATTR, _AT_FDCWD, b"/", _AT_RECURSIVE, read_only, 32)
        call("mount read-only", libc.syscall(*arguments))
        size = f"size={disk_bytes},mode=0700".encode()
        call("mount tmpfs", libc.mount(b"tmpfs", folder.encode(), b"tmpfs", _MS_NOSUID | _MS_NODEV, size))
        os.chdir(folder)
    except OSError as error:
        return f"{error.strerror}: {os.strerror(error.errno or 0)}"
    return ""


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:  # noqa: PTH123 - pathlib takes long to import
        file.write(text)


def _fork_into() -> None:
    """Go on as the second process of the new namespace; the first one only waits, since it heeds no limits."""
    import ctypes  # noqa: PLC0415 - see _namespaces

    libc = ctypes.CDLL(None)
    if child := os.fork():
        _exit_as(child)
    # The kernel kills it with the one that our caller knows, and with it all that the program has started.
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if worker := os.fork():
        _exit_as(worker)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    # All rights over the new namespaces are given up, or it could open them again.
    header, none = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION, 0), (ctypes.c_uint32 * 6)()
    if libc.capset(header, none) != 0:
        os._exit(1)


def _exit_as(child: int) -> None:
    _, status = os.waitpid(child, 0)
    os._exit(128 + os.WTERMSIG(status) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status))


def _limit(asked: dict[str, int], *, is_alone: bool) -> None:
    """The system's limits; a second of processor time lies between the soft one, which is told of, and the hard one."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not there on Windows

    cpu = asked["cpu_s"]
    for kind, soft, hard in (
        (resource.RLIMIT_CPU, cpu, cpu + 1),
        (resource.RLIMIT_AS, asked["memory_bytes"], asked["memory_bytes"]),
        (resource.RLIMIT_FSIZE, asked["disk_bytes"], asked["disk_bytes"]),
        (resource.RLIMIT_NOFILE, asked["n_files"], asked["n_files"]),
        (resource.RLIMIT_CORE, 0, 0),
        # Outside of a namespace all processes of the user would count.
        *([(resource.RLIMIT_NPROC, asked["n_processes"], asked["n_processes"])] if is_alone else []),
    ):
        # Some systems refuse some of them.
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(kind, (soft, hard))


def _guard(folder: str) -> Callable[[str, tuple[Any, ...]], None]:
    """What is asked about each event of the interpreter; there is no way to take it out again.

    One function with all that it needs bound, since the program can put other things in the place of every global.
    """
    prefix = folder.rstrip(os.sep) + os.sep
    kind, text, raw, number, refusal = type, str, bytes, int, PermissionError
    refused, harmless, modules, changing, writing = _REFUSED, _HARMLESS, _REFUSED_MODULES, _CHANGING, _WRITING

    def guard(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "import" and arguments[0] in modules:
            raise refusal("the sandbox has no " + arguments[0])
        n_paths = 0
        if event == "open":
            _, mode, flags = arguments
            by_mode = kind(mode) is text and ("w" in mode or "a" in mode or "x" in mode or "+" in mode)
            if by_mode or (kind(flags) is number and flags & writing):
                n_paths = 1
        elif event.startswith(refused) and event not in harmless:
            n_paths = changing.get(event, -1)
        if n_paths < 0:
            raise refusal("the sandbox refuses " + event)
        # No link is ever made here, so a path without steps upwards stays in the folder, which is the working one.
        for path in arguments[:n_paths]:
            name = path.decode("utf-8", "replace") if kind(path) is raw else path
            if kind(name) is not text or ".." in name.split("/") or (name[:1] == "/" and not name.startswith(prefix)):
                raise refusal("the sandbox does not change that: " + event)

    return guard


if __name__ == "__main__":
    main()
