"""Outputs of tools, cut to what tells something."""

from __future__ import annotations

import pytest

from codeassistd.chat.tool_output import cut_output, looks_like_output

NOISE = [f"building part{letter}{letter} of the great work" for letter in "abcdefghijklmnopqrstuvwxyz"] * 3

PYTHON = [
    "Traceback (most recent call last):",
    '  File "/srv/app/main.py", line 12, in <module>',
    "    run()",
    '  File "/srv/app/run.py", line 7, in run',
    "    total = price / n_items",
    "            ~~~~~~^~~~~~~~~",
    "ZeroDivisionError: division by zero",
]
PYTEST = [
    "=================================== FAILURES ===================================",
    "_______________________________ test_total_adds ________________________________",
    ">       assert 3 == total([1, 1])",
    "E       assert 3 == 2",
    "tests/test_cart.py:9: AssertionError",
    "=========================== short test summary info ============================",
    "FAILED tests/test_cart.py::test_total_adds - assert 3 == 2",
    "========================= 1 failed, 41 passed in 0.55s =========================",
]
GCC = [
    "src/cart.c: In function 'total':",
    "src/cart.c:14:12: error: 'sum' undeclared (first use in this function)",
    "   14 |     return sum;",
    "      |            ^~~",
    "src/cart.c:14:12: note: each undeclared identifier is reported only once",
    "make: *** [Makefile:7: cart.o] Error 1",
]
RUST = [
    "error[E0382]: borrow of moved value: `items`",
    "  --> src/cart.rs:21:19",
    "   |",
    "20 |     consume(items);",
    "   |             ----- value moved here",
    '21 |     println!("{:?}", items);',
    "   |                      ^^^^^ value borrowed here after move",
    'error: could not compile `cart` (bin "cart") due to 1 previous error',
]
NODE = [
    "/srv/app/cart.js:8",
    "  return items.map(price);",
    "               ^",
    "TypeError: Cannot read properties of undefined (reading 'map')",
    "    at total (/srv/app/cart.js:8:16)",
    "    at Object.<anonymous> (/srv/app/main.js:3:1)",
    "Node.js v22.1.0",
]
GO = [
    "--- FAIL: TestTotal (0.00s)",
    "    cart_test.go:11: got 2, want 3",
    "FAIL",
    "FAIL\texample.com/cart\t0.004s",
]


@pytest.mark.parametrize(
    ("tool", "block"),
    [
        ("Python traceback", PYTHON),
        ("pytest", PYTEST),
        ("gcc or clang", GCC),
        ("rustc or cargo", RUST),
        ("node", NODE),
        ("go test", GO),
    ],
)
def test_the_fault_is_kept_with_what_belongs_to_it(tool: str, block: list[str]) -> None:
    """Every line of it, in the middle of much else, with the tool's name; both ends of the rest, and a count."""
    lines = [*NOISE, *block, *NOISE]
    cut = cut_output("\n".join(lines), 1)
    kept = cut.text.splitlines()
    assert tool in cut.tools
    assert "exit code 1" == kept[0]
    assert NOISE[:4] == kept[1:5]
    assert NOISE[-8:] == kept[-8:]
    assert [line for line in block if line not in kept] == []
    assert len(kept) < 45
    assert len(lines) == cut.n_lines == cut.n_left_out + len(kept) - 1 - sum("left out" in line for line in kept)


def test_short_outputs_are_left_whole() -> None:
    """With their exit code in front."""
    cut = cut_output("one\ntwo\n", 0)
    assert ("exit code 0\none\ntwo", True) == (cut.text, cut.is_whole)


def test_repeated_lines_are_counted() -> None:
    """Those that differ in numbers alone are the same."""
    cut = cut_output("\n".join(f"retry {n} after {n * 10} ms" for n in range(500)) + "\ngave up")
    assert "retry 0 after 0 ms\n[499 more like this line]\ngave up" == cut.text
    assert (501, 499) == (cut.n_lines, cut.n_left_out)


def test_what_a_terminal_would_not_show_is_left_out() -> None:
    """Colours, progress bars that are written over, other control letters."""
    cut = cut_output("\x1b[31mred\x1b[0m\n10 %\r50 %\r100 %\nbell\x07\x00\r\n\n\n")
    assert "red\n100 %\nbell" == cut.text


def test_an_unknown_tool_keeps_its_errors_with_neighbours() -> None:
    """Two lines on each side."""
    lines = [f"step {letter}: fine" for letter in "abcdefghijklmnopqrstuvwxyz"] * 2
    lines[20:20] = ["opening the vault", "asking politely", "ERROR: the key was not found", "closing", "leaving"]
    kept = cut_output("\n".join(lines)).text.splitlines()
    place = kept.index("ERROR: the key was not found")
    assert ["opening the vault", "asking politely"] == kept[place - 2 : place]
    assert ["closing", "leaving"] == kept[place + 1 : place + 3]


def test_a_flood_of_faults_is_bounded() -> None:
    """The first ones are kept."""
    lines = [f"src/f{'x' * (n % 50)}.c:{n}:1: error: thing{'y' * n} is wrong" for n in range(400)]
    cut = cut_output("\n".join(lines), 2)
    assert len(cut.text.splitlines()) <= 100
    assert len(cut.text) <= 40_000
    assert lines[5] in cut.text


def test_one_endless_line_is_cut() -> None:
    """Nobody reads it."""
    assert len(cut_output("x" * 1_000_000).text) < 400


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\n".join([*NOISE, *PYTHON]), True),
        ("\n".join(f"2026-01-01 12:00:{n:02} INFO served /{n}" for n in range(60)), True),
        ("\n".join(PYTHON), False),  # short: it is left whole anyway
        ("\n".join(f"def function_{n}(): return {n}" for n in range(60)), False),
        ("\n".join(f"This is sentence {n}." for n in range(60)), False),
    ],
)
def test_logs_are_told_from_code_and_prose(text: str, expected: bool) -> None:  # noqa: FBT001 - a table's column
    """By what tools write, or by their stamps."""
    assert expected is looks_like_output(text)
