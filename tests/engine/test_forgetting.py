"""What was read for somebody who wants to be forgotten: gone from the slots, from memory and from the disk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from codeassistd.engine.carrier import CacheLimits, Carrier
from codeassistd.engine.engine import Engine
from codeassistd.engine.inbox import Forgetting
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.prefix_cache import Place
from codeassistd.engine.request import EngineState
from codeassistd.engine.slots import N_WORTH, Keeping, Save, Slots
from codeassistd.errors import EngineError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, settled
from tests.support.states import files_of

_LONG_S = 60.0
"""A safety stop."""

A, B = "a" * 100, "b" * 150


def of(*names: str) -> Callable[[str], bool]:
    return lambda client: client in names


def engine_in(folder: Path, state_id: str = "one") -> Engine:
    limits = CacheLimits(disk_bytes=10**8, folder=folder)
    backend = FakeBackend(FakeScript(default="ok"), state_id=state_id)
    engine = Engine(backend.load, options=EngineOptions(limits=limits))
    engine.start()
    assert EngineState.READY == settled(engine)
    return engine


async def n_cached(engine: Engine, prompt: str, client: str) -> int:
    answer = await answer_of(engine.submit(request(prompt, client=client, max_tokens=4)))
    return answer.ending.n_cached


def test_slots_and_saved_states_of_a_client_are_let_go() -> None:
    """Those of others stay, and so does a slot that is running."""
    books = Slots(3, 10 * N_WORTH, Keeping(10**6, lambda _n_tokens, _n_bytes: True))
    for letter, client in ((1, "gone"), (2, "stays"), (3, "gone")):
        slot = books.take([letter] * N_WORTH * 2, client)
        assert slot is not None
        books.extend(slot.index, [letter] * N_WORTH * 2)
        books.release(slot.index)
    # A fourth prompt takes the place of one, which is saved.
    running = books.take([4] * N_WORTH, "gone")
    assert running is not None
    books.extend(running.index, [4] * N_WORTH)
    for move in books.take_moves():
        if isinstance(move, Save):
            books.saved(move.target, 100)
    books.add_saved(7, [5] * N_WORTH, 100, "gone")
    books.add_saved(8, [6] * N_WORTH, 100, "stays")

    books.forget_clients(of("gone"))

    books.take_moves()
    books.check_integrity()
    held = sorted((holder.place, holder.client) for holder in books.cache if holder.n_tokens)
    assert [(Place.DISK, "stays"), (Place.SLOT, "gone"), (Place.SLOT, "stays")] == held
    assert {(Place.MEMORY, 1), (Place.DISK, 7)} == {(holder.place, holder.number) for holder in books.take_dropped()}


async def test_an_engine_forgets_while_it_runs(tmp_path: Path) -> None:
    """The next prompt of that client is read from its beginning, and nothing of the old one is saved at the end."""
    engine = engine_in(tmp_path)
    await n_cached(engine, A, "gone")
    await n_cached(engine, B, "stays")
    engine.forget(of("gone")).result()
    assert len(B) - 1 == await n_cached(engine, B, "stays")
    engine.stop()
    again = engine_in(tmp_path)
    assert (0, len(B) - 1) == (await n_cached(again, A, "gone"), await n_cached(again, B, "stays"))
    again.stop()


async def test_what_was_saved_before_a_restart_is_forgotten_too(tmp_path: Path) -> None:
    """Also what another model has saved."""
    for state_id in ("one", "two"):
        engine = engine_in(tmp_path, state_id)
        await n_cached(engine, A, "gone")
        await n_cached(engine, B, "stays")
        engine.stop()
    assert 4 == len(files_of(tmp_path))
    engine = engine_in(tmp_path)
    engine.forget(of("gone")).result()
    assert 2 == len(files_of(tmp_path))
    assert len(B) - 1 == await n_cached(engine, B, "stays")
    engine.stop()


async def test_a_stopped_engine_forgets_what_is_on_disk(tmp_path: Path) -> None:
    """There is no thread to do it any more."""
    engine = engine_in(tmp_path)
    await n_cached(engine, A, "gone")
    engine.stop()
    engine.forget(of("gone")).result()
    assert [] == files_of(tmp_path)


async def test_a_state_that_does_not_tell_whose_it_is_is_removed(tmp_path: Path) -> None:
    """It may be anybody's, and it is only a cache."""
    (tmp_path / "odd.kv").write_bytes(b"codeassistd-kv 1 of an older version")
    engine = engine_in(tmp_path)
    engine.forget(of("gone")).result()
    engine.stop()
    assert [] == files_of(tmp_path)


async def test_a_file_that_cannot_be_removed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line, and the engine goes on."""
    engine = engine_in(tmp_path)
    (tmp_path / "odd.kv").write_bytes(b"odd")

    def refused(*_path: Path, **_options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "unlink", refused)
    with pytest.raises(EngineError, match=r"^the saved states in .* cannot be removed: Operation not permitted$"):
        engine.forget(of("gone")).result()
    monkeypatch.undo()
    assert 0 == await n_cached(engine, B, "stays")
    engine.stop()


def test_a_wish_that_fails_does_not_count_as_carried_out(tmp_path: Path) -> None:
    """Whoever waits hears that it failed, and the guard of the step gets the cause for the log."""

    def broken(_client: str) -> bool:
        raise ValueError("odd")

    carrier = Carrier(FakeBackend(FakeScript(default="ok")), FakeClock(), CacheLimits())
    wish = Forgetting(broken)
    with pytest.raises(ValueError, match="odd"):
        wish.carry_out(carrier, tmp_path)
    with pytest.raises(EngineError, match=r"^what was read could not be forgotten; the log has the cause$"):
        wish.done.result(0)


async def test_a_wish_that_fails_leaves_the_next_one_in_force(tmp_path: Path) -> None:
    """Both came while the engine was busy with another one."""
    engine = engine_in(tmp_path)
    await n_cached(engine, A, "gone")
    is_busy, may_go_on = Event(), Event()

    def slow(_client: str) -> bool:
        is_busy.set()
        return not may_go_on.wait(_LONG_S)

    def broken(_client: str) -> bool:
        raise ValueError("odd")

    first = engine.forget(slow)
    assert is_busy.wait(_LONG_S)
    wishes = [engine.forget(broken), engine.forget(of("gone"))]
    may_go_on.set()
    assert None is first.result(_LONG_S)
    with pytest.raises(EngineError, match="could not be forgotten"):
        wishes[0].result(_LONG_S)
    assert None is wishes[1].result(_LONG_S)
    assert 0 == await n_cached(engine, A, "gone")
    engine.stop()


def test_a_wish_that_was_taken_back_is_carried_out_all_the_same(tmp_path: Path) -> None:
    """There is nobody to be told, and the conversation is deleted by then."""
    (tmp_path / "odd.kv").write_bytes(b"odd")
    wish = Forgetting(of("gone"))
    wish.done.cancel()
    wish.carry_out(None, tmp_path)
    assert ([], True) == (files_of(tmp_path), wish.done.cancelled())
