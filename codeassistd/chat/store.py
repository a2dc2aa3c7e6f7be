"""The only SQL of the conversations: what was said, what is remembered of it, and outputs in full.

It holds source text and whatever the user has typed, so only the owner can read it, and deleting gives the space back
to the disk. Any number of processes may have it open: each write is one short transaction.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from codeassistd.chat.conversation import Conversation, ConversationKey, Listed
from codeassistd.chat.request import RawOutput
from codeassistd.chat.schema import MIGRATIONS
from codeassistd.chat.summary import Entry, Kind, Memory, Summary
from codeassistd.chat.turn import Part, PartKind, Turn
from codeassistd.index.open_store import DamagedStoreError, set_aside_file
from codeassistd.index.own_store import OwnStore

__all__ = ["MAX_OUTPUT_BYTES", "ChatStore"]

#: Outputs in full that are kept, the newest first; the rest of a conversation is small.
MAX_OUTPUT_BYTES = 64 * 1024 * 1024
_TURNS = "number, asked, shown, parts, said, said_ids, model_id, is_cut"
_READ_TURNS = f"select {_TURNS} from turns where conversation = ? order by number"  # noqa: S608 - names of ours
_PUT_TURN = f"insert or replace into turns (conversation, {_TURNS}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - as above
_KNOWN_TURNS = "select number from turns where conversation = ?"
_OLD_OUTPUTS = """
delete from outputs where id in (
    select id from (select id, sum(n_bytes) over (order by id desc) as total from outputs) where total > ?
)
"""


class ChatStore(OwnStore):
    """The database; made, used and closed by one thread."""

    what = "the store of conversations"
    migrations = MIGRATIONS

    def conversation(self, key: ConversationKey) -> Conversation:
        """A conversation with all its turns; an empty one where there is none."""
        with self._reading():
            found = self._connection.execute(
                "select id, summary, through, author from conversations where root = ? and session = ?",
                [key.root, key.session],
            ).fetchone()
            if found is None:
                return Conversation(key)
            identity, summary, through, author = found
            rows = self._connection.execute(_READ_TURNS, [identity]).fetchall()
        with self._readable():
            memory = Memory(_summary_from(summary), through, author)
            return Conversation(key, tuple(_turn_from(row) for row in rows), memory)

    def listed(self, root: str | None = None) -> list[Listed]:
        """The conversations of a workspace, or of all; the newest first."""
        with self._reading():
            rows = self._connection.execute(
                "select root, session, (select count(*) from turns where conversation = conversations.id), updated "
                "from conversations where ? is null or root = ? order by updated desc, id desc",
                [root, root],
            ).fetchall()
        return [Listed(*row) for row in rows]

    def put(self, conversation: Conversation, changed: Collection[int], now_s: float) -> None:
        """Keep a conversation as it is now: its summary, what turns are new here, and those of the numbers `changed`.

        What could not be kept when it was new, or was kept in a store that is lost, is new here. `now_s` is wall time.
        """
        memory = conversation.memory
        entries = [[entry.kind.value, entry.turn, entry.text] for entry in memory.summary.entries]
        with self._writing():
            identity = self._identity(conversation.key, now_s)
            known = {number for (number,) in self._connection.execute(_KNOWN_TURNS, [identity])}
            turns = [turn for turn in conversation.turns if turn.number in changed or turn.number not in known]
            self._connection.executemany(_PUT_TURN, [(identity, *_turn_row(turn)) for turn in turns])
            self._connection.execute(
                "update conversations set summary = ?, through = ?, author = ? where id = ?",
                [json.dumps(entries), memory.through, memory.author, identity],
            )

    def put_outputs(self, key: ConversationKey, turn: int, outputs: Sequence[RawOutput], now_s: float) -> None:
        """Keep the outputs of a turn in full, and no others of it; where there are too many, the oldest of all go."""
        with self._writing():
            identity = self._identity(key, now_s)
            self._connection.execute("delete from outputs where conversation = ? and turn = ?", [identity, turn])
            for output in outputs:
                text = _storable(output.text)
                self._connection.execute(
                    "insert into outputs (conversation, turn, command, text, n_bytes) values (?, ?, ?, ?, ?)",
                    [identity, turn, _storable(output.command), text, len(text.encode())],
                )
            self._connection.execute(_OLD_OUTPUTS, [MAX_OUTPUT_BYTES])

    def outputs(self, key: ConversationKey, turn: int) -> list[RawOutput]:
        """The outputs of a turn that had to be cut, in full; none where they are not kept (any more)."""
        with self._reading():
            rows = self._connection.execute(
                "select command, text from outputs where turn = ? and conversation = "
                "(select id from conversations where root = ? and session = ?) order by id",
                [turn, key.root, key.session],
            ).fetchall()
        return [RawOutput(command, text) for command, text in rows]

    def delete(self, key: ConversationKey) -> bool:
        """Forget a conversation; whether there was one."""
        return self._forget("root = ? and session = ?", [key.root, key.session]) > 0

    def purge(self, root: str | None = None) -> int:
        """Forget the conversations of a workspace, or of all; how many there were.

        All are also those in a damaged store that was set aside, which nobody can count.
        """
        n_gone = self._forget("? is null or root = ?", [root, root])
        if root is None:
            with self._reading():
                set_aside_file(self.path).unlink(missing_ok=True)
        return n_gone

    def _forget(self, which: str, values: Sequence[object]) -> int:
        found = f"from conversations where {which}"
        with self._writing():
            for table in ("turns", "outputs"):
                ids = f"conversation in (select id {found})"
                self._connection.execute(f"delete from {table} where {ids}", values)  # noqa: S608 - words of ours
            n_gone = self._connection.execute(f"delete {found}", values).rowcount
        self._give_space_back()
        return n_gone

    def _identity(self, key: ConversationKey, now_s: float) -> int:
        """The row of a conversation, made as needed and marked as just used."""
        self._connection.execute(
            "insert into conversations (root, session, updated, summary, through, author) "
            "values (?, ?, ?, '[]', 0, '') on conflict (root, session) do update set updated = excluded.updated",
            [key.root, key.session, now_s],
        )
        (identity,) = self._connection.execute(
            "select id from conversations where root = ? and session = ?", [key.root, key.session]
        ).fetchone()
        return int(identity)

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """What stands in the rows is ours, or the store is damaged."""
        try:
            yield
        except (ValueError, TypeError, KeyError) as error:
            raise DamagedStoreError(f"{self.what} {self.path} is damaged ({type(error).__name__})") from error


def _turn_row(turn: Turn) -> tuple[object, ...]:
    parts = [[part.kind.value, part.label, part.text, str(part.path) if part.path else None] for part in turn.parts]
    # A path or a paste may hold what no UTF-8 can.
    texts = [_storable(text) for text in (turn.asked, turn.shown, json.dumps(parts), turn.said)]
    return (turn.number, *texts, array("i", turn.said_ids).tobytes(), turn.model_id, int(turn.is_cut))


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _turn_from(row: Sequence[Any]) -> Turn:
    number, asked, shown, parts, said, said_ids, model_id, is_cut = row
    ids: array[int] = array("i")
    ids.frombytes(said_ids)
    return Turn(
        number=int(number),
        asked=str(asked),
        shown=str(shown),
        parts=tuple(
            Part(PartKind(kind), label, text, Path(path) if path else None)
            for kind, label, text, path in json.loads(parts)
        ),
        said=str(said),
        said_ids=tuple(ids),
        model_id=str(model_id),
        is_cut=bool(is_cut),
    )


def _summary_from(text: str) -> Summary:
    return Summary(tuple(Entry(Kind(kind), int(turn), str(words)) for kind, turn, words in json.loads(text)))
