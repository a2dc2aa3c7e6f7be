"""Programs that nobody has read can do nothing but compute, whatever they try."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from codeassistd.evals.sandbox.sandbox import Limits, Sandbox, Verdict

#: By the clock only as a safety stop: processor time is what ends a loop.
LIMITS = Limits(cpu_s=1, wall_s=120)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the limits are those of a Unix system")


@pytest.fixture(scope="module", params=["namespaces", "guard"])
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    """With namespaces, where this system has them, and without."""
    made = Sandbox(LIMITS, namespaces=request.param == "namespaces")
    if request.param == "namespaces" and made.walls:
        pytest.skip(f"THIS SYSTEM HAS NO NAMESPACES FOR THE SANDBOX: {made.walls}")
    yield made
    assert not [child for child in psutil.Process().children() if "jail.py" in " ".join(child.cmdline())]


def verdict(sandbox: Sandbox, *lines: str) -> tuple[Verdict, str]:
    ran = sandbox.run("\n".join(lines))
    return ran.verdict, ran.detail


def test_a_program_that_comes_to_its_end_has_passed(sandbox: Sandbox) -> None:
    """With the modules that tests of problems use, and files in its own folder."""
    program = (
        "import collections, datetime, decimal, functools, hashlib, itertools, math, os, random, re, typing",
        "os.mkdir('own'); open('own/file', 'w').write('x'); os.rename('own/file', 'own/other'); os.remove('own/other')",
        "assert hashlib.md5(b'').hexdigest().startswith('d41d8') and os.listdir('.') == ['own']",
    )

    assert (Verdict.PASSED, "") == verdict(sandbox, *program)


def test_what_a_program_raises_is_told(sandbox: Sandbox) -> None:
    """In one line."""
    assert (Verdict.FAILED, "AssertionError: no") == verdict(sandbox, "assert 1 == 2, 'no'")
    assert (Verdict.FAILED, "SyntaxError: '(' was never closed (<program>, line 1)") == verdict(sandbox, "f(")


@pytest.mark.parametrize(
    "leave", ["import os; os._exit(0)", "import os; os._exit(200)", "import sys; sys.exit(0)", "exit(0)"]
)
def test_who_leaves_before_the_end_has_not_passed(sandbox: Sandbox, leave: str) -> None:
    """An exit code of 0 proves nothing, since the tests behind it have not run; 200 names no signal."""
    assert Verdict.FAILED is verdict(sandbox, leave, "assert False")[0]


def test_an_endless_loop_is_ended(sandbox: Sandbox) -> None:
    """By its processor time."""
    assert (Verdict.TIMEOUT, "its time was over") == verdict(sandbox, "while True: pass")


def test_a_program_that_only_waits_is_ended_by_the_clock() -> None:
    """It takes no processor time."""
    short = Sandbox(Limits(wall_s=1.0))

    assert Verdict.TIMEOUT is short.run("import time\nwhile True: time.sleep(60)").verdict


@pytest.mark.parametrize(
    "start",
    [
        "os.fork()",
        "os.posix_spawn('/bin/true', ['true'], {})",
        "os.execv('/bin/true', ['true'])",
        "os.system('true')",
        "__import__('subprocess').run(['true'])",
        "__import__('multiprocessing').Process(target=print).start()",
        "__import__('_posixsubprocess').fork_exec",
    ],
)
def test_no_process_is_started(sandbox: Sandbox, start: str) -> None:
    """So a fork bomb ends with its first."""
    found, detail = verdict(sandbox, "import os", "while True:", f"    {start}")

    assert Verdict.FAILED is found
    assert detail.startswith("PermissionError: the sandbox"), detail


def test_threads_without_an_end_are_ended(sandbox: Sandbox) -> None:
    """Each takes of the time of all."""
    program = ("import threading", "while True: threading.Thread(target=lambda: sum(iter(int, 1))).start()")

    assert verdict(sandbox, *program)[0] in {Verdict.TIMEOUT, Verdict.FAILED, Verdict.KILLED}


@pytest.mark.parametrize("stream", ["print('x' * 1_000_000)", "os.write(2, b'x' * 1_000_000)"])
def test_output_goes_nowhere(sandbox: Sandbox, stream: str) -> None:
    """However much there is of it."""
    assert (Verdict.PASSED, "") == verdict(sandbox, "import os", f"for _ in range(100): {stream}")


def test_a_flood_towards_the_parent_is_cut_off(sandbox: Sandbox) -> None:
    """The program may find the stream that it is told of through; a bounded piece of it is read."""
    flood = ("import os", "for fd in range(3, 20):", "    try:", "        while True: os.write(fd, b'x' * 100_000)")

    assert Verdict.PASSED is not verdict(sandbox, *flood, "    except OSError: pass")[0]


def test_nobody_is_signalled(sandbox: Sandbox) -> None:
    """Neither the parent nor a group."""
    for call in (f"os.kill({os.getpid()}, 9)", "os.kill(os.getppid(), 9)", "os.killpg(0, 9)", "os.kill(-1, 9)"):
        found, detail = verdict(sandbox, "import os", call)

        assert (Verdict.FAILED, "PermissionError: the sandbox refuses os.kill") == (
            found,
            detail.replace("killpg", "kill"),
        )


@pytest.mark.parametrize(
    "harm",
    [
        "open(PATH, 'w')",
        "open(PATH, 'r+')",
        "open(PATH, 'ab')",
        "os.open(PATH, os.O_WRONLY)",
        "os.remove(PATH)",
        "os.unlink(PATH)",
        "os.rename(PATH, 'mine')",
        "os.truncate(PATH, 0)",
        "os.chmod(PATH, 0)",
        "os.link(PATH, 'mine')",
        "os.symlink(PATH, 'mine')",
        "__import__('pathlib').Path(PATH).write_text('x')",
        "__import__('shutil').rmtree(os.path.dirname(PATH))",
        "__import__('sqlite3').connect(PATH).execute('create table t(x)')",
    ],
)
def test_files_of_others_stay_as_they_are(sandbox: Sandbox, tmp_path: Path, harm: str) -> None:
    """By whatever call: they can be read and nothing else."""
    file = tmp_path / "precious"
    file.write_text("as it was")
    before = file.stat()
    found, _ = verdict(sandbox, "import os", f"PATH = {str(file)!r}", "open(PATH).read()", harm)

    assert Verdict.FAILED is found
    assert "as it was" == file.read_text()
    assert (before.st_mode, before.st_nlink) == (file.stat().st_mode, file.stat().st_nlink)
    assert [file] == list(tmp_path.iterdir())


def test_a_file_does_not_grow_without_an_end(sandbox: Sandbox) -> None:
    """It is in a folder of its own, of a bounded size."""
    found, detail = verdict(sandbox, "with open('big', 'wb') as file:", "    while True: file.write(b'x' * 1_000_000)")

    assert (Verdict.FAILED, "OSError") == (found, detail.partition(":")[0])


def test_memory_is_bounded(sandbox: Sandbox) -> None:
    """Asked for at once, or piece by piece."""
    assert (Verdict.FAILED, "MemoryError") == verdict(sandbox, "x = [0] * 10**10")
    assert Verdict.PASSED is not verdict(sandbox, "x = []", "while True: x.append(bytearray(50_000_000))")[0]


@pytest.mark.parametrize(
    "call",
    [
        "import socket; socket.socket().connect(('127.0.0.1', 9))",
        "import _socket",
        "import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')",
        "import ctypes; ctypes.CDLL(None).system(b'true')",
    ],
)
def test_there_is_no_network_and_no_native_code(sandbox: Sandbox, call: str) -> None:
    """Not even to this machine."""
    found, detail = verdict(sandbox, call)

    assert Verdict.FAILED is found
    assert "the sandbox" in detail


@pytest.mark.parametrize(
    "trick",
    [
        "m._REFUSED = m._REFUSED_MODULES = (); m._HARMLESS = {'os.kill'}; m._CHANGING = {'os.kill': 0}",
        "m._guard = lambda folder: print; builtins.PermissionError = OSError; builtins.type = lambda _: str",
        "os.path.realpath = os.fspath = os.fsdecode = lambda _: os.getcwd()",
        "[setattr(f, '_folder', '/') for f in __import__('gc').get_objects() if hasattr(f, '_folder')]",
        "signal.pidfd_send_signal(os.pidfd_open(os.getppid()), 9)",
        "os.mkfifo(PATH + '.fifo')",
        "__import__('resource').prlimit(os.getppid(), 0, (0, 0))",
    ],
)
def test_the_guard_cannot_be_talked_round(sandbox: Sandbox, tmp_path: Path, trick: str) -> None:
    """By putting other things in the place of what it is made of, or by calls that it is not asked about."""
    file = tmp_path / "precious"
    file.write_text("as it was")
    setup = ("import __main__ as m, builtins, os, signal", f"PATH = {str(file)!r}")
    harm = ("try:", f"    {trick}", "except OSError: pass", "open(PATH, 'w')", "os.kill(os.getppid(), 9)")

    assert Verdict.FAILED is verdict(sandbox, *setup, *harm)[0]
    assert "as it was" == file.read_text()
    assert [file] == list(tmp_path.iterdir())


@pytest.mark.parametrize("path", ["../x", "own/../../x", "/tmp/x", "//tmp/x", "./../x"])
def test_a_path_that_leads_out_of_the_folder_is_not_its_own(sandbox: Sandbox, path: str) -> None:
    """However it is spelled."""
    found, detail = verdict(sandbox, "import os", "os.mkdir('own')", f"open({path!r}, 'w')")

    assert (Verdict.FAILED, "PermissionError: the sandbox does not change that: open") == (found, detail)


def test_a_crash_of_the_interpreter_is_only_the_childs(sandbox: Sandbox) -> None:
    """A program may break its own process."""
    program = ("import sys", "sys.setrecursionlimit(10**9)", "def f(): return [f()].sort(key=lambda _: f())", "f()")

    assert Verdict.PASSED is not verdict(sandbox, *program)[0]


def test_variables_of_the_parent_are_not_seen(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """They may hold secrets."""
    monkeypatch.setenv("CODEASSISTD_TEST_SECRET", "s")

    assert (Verdict.PASSED, "") == verdict(sandbox, "import os", "assert 'CODEASSISTD_TEST_SECRET' not in os.environ")


def test_what_is_in_force_is_told(sandbox: Sandbox) -> None:
    """In words, for the report."""
    expected = "limits, guard (sockets" if sandbox.walls else "namespaces (no network"

    assert sandbox.effective.startswith(expected)


def test_inside_of_namespaces_the_walls_hold_without_the_guard() -> None:
    """The parent is not to be seen, and there is no device that leads to a network."""
    sandbox = Sandbox(LIMITS)
    if sandbox.walls:
        pytest.skip(f"THIS SYSTEM HAS NO NAMESPACES FOR THE SANDBOX: {sandbox.walls}")
    devices = sandbox.run("lines = open('/proc/self/net/dev').read().splitlines()[2:]\nassert len(lines) == 1, lines")

    assert (Verdict.PASSED, "") == (devices.verdict, devices.detail)
    # As the first of a program's own world has no parent, and is not the program itself.
    assert Verdict.PASSED is sandbox.run("import os\nassert (os.getppid(), os.getpid()) == (1, 2)").verdict
