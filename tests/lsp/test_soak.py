"""2,000 requests of two editors, one that takes back what it asked and one that never does, through real processes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.support.processes import Home
from tests.support.soak import SCRIPT, Manner, SoakedEditor
from tests.support.waiting import wait_for

VSCODE = Manner(cancels=True, has_menu=True)
NEOVIM = Manner(cancels=False, has_menu=False)
N_WARM, N_REQUESTS = 200, 800
#: Memory that a process may take from one half to the other: caches of bounded size are filled yet.
MAX_GROWTH = 24 << 20


@dataclass(frozen=True, slots=True)
class Holdings:
    """What a process holds at rest."""

    n_threads: int
    n_files: int
    memory: int

    @classmethod
    def of(cls, process: psutil.Process) -> Holdings:
        """Those of now."""
        return cls(process.num_threads(), process.num_fds(), process.memory_info().rss)


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    yield made
    made.close()


@pytest.mark.slow
async def test_two_manners_of_asking_leave_nothing_behind(home: Home) -> None:
    """Each request gets one reply, no item is of another text than it was asked for, and the daemon stays as it is."""
    home.start_daemon(SCRIPT)
    home.until_ready()
    daemon = psutil.Process(home.daemon_pid())
    async with home.proxy() as left, home.proxy() as right:
        editors = []
        for number, (proxy, manner) in enumerate(((left, VSCODE), (right, NEOVIM))):
            # What is slow here is no matter: nothing may be lost.
            await proxy.client.initialize(options={"completion": {"deadline_ms": 60_000}})
            editor = SoakedEditor(proxy.client, f"untitled:soak{number}.py", manner, random.Random(number))
            editor.open()
            editors.append(editor)
        await asyncio.gather(*(editor.live(N_WARM) for editor in editors))
        before = Holdings.of(daemon)
        await asyncio.gather(*(editor.live(N_REQUESTS) for editor in editors))
        wait_for(lambda: daemon.num_threads() <= before.n_threads + 1, "threads that have ended")
        after = Holdings.of(daemon)
        for editor in editors:
            assert 0 == editor.client.n_surplus
            assert editor.n_shown > editor.n_asked // 20
            # An import that comes with what is typed is no paste.
            assert 0 < editor.n_imports == editor.n_after_import

    assert after.n_files <= before.n_files
    assert after.memory - before.memory < MAX_GROWTH
