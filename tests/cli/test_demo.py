from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from codeassistd.cli.demo import MARKERS, Marker, demo_environment
from codeassistd.cli.demo_view import show
from codeassistd.cli.editor import Buffer
from codeassistd.config_layers import load
from codeassistd.errors import UsageError
from codeassistd.paths import Paths
from codeassistd.text import Text

REPO = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("marker", MARKERS)
def test_every_place_of_the_demo_exists_exactly_once(marker: Marker) -> None:
    """A file may change round the place, but not lose it without this test."""
    assert 1 == (REPO / marker.path).read_text(encoding="utf-8").count(marker.after)
    assert marker.place(REPO).path == REPO / marker.path


def test_a_marker_is_the_place_after_its_text(tmp_path: Path) -> None:
    """Line and column count from 1, in letters."""
    (tmp_path / "a.py").write_text("# größe\nµ = a + b\n", encoding="utf-8")

    place = Marker("a.py", "µ = ").place(tmp_path)

    assert (2, 5) == (place.line, place.column)


def test_a_marker_that_is_gone_says_what_to_do(tmp_path: Path) -> None:
    """The demo outside of a clone."""
    with pytest.raises(UsageError, match="run the demo in a clone of codeassistd, or name places"):
        Marker("a.py", "x").place(tmp_path)


def shown(suggestion: str | None, span: dict[str, object]) -> str:
    text = Text.of("".join(f"line {number}\n" for number in range(1, 11)) + "total = ")
    console = Console(file=io.StringIO(), width=100)
    show(console, "a.py:11:9", Buffer("file:///a.py", "python", text, len(text)), suggestion, span)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_completion_is_shown_with_its_place_parts_and_times() -> None:
    """A few lines before the cursor, the suggestion, what the model read, how long it took."""
    parts = [{"name": "outline", "n_tokens": 12}, {"name": "prefix", "n_tokens": 30}]
    span = {"parts": parts, "n_cached": 7, "n_output": 3, "ttft_ms": 81.6, "total_ms": 120.4}

    output = shown("a + b", span)

    assert "a.py:11:9" in output
    assert "line 4" not in output
    assert "line 5" in output
    assert "total = a + b" in output
    assert "prompt: outline 12 + prefix 30 = 42 tokens, 7 of them in the cache before" in output
    assert "TTFT 82 ms, total 120 ms, 3 tokens written" in output


def test_no_suggestion_shows_the_reason() -> None:
    """An empty panel would leave the user guessing."""
    assert "total =   (the model ended at once)" in shown(None, {"reason": "the model ended at once"})


def test_a_daemon_that_the_demo_left_behind_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C may come while it is on its way up, when there is nobody to tell it to stop."""
    monkeypatch.setenv("CODEASSISTD_HOME", "/somewhere/else")
    environ = demo_environment(tmp_path)
    paths = Paths.resolve(environ)

    assert tmp_path / "state" == paths.state_dir
    assert 20 == load(paths, environ).settings.daemon.idle_exit_s
