"""The conversation in the terminal: questions line by line, answers as they come, and a few commands.

Ctrl-C stops the answer, and at the prompt forgets the line; Ctrl-D ends. The history of the prompt is the conversation
itself, so nothing of it is kept anywhere else.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import typer
from rich.text import Text

from codeassistd.chat.desk import may_be_secret
from codeassistd.chat.request import RawOutput
from codeassistd.cli.chat_editor import Answer, ChatEditor, Question
from codeassistd.cli.chat_kept import checked_session
from codeassistd.cli.run_command import run_command
from codeassistd.cli.terminal import harmless, notices, steps
from codeassistd.errors import CodeassistdError, UsageError

__all__ = ["Talk", "readable_file", "show_parts", "watched_run"]

_PROMPT = "> "
#: Of a turn's number; Python refuses to read a number of thousands of them.
_MAX_DIGITS = 9
_HELP = """\
/file PATH     show a file with every question from now on
/run COMMAND   run a command and show what it tells with the next question
/session NAME  go on in another conversation
/output [TURN] print the outputs that a turn was shown the most telling lines of, in full
/clear         forget this conversation
/help          this
Ctrl-C stops an answer, Ctrl-D ends. In a question `#src/app.py` shows a file and `@name` a definition."""


@dataclass(slots=True)
class Talk:
    """One conversation at the terminal.

    Attributes:
        editor: an open connection.
        run: carries out what is asked of it on its loop; KeyboardInterrupt where the user has pressed Ctrl-C.
        print_outputs: prints the outputs of a turn (0: the newest that has any) in full.
        files: shown with every question.
        outputs: shown with the next one.
    """

    editor: ChatEditor
    run: asyncio.Runner
    folder: Path
    print_outputs: Callable[[str, int], None]
    files: list[Path] = field(default_factory=list)
    outputs: list[RawOutput] = field(default_factory=list)

    def begin(self) -> None:
        """Say where the conversation stands, and give its questions to the line editor."""
        said = self.run.run(self.editor.turns())
        asked = [str(turn["text"]) for turn in said if turn["role"] == "user"]
        _remember(asked)
        so_far = f"{len(asked)} {'turn' if len(asked) == 1 else 'turns'} so far" if asked else "new"
        notices().print(Text(f"conversation {self.editor.session}, {so_far}; /help tells the commands"))
        if said and said[-1]["is_cut"]:
            notices().print(Text("the last answer was cut short; ask again, or ask to go on"))

    def go_on(self) -> None:
        """Ask for lines until the user has enough."""
        while True:
            try:
                line = input(_PROMPT).strip()
            except EOFError:
                typer.echo()
                return
            except KeyboardInterrupt:
                typer.echo()
                continue
            try:
                self._take(line)
            except KeyboardInterrupt:
                notices().print(Text("\n(stopped)"))
            except CodeassistdError as error:
                typer.echo(f"codeassistd: {error}", err=True)

    def ask(self, text: str) -> Answer:
        """Ask one question, and print the answer as it comes.

        Raises:
            DaemonError: the server says why not, or it is gone.
            KeyboardInterrupt: the user has stopped it.
        """
        question = Question(text, tuple(self.files), tuple(self.outputs))
        shown = _Shown()
        try:
            answer = self.run.run(self.editor.ask(question, shown.show))
        except CodeassistdError:
            # What went wrong is told in a line of its own.
            shown.end_line()
            raise
        # Not before: what was refused or stopped is asked again, with what it takes long to run.
        self.outputs = []
        typer.echo()
        show_parts(answer)
        return answer

    def _take(self, line: str) -> None:
        if not line.startswith("/"):
            if line:
                self.ask(line)
            return
        name, _, rest = line[1:].partition(" ")
        command = self._commands().get(name)
        if command is None:
            raise UsageError(f"there is no command /{name}; /help tells those there are")
        command(rest.strip())

    def _commands(self) -> dict[str, Callable[[str], None]]:
        return {
            "help": lambda _: typer.echo(_HELP),
            "file": self._add_file,
            "run": self._run,
            "session": self._change_session,
            "output": self._output,
            "clear": self._clear,
        }

    def _add_file(self, name: str) -> None:
        self.files += [readable_file(self.folder / _at_home(each)) for each in _words(name)]
        names = ", ".join(path.name for path in self.files) or "none; name one"
        notices().print(Text(f"files: {names}"))

    def _run(self, command: str) -> None:
        if not command:
            raise UsageError("/run needs a command")
        output = watched_run(command, self.folder)
        self.outputs.append(output)
        ended = "ended by its time limit" if output.exit_code is None else f"exit code {output.exit_code}"
        n_lines = len(output.text.splitlines())
        lines = f"{n_lines} line{'' if n_lines == 1 else 's'}"
        notices().print(Text(f"{ended}, {lines}; shown with the next question"))

    def _change_session(self, name: str) -> None:
        if not name:
            raise UsageError("/session needs a name")
        self.editor.session = checked_session(name)
        self.begin()

    def _output(self, turn: str) -> None:
        if turn and not (turn.isdecimal() and len(turn) <= _MAX_DIGITS):
            raise UsageError("/output takes the number of a turn")
        self.print_outputs(self.editor.session, int(turn or 0))

    def _clear(self, rest: str) -> None:
        del rest
        self.run.run(self.editor.forget())
        notices().print(Text(f"conversation {self.editor.session} is forgotten"))


def show_parts(answer: Answer) -> None:
    """Tell what the model was shown, and what is amiss; on standard error, so that a pipe gets the answer alone."""
    console = notices()
    for part in answer.parts:
        console.print(Text(f"  {part['label']}: {part['n_tokens']} tokens", style="dim"))
    if answer.ended == "length":
        console.print(Text("  the answer is cut off at its longest; `chat.max_tokens` sets that", style="dim"))
    for warning in answer.warnings:
        console.print(Text(f"  {warning}", style="yellow"))


def watched_run(command: str, folder: Path) -> RawOutput:
    """The output of a command, with a sign of life while it runs.

    Raises:
        UsageError: the system cannot start it.
    """
    with steps(f"running {harmless(command)}"):
        return run_command(command, folder)


def readable_file(path: Path) -> Path:
    """The absolute path of a file that may be shown.

    Raises:
        UsageError: there is no such file, it cannot be looked at, or it may hold secrets.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder; name a file")
        if not path.is_file():
            raise UsageError(f"there is no file {path}")
    except OSError as error:
        # A folder that may not be entered, or a name that is too long.
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if may_be_secret(path):
        raise UsageError(f"{path} is not shown: by its name it may hold secrets")
    return path.absolute()


def _words(line: str) -> list[str]:
    """The paths of a line, split as a shell does."""
    try:
        return shlex.split(line)
    except ValueError as error:
        raise UsageError("/file: a quotation mark is not closed, or a backslash ends the line") from error


def _at_home(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise UsageError(f"there is no file {name}: no user has that name") from error


@dataclass(slots=True)
class _Shown:
    """An answer on standard output, as it comes."""

    _last: str = "\n"

    def show(self, text: str) -> None:
        """Print a piece."""
        sys.stdout.write(harmless(text))
        sys.stdout.flush()
        self._last = text[-1:] or self._last

    def end_line(self) -> None:
        """End the line that the answer broke off in."""
        if self._last != "\n":
            self.show("\n")


def _remember(lines: Sequence[str]) -> None:
    """Let the arrow keys bring back what was asked, where Python has its line editor."""
    try:
        import readline  # noqa: PLC0415 - not everywhere, and only for a person at a terminal
    except ImportError:
        return
    readline.clear_history()
    for line in lines:
        if "\n" not in line:
            readline.add_history(line)
