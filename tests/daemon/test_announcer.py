"""The crossing from any thread to the loop."""

from __future__ import annotations

import asyncio
import threading

from codeassistd.daemon.announcer import Announcer


async def test_an_announcement_of_another_thread_is_heard_on_the_loop() -> None:
    """The callback runs on the loop's thread, whoever announced."""
    heard: asyncio.Future[threading.Thread] = asyncio.get_running_loop().create_future()
    announcer = Announcer(asyncio.get_running_loop())
    announcer.subscribe(lambda: heard.set_result(threading.current_thread()))
    await asyncio.to_thread(announcer.announce)
    assert threading.current_thread() is await heard


async def test_many_announcements_are_one_call_but_none_is_lost() -> None:
    """What is announced while the callbacks run leads to another call."""
    announcer = Announcer(asyncio.get_running_loop())
    calls: list[int] = []

    def hear() -> None:
        calls.append(len(calls))
        if len(calls) == 1:
            announcer.announce()

    announcer.subscribe(hear)
    for _ in range(5):
        announcer.announce()
    for _ in range(5):
        await asyncio.sleep(0)
    assert [0, 1] == calls


async def test_a_callback_may_leave_while_it_is_called() -> None:
    """Leaving in the middle of a round disturbs nobody."""
    announcer = Announcer(asyncio.get_running_loop())
    calls: list[str] = []

    def once() -> None:
        calls.append("once")
        leave()

    leave = announcer.subscribe(once)
    announcer.subscribe(lambda: calls.append("always"))
    for _ in range(2):
        announcer.announce()
        await asyncio.sleep(0)
    assert ["once", "always", "always"] == calls


def test_after_the_loop_nobody_is_told() -> None:
    """The engine's thread may still announce while the process ends."""
    loop = asyncio.new_event_loop()
    announcer = Announcer(loop)
    loop.close()
    announcer.announce()
