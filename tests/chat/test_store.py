"""Conversations on disk: owner-only, whole after a restart, gone when deleted."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from codeassistd.chat.archive import Archive
from codeassistd.chat.conversation import Conversation, ConversationKey
from codeassistd.chat.request import RawOutput
from codeassistd.chat.schema import MIGRATIONS
from codeassistd.chat.store import MAX_OUTPUT_BYTES, ChatStore
from codeassistd.chat.summary import Entry, Kind, Memory, Summary
from codeassistd.chat.turn import Part, PartKind, Turn
from codeassistd.errors import StoreError
from codeassistd.index.open_store import open_connection
from codeassistd.testing.fake_clock import FakeClock

KEY = ConversationKey("file:///shop", "default")
OTHER = ConversationKey("file:///bank", "default")
PART = Part(PartKind.FILE, "caf\udce9.py", "x = 1\n", Path("/shop/caf\udce9.py"))
TURN = Turn(1, "Why \ud800?", "Why?", (PART,), "So.", (7, 300_000), "model-1", is_cut=True)
MEMORY = Memory(Summary((Entry(Kind.CONSTRAINT, 1, "Never."),)), 1, "model")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ChatStore]:
    """An empty one."""
    with closing(ChatStore.open(tmp_path / "chat" / "chat.db")) as made:
        yield made


def test_a_conversation_comes_back_as_it_was(store: ChatStore) -> None:
    """But for letters that no UTF-8 can hold, which no model reads either."""
    store.put(Conversation(KEY, (TURN, Turn(2, "And?", "And?")), MEMORY), (), 1.0)
    again = store.conversation(KEY)
    assert ([1, 2], MEMORY) == ([turn.number for turn in again.turns], again.memory)
    assert [True, False] == [turn.is_cut for turn in again.turns]
    assert ("Why ??", (PART,), "So.", (7, 300_000), "model-1") == (
        again.turns[0].asked,
        again.turns[0].parts,
        again.turns[0].said,
        again.turns[0].said_ids,
        again.turns[0].model_id,
    )
    assert Conversation(OTHER) == store.conversation(OTHER)


def test_conversations_of_an_older_release_are_taken_over(tmp_path: Path) -> None:
    """It did not know that an answer may be cut short."""
    path = tmp_path / "chat.db"
    with closing(open_connection(path, MIGRATIONS[:1], "the store")) as old, old:
        old.execute("insert into conversations values (1, ?, 'default', 1.0, '[]', 0, '')", [KEY.root])
        old.execute("insert into turns values (1, 1, 'Why?', 'Why?', '[]', 'So.', x'', '')")
    with closing(ChatStore.open(path)) as store:
        assert (Turn(1, "Why?", "Why?", said="So."),) == store.conversation(KEY).turns


def test_a_turn_can_get_another_text(store: ChatStore) -> None:
    """There is one turn of each number."""
    store.put(Conversation(KEY, (TURN,)), (), 1.0)
    store.put(Conversation(KEY, (Turn(1, "What?", "What?"),)), {1}, 2.0)
    assert ["What?"] == [turn.asked for turn in store.conversation(KEY).turns]


def test_what_could_not_be_kept_before_is_kept_now(store: ChatStore) -> None:
    """As after a full disk, or where the store had to be made anew; old turns stay as they were written."""
    store.put(Conversation(KEY, (TURN,)), (), 1.0)
    turns = (Turn(1, "Other?", "Other?"), Turn(2, "And?", "And?"), Turn(3, "So?", "So?"))
    store.put(Conversation(KEY, turns), (), 2.0)
    assert ["Why ??", "And?", "So?"] == [turn.asked for turn in store.conversation(KEY).turns]


def test_lists_are_by_workspace_and_time(store: ChatStore) -> None:
    """The one that was used last comes first."""
    for at_s, key in enumerate((KEY, OTHER, ConversationKey(KEY.root, "second"))):
        store.put(Conversation(key, (TURN,)), (), float(at_s))
    assert ["second", "default"] == [one.session for one in store.listed(KEY.root)]
    assert [2.0, 1.0, 0.0] == [one.updated for one in store.listed()]
    assert 1 == store.listed()[0].n_turns


def test_what_is_deleted_is_gone_from_the_disk(store: ChatStore) -> None:
    """Not a letter of it is left in the files."""
    secret = "geheimnis" * 20
    store.put(Conversation(KEY, (Turn(1, secret, secret, (), secret),)), (), 1.0)
    store.put_outputs(KEY, 1, [RawOutput("make", secret, 1)], 1.0)
    store.put(Conversation(OTHER, (TURN,)), (), 1.0)
    assert [True, False] == [store.delete(KEY), store.delete(KEY)]
    assert [] == store.outputs(KEY, 1)
    assert not any(b"geheimnis" in file.read_bytes() for file in store.path.parent.iterdir())
    assert [0, 1] == [store.purge("file:///nowhere"), store.purge()]


def test_outputs_are_kept_in_full_and_bounded(store: ChatStore) -> None:
    """What a turn is given takes the place of what it had, and over the bound the oldest goes."""
    store.put_outputs(KEY, 1, [RawOutput("make", "one\n", 1), RawOutput("make check", "two\n", 0)], 1.0)
    assert [("make", "one\n"), ("make check", "two\n")] == [(one.command, one.text) for one in store.outputs(KEY, 1)]
    store.put_outputs(KEY, 1, [RawOutput("make", "three\n", 1)], 1.5)
    assert ["three\n"] == [one.text for one in store.outputs(KEY, 1)]
    store.put_outputs(KEY, 2, [RawOutput("make", "x" * (MAX_OUTPUT_BYTES - 3), 1)], 2.0)
    assert [] == [one.text for one in store.outputs(KEY, 1)]
    assert 1 == len(store.outputs(KEY, 2))


def test_nobody_else_can_read_it(store: ChatStore) -> None:
    """Neither the files nor the folder."""
    modes = {stat.S_IMODE(file.stat().st_mode) for file in store.path.parent.iterdir()}
    assert ({0o600}, 0o700) == (modes, stat.S_IMODE(store.path.parent.stat().st_mode))


async def test_a_damaged_store_is_set_aside_and_a_newer_one_is_left(tmp_path: Path) -> None:
    """The conversation goes on in memory, and `problem` says why it is not kept."""
    path = tmp_path / "chat.db"
    path.write_bytes(b"no database at all, and long enough to look like one" * 50)
    store, note = ChatStore.open_or_remake(path)
    store.close()
    assert "set aside" in note
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("pragma user_version = 99")
    archive = Archive(path, FakeClock())
    archive.put(Conversation(KEY, (TURN,)))
    assert None is await archive.load(KEY)
    assert "schema 99" in archive.problem
    with pytest.raises(StoreError, match="schema 99"):
        await archive.delete(KEY)
    archive.close()
