"""Documents that are unlike most: the item still fits them, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.testing.fake_script import Rule
from codeassistd.testing.lsp_client import LspClient
from tests.support.lsp_daemon import lsp_daemon

URI = "file:///w/a.py"
BODY = "\n    total = a\n    return total"


async def inserted(client: LspClient, text: str, line: int, character: int, uri: str = URI) -> str | None:
    client.open(uri, text)
    items = await client.complete(uri, line, character)
    return str(items[0]["insertText"]) if items else None


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("x = 1\r\ndef f(a):\r\n", 1, "\r\n    total = a\r\n    return total"),
        ("x = 1\r\ndef f(a):\ny = 2\r\n", 1, BODY),
        ("x = 1\ndef f(a):\r\ny = 2\n", 1, "\r\n    total = a\r\n    return total"),
        ("x = 1\r\ndef f(a):", 1, "\r\n    total = a\r\n    return total"),
        ("x = 1\ndef f(a):", 1, BODY),
        ("def f(a):", 0, BODY),
        ("x = 1\rdef f(a):\r", 1, "\r    total = a\r    return total"),
        # A form feed parts pages, not lines.
        ("x = 1\n\f\ndef f(a):\n", 2, BODY),
        ("x = '\u2028'\ndef f(a):\n", 1, BODY),
    ],
)
async def test_each_line_ends_as_the_cursors_does(tmp_path: Path, text: str, line: int, expected: str) -> None:
    """In files with mixed line ends, without a final one, and with form feeds."""
    async with lsp_daemon(tmp_path, Rule.after("def f(a):", BODY)) as running, running.editor() as client:
        assert expected == await inserted(client, text, line, len("def f(a):"))


async def test_a_form_feed_before_the_cursor_is_a_letter(tmp_path: Path) -> None:
    """It takes one column, and the line goes on behind it."""
    async with lsp_daemon(tmp_path, Rule.after("\fx = ", "41 + 1")) as running, running.editor() as client:
        assert "41 + 1" == await inserted(client, "y = 0\n\fx = \n", 1, 5)


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "untitled:/w/new.py", "vscode-vfs://github/a/b.py"])
async def test_what_lies_on_no_disk_is_completed(tmp_path: Path, uri: str) -> None:
    """Untitled buffers and remote files, by what the editor shows of them."""
    async with lsp_daemon(tmp_path, Rule.after("x = ", "41 + 1")) as running, running.editor() as client:
        assert "41 + 1" == await inserted(client, "x = ", 0, 4, uri)


async def test_half_of_a_letter_of_two_units_is_no_reason_to_fail(tmp_path: Path) -> None:
    """It is legal in the protocol, and editors send it while an emoji is being replaced."""
    async with lsp_daemon(tmp_path, Rule.after("x = ", "41 + 1")) as running, running.editor() as client:
        lines = 'y = "\ud83d"\ndef f_\ud83d(a):\n    return a\n'
        assert "41 + 1" == await inserted(client, f"{lines}x = ", 3, 4)
        await client.complete(URI, 0, 6)
        assert "error" != (await client.request("codeassistd/explain", {}))["outcome"]


async def test_a_file_of_50000_lines(tmp_path: Path) -> None:
    """In its middle and at its end, with the same care: what would break the parse is cut there, too."""
    lines = "".join(f"def f{n}(a):\n    return a + {n}\n\n\n" for n in range(12_500))
    rules = (Rule.after("good = ", "a + 1"), Rule.after("bad = ", "a b"))
    async with lsp_daemon(tmp_path, *rules) as running, running.editor() as client:
        text = f"{lines}good = \n{lines}bad = "
        client.open(URI, text)
        for line, start, expected in [(50_000, "good = ", "a + 1"), (100_001, "bad = ", "a")]:
            [item] = await client.complete(URI, line, len(start))
            assert expected == item["insertText"]


async def test_a_line_of_a_hundred_thousand_letters(tmp_path: Path) -> None:
    """Read in a window round the cursor; the item stands where the cursor is."""
    async with lsp_daemon(tmp_path, Rule.after("key = ", "41 + 1")) as running, running.editor() as client:
        line = f"{'x = 1; ' * 15_000}key = "
        client.open(URI, f"{line}\n")
        [item] = await client.complete(URI, 0, len(line))
        place = {"line": 0, "character": len(line)}
        assert ("41 + 1", {"start": place, "end": place}) == (item["insertText"], item["range"])
