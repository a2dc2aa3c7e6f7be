"""The conversation in the terminal: a line that cannot be carried out is answered, and the next one is read."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from codeassistd.chat.request import RawOutput
from codeassistd.cli import app
from codeassistd.cli.chat_editor import Answer, ChatEditor, Question
from codeassistd.cli.chat_kept import print_outputs
from codeassistd.cli.chat_talk import Talk
from codeassistd.errors import DaemonError
from codeassistd.paths import Paths


class Editor(ChatEditor):
    """One whose server has heard of no conversation."""

    async def turns(self) -> Sequence[Mapping[str, Any]]:
        return ()


@pytest.fixture
def talk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    """A conversation that was never led, in a folder with one file."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.py").write_text("total = 0\n", encoding="utf-8")
    with asyncio.Runner() as runner:
        yield Talk(Editor(None, "default", lambda _: None), runner, tmp_path, print_outputs)


def typed(talk: Talk, monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Carry these lines out, and end."""
    left = iter(lines)

    def read(prompt: str) -> str:
        del prompt
        try:
            return next(left)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    talk.go_on()


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("/file 'cart.py", "/file: a quotation mark is not closed, or a backslash ends the line"),
        ("/file cart.py\\", "/file: a quotation mark is not closed, or a backslash ends the line"),
        ("/file ~nobody-here/a.py", "there is no file ~nobody-here/a.py: no user has that name"),
        ("/output 99999999999999999999", "/output takes the number of a turn"),
        (f"/output {'9' * 5000}", "/output takes the number of a turn"),
        (
            "/output 9999",
            "no output of turn 9999 is kept in full in the conversation default; only those that had to be cut are",
        ),
        ("/run", "/run needs a command"),
        (f"/session {'x' * 101}", "a conversation's name has 1 to 100 printable letters"),
        ("/session a\tb", "a conversation's name has 1 to 100 printable letters"),
    ],
)
def test_a_line_that_cannot_be_carried_out_ends_nothing(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, answer: str
) -> None:
    """It is answered in one line, changes nothing, and the next one is carried out."""
    typed(talk, monkeypatch, line, "/file cart.py")
    assert f"codeassistd: {answer}\nfiles: cart.py\n" == capsys.readouterr().err
    assert "default" == talk.editor.session


def test_a_name_too_long_for_any_file_is_answered(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As a file that there is not is, in one line."""
    typed(talk, monkeypatch, f"/file {'x' * 300}")
    told = capsys.readouterr().err
    assert (1, True) == (told.count("\n"), told.endswith(f"{'x' * 300} cannot be read: File name too long\n"))


def test_one_bad_file_of_several_takes_none(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was refused as a whole must not go along by half."""
    typed(talk, monkeypatch, "/file cart.py none.py")
    assert [] == talk.files


def test_a_session_is_named_as_it_is_kept(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without blanks at its ends; slashes and dots are letters as others are, since no file has that name."""
    typed(talk, monkeypatch, "/session   ../next step  ")
    assert "../next step" == talk.editor.session


@pytest.mark.parametrize(
    "command",
    [
        ["chat", "--session", ""],
        ["chat", "--session", "a\nb"],
        ["chat", "export", "--session", "x" * 101],
        ["chat", "output", "--session", " "],
        ["chat", "delete", ""],
    ],
)
def test_a_name_that_can_be_none_is_a_wrong_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    """Told before anything is started."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("Why?"))
    assert 2 == app.run(command)
    assert ("", "codeassistd: a conversation's name has 1 to 100 printable letters\n") == capsys.readouterr()


def test_a_command_of_nothing_is_a_wrong_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The model would be shown the output of nothing as if it meant something."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", io.StringIO("Why?"))
    assert 2 == app.run(["chat", "--run", " "])
    assert ("", "codeassistd: there is no command to run\n") == capsys.readouterr()


def test_without_any_standard_input_there_is_no_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As where a service manager starts it; and nobody can be asked either."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    monkeypatch.setattr("sys.stdin", None)
    assert (2, 2) == (app.run(["chat"]), app.run(["chat", "purge"]))
    assert (
        "codeassistd: there is no question on standard input\n"
        "codeassistd: chat purge forgets for good; where nobody can be asked it needs --yes\n"
    ) == capsys.readouterr().err


def test_a_damaged_store_can_be_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever reads is told how; afterwards nothing of it is left on the disk, and all works."""
    monkeypatch.setenv("CODEASSISTD_HOME", str(tmp_path))
    file = Paths.resolve().chat_file
    file.parent.mkdir(parents=True, mode=0o700)
    file.write_bytes(b"geheimnis, and long enough to look like a database" * 50)
    assert 1 == app.run(["chat", "list"])
    assert capsys.readouterr().err.endswith(
        "; the next question sets it aside, `codeassistd chat purge --all` removes it\n"
    )
    assert 0 == app.run(["chat", "purge", "--all", "--yes"])
    assert "forgot 0 conversations\n" == capsys.readouterr().out
    assert not any(b"geheimnis" in left.read_bytes() for left in file.parent.iterdir())
    assert 0 == app.run(["chat", "list"])


class _Answering(Editor):
    """One whose server answers, or says why not; it knows what it was asked."""

    def __init__(self, *answers: Answer | BaseException) -> None:
        super().__init__(None, "default", lambda _: None)
        self.asked: list[Question] = []
        self._answers = iter(answers)

    async def ask(self, question: Question, show: Callable[[str], None]) -> Answer:
        del show
        self.asked.append(question)
        answer = next(self._answers)
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.mark.parametrize("fault", [DaemonError("the server is gone"), KeyboardInterrupt()])
def test_outputs_of_a_question_that_was_not_answered_go_with_the_next(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, fault: BaseException
) -> None:
    """They may have taken minutes to make; once they were answered they are gone."""
    editor = _Answering(fault, Answer(1, "So.", "stop", 1, 0), Answer(2, "So.", "stop", 1, 0))
    talk.editor = editor
    talk.outputs = [RawOutput("make", "error: 1", 2)]
    typed(talk, monkeypatch, "why?", "why?", "and now?")
    assert [1, 1, 0] == [len(question.outputs) for question in editor.asked]


@pytest.mark.parametrize(
    ("said", "out"), [("Half an ans", "Half an ans\n\n"), ("A line.\n", "A line.\n\n"), ("", "\n")]
)
def test_an_answer_that_breaks_off_ends_its_line(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], said: str, out: str
) -> None:
    """What went wrong stands in a line of its own; the last line's end is that of leaving."""

    class Breaking(_Answering):
        async def ask(self, question: Question, show: Callable[[str], None]) -> Answer:
            show(said)
            return await super().ask(question, show)

    talk.editor = Breaking(DaemonError("the daemon is gone"))
    typed(talk, monkeypatch, "why?")
    assert (out, "codeassistd: the daemon is gone\n") == tuple(capsys.readouterr())


def test_a_question_that_is_too_long_to_be_handed_over_is_told_so(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what can be done, before anything is sent."""
    typed(talk, monkeypatch, "x" * 4_000_001)
    line = "the question has 4000001 letters, and 4000000 can be asked; shorten it, or show a log by --run 'cat FILE'"
    assert f"codeassistd: {line}\n" == capsys.readouterr().err
