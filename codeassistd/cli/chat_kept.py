"""`chat list | export | output | delete | purge`: the conversations that are kept on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.chat.clients import is_of, is_of_workspace
from codeassistd.chat.conversation import MAX_SESSION, Conversation, ConversationKey, session_name
from codeassistd.chat.store import ChatStore
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import agree_or_leave, harmless, is_conversation, print_table
from codeassistd.config_layers import find_workspace
from codeassistd.daemon.client import ControlClient
from codeassistd.daemon.hello import Kind
from codeassistd.daemon.launcher import Launcher
from codeassistd.documents.uri import path_of
from codeassistd.engine.state_folder import forget_states
from codeassistd.errors import StoreError, UsageError
from codeassistd.index.open_store import DamagedStoreError
from codeassistd.paths import Paths

__all__ = ["Session", "checked_session", "key_here", "print_outputs", "register"]


def checked_session(given: str) -> str:
    """A conversation's name as it is kept.

    Raises:
        UsageError: it cannot be one.
    """
    name = session_name(given)
    if name is None:
        raise UsageError(f"a conversation's name has 1 to {MAX_SESSION} printable letters")
    return name


_NAME = "The conversation's name."
Session = Annotated[str, typer.Option("--session", metavar="NAME", callback=checked_session, help=_NAME)]
_EVERYWHERE = typer.Option("--all", help="Those of all workspaces, not of this one alone.")


def register(group: typer.Typer) -> None:
    """Add the sub-verbs."""
    group.command("list")(_list)
    group.command("export")(_export)
    group.command("output")(_output)
    group.command("delete")(_delete)
    group.command("purge")(_purge)


def key_here(session: str) -> ConversationKey:
    """The conversation of that name in the workspace of the current folder."""
    return ConversationKey.of(find_workspace(Path.cwd()), session)


def print_outputs(session: str, turn: int) -> None:
    """Print the outputs of a turn in full; 0 is the newest turn that has any.

    Raises:
        UsageError: nothing is kept of it.
    """
    key = key_here(session)
    with _store() as store:
        conversation = store.conversation(key) if store is not None else Conversation(key)
        numbers = [one.number for one in reversed(conversation.turns) if turn in (0, one.number)]
        for number in numbers:
            outputs = store.outputs(key, number) if store is not None else []
            for output in outputs:
                typer.echo(f"$ {output.command}\n{output.text}")
            if outputs:
                return
    which = f"output of turn {turn}" if turn else "output"
    raise UsageError(f"no {which} is kept in full in the conversation {session}; only those that had to be cut are")


def _list(*, everywhere: Annotated[bool, _EVERYWHERE] = False, as_json: AsJson = False) -> None:
    """List the conversations of this workspace, the newest first."""
    with _store() as store:
        listed = [] if store is None else store.listed(None if everywhere else key_here("").root)
    if as_json:
        rows = [{**asdict(one), "root": _folder(one.root)} for one in listed]
        typer.echo(Report("chat list", asked={"all": everywhere}, rows=rows).as_json())
        return
    print_table(
        ("conversation", "turns", "last used", "workspace"),
        [(one.session, str(one.n_turns), _time(one.updated), _folder(one.root)) for one in listed],
    )


def _export(session: Session = "default", *, as_json: AsJson = False) -> None:
    """Print a conversation as Markdown: what was asked, shown and said, and what is remembered of it."""
    conversation = _known(key_here(session))
    if as_json:
        typer.echo(_report(conversation).as_json())
    else:
        typer.echo(harmless(_markdown(conversation)))


def _output(
    turn: Annotated[int, typer.Argument(metavar="[TURN]", min=0, help="Its number; default: the newest.")] = 0,
    *,
    session: Session = "default",
) -> None:
    """Print the outputs of commands in full that a turn was shown the most telling lines of."""
    print_outputs(session, turn)


def _delete(session: Annotated[str, typer.Argument(metavar="NAME", callback=checked_session, help=_NAME)]) -> None:
    """Forget one conversation of this workspace."""
    key = key_here(session)
    connection = Launcher(Paths.resolve()).connect(Kind.CONTROL)
    if connection is not None:
        # It has the conversation in memory, too.
        with ControlClient(connection) as daemon:
            is_gone = daemon.call("chat.delete", {"root": key.root, "session": key.session})["deleted"]
    else:
        with _store() as store:
            is_gone = store is not None and store.delete(key)
        _forget_states(is_of(key))
    if not is_gone:
        raise UsageError(f"there is no conversation {session} in this workspace; see `codeassistd chat list`")
    typer.echo(f"forgot the conversation {session}")


def _purge(
    *,
    everywhere: Annotated[bool, _EVERYWHERE] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Forget all conversations of this workspace, or of all."""
    if not yes:
        if not is_conversation():
            raise UsageError("chat purge forgets for good; where nobody can be asked it needs --yes")
        which = "there are" if everywhere else "of this workspace"
        agree_or_leave(f"forget all conversations {which}?", left="nothing was forgotten")
    root = None if everywhere else key_here("").root
    connection = Launcher(Paths.resolve()).connect(Kind.CONTROL)
    if connection is not None:
        with ControlClient(connection) as daemon:
            n_gone = daemon.call("chat.purge", {"root": root})["n_conversations"]
    else:
        # What cannot be read can be forgotten all the same.
        with _store(lambda path: ChatStore.open_or_remake(path)[0]) as store:
            n_gone = 0 if store is None else store.purge(root)
        _forget_states(is_of_workspace(root))
    typer.echo(f"forgot {n_gone} conversation{'' if n_gone == 1 else 's'}")


def _forget_states(is_gone: Callable[[str], bool]) -> None:
    """Remove what the engine has saved of conversations: a cached prompt is its text in other words."""
    folder = Paths.resolve().kv_dir
    try:
        forget_states(folder, is_gone)
    except OSError as error:
        raise StoreError(f"cannot remove the files in {folder}: {error.strerror or error}") from error


@contextmanager
def _store(open_store: Callable[[Path], ChatStore] = ChatStore.open) -> Iterator[ChatStore | None]:
    """The store on disk; None where nothing was ever kept, and none is made to find that out."""
    path = Paths.resolve().chat_file
    if not path.exists():
        yield None
        return
    try:
        store = open_store(path)
    except DamagedStoreError as error:
        raise StoreError(
            f"{error}; the next question sets it aside, `codeassistd chat purge --all` removes it"
        ) from error
    try:
        yield store
    finally:
        store.close()


def _known(key: ConversationKey) -> Conversation:
    with _store() as store:
        conversation = Conversation(key) if store is None else store.conversation(key)
    if not conversation.turns:
        raise UsageError(f"there is no conversation {key.session} in this workspace; see `codeassistd chat list`")
    return conversation


def _report(conversation: Conversation) -> Report:
    memory = conversation.memory
    return Report(
        "chat export",
        asked={"session": conversation.key.session},
        effective={"session": conversation.key.session, "workspace": _folder(conversation.key.root)},
        figures={
            "n_turns": len(conversation.turns),
            "summary_through": memory.through,
            "summary_by": memory.author,
            "summary": [asdict(entry) for entry in memory.summary.entries],
        },
        rows=[
            {
                "turn": turn.number,
                "asked": turn.asked,
                "parts": [asdict(part) for part in turn.parts],
                "said": turn.said,
                "is_cut": turn.is_cut,
            }
            for turn in conversation.turns
        ],
    )


def _markdown(conversation: Conversation) -> str:
    lines = [f"# {conversation.key.session}", ""]
    for turn in conversation.turns:
        lines += [f"## {turn.number}", "", turn.asked, ""]
        lines += [f"- {part.label}" for part in turn.parts]
        lines += ["", turn.said, "", *(["*The answer was cut short.*", ""] if turn.is_cut else [])]
    summary = conversation.memory.summary.text()
    if summary:
        lines += [f"## Remembered of turns 1 to {conversation.memory.through}", "", summary]
    return "\n".join(lines)


def _folder(root: str) -> str:
    path = path_of(root) if root else None
    return str(path) if path is not None else root


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
