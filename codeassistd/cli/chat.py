"""`chat`: ask about the code in the terminal, or one question through a pipe. The kept conversations: `chat_kept`."""

from __future__ import annotations

import asyncio
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from codeassistd.cli import chat_kept
from codeassistd.cli.chat_editor import Answer, ChatEditor, Question
from codeassistd.cli.chat_kept import Session, print_outputs
from codeassistd.cli.chat_talk import Talk, readable_file, watched_run
from codeassistd.cli.editor import ServerState
from codeassistd.cli.options import AsJson
from codeassistd.cli.report import Report
from codeassistd.cli.terminal import is_conversation, steps
from codeassistd.config_layers import find_workspace, load
from codeassistd.errors import UsageError
from codeassistd.paths import Paths

__all__ = ["register"]

_READY_S = 300.0


def register(app: typer.Typer) -> None:
    """Add the verb to the command line."""
    chat = typer.Typer(help="Ask about the code of this workspace.", invoke_without_command=True)
    chat.callback()(_chat)
    chat_kept.register(chat)
    app.add_typer(chat, name="chat")


def _chat(
    context: typer.Context,
    *,
    session: Session = "default",
    files: Annotated[
        list[Path] | None,
        typer.Option("--file", metavar="FILE", help="Show this file with every question; repeatable."),
    ] = None,
    commands: Annotated[
        list[str] | None,
        typer.Option("--run", metavar="CMD", help="Run this, and show what it tells with the question; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Ask about the code of this workspace: in the terminal, or the one question on standard input."""
    if context.invoked_subcommand is not None:
        return
    load(Paths.resolve())
    shown = [readable_file(path) for path in files or ()]
    is_talk = is_conversation()
    if is_talk and as_json:
        raise UsageError("--json is for one question on standard input: echo QUESTION | codeassistd chat --json")
    if isinstance(sys.stdin, io.TextIOWrapper):
        # A log may hold bytes that are no text; the question is not lost for them.
        sys.stdin.reconfigure(errors="replace")
    text = "" if is_talk or sys.stdin is None else sys.stdin.read().strip()
    if not is_talk and not text:
        raise UsageError("there is no question on standard input")
    folder = Path.cwd()
    outputs = [watched_run(command, folder) for command in commands or ()]
    with asyncio.Runner() as runner, _connected(runner, session) as editor:
        if is_talk:
            talk = Talk(editor, runner, folder, print_outputs, shown, outputs)
            talk.begin()
            talk.go_on()
            return
        question = Question(text, tuple(shown), tuple(outputs))
        if as_json:
            answer = runner.run(editor.ask(question, lambda _: None))
            typer.echo(_report(answer, session, shown, commands or []).as_json())
            return
        Talk(editor, runner, folder, print_outputs, shown, outputs).ask(text)


@contextmanager
def _connected(runner: asyncio.Runner, session: str) -> Iterator[ChatEditor]:
    """A connection whose model is loaded."""
    with steps("starting") as told:

        def show(state: ServerState) -> None:
            if state.state == "loading":
                told.begin("loading the model", state.detail)

        editor = ChatEditor(find_workspace(Path.cwd()), session, show)
        runner.run(_open(editor))
    try:
        yield editor
    finally:
        runner.run(editor.close())


async def _open(editor: ChatEditor) -> None:
    try:
        await editor.open()
        await editor.wait(lambda state: state.is_able, _READY_S)
    except BaseException:
        # Interrupted or failed: the child that was started must not outlive the command.
        await editor.close()
        raise


def _report(answer: Answer, session: str, files: list[Path], commands: list[str]) -> Report:
    return Report(
        "chat",
        asked={"session": session, "files": [str(path) for path in files], "run": commands},
        effective={"session": session, "turn": answer.turn},
        figures={
            "text": answer.text,
            "ended": answer.ended,
            "n_prompt": answer.n_prompt,
            "n_cached": answer.n_cached,
            "warnings": list(answer.warnings),
        },
        rows=answer.parts,
    )
