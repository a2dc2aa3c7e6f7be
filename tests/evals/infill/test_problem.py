"""Problems are read as the benchmark's authors publish them."""

from __future__ import annotations

import gzip
import json
import os
import re
import sys
from pathlib import Path

import pytest

from codeassistd.errors import UsageError
from codeassistd.evals.infill.problem import Problem, choose, read_problems
from codeassistd.evals.sandbox.sandbox import Sandbox, Verdict

ENTRY = {
    "task_id": "SingleLineInfilling/HumanEval/0/L0",
    "entry_point": "twice",
    "prompt": "def twice(a):\n",
    "suffix": "    return b\n",
    "canonical_solution": "    b = a + a\n",
    "test": "def check(candidate):\n    assert candidate(2) == 4\n",
}
PROBLEM = Problem(
    "SingleLineInfilling/HumanEval/0/L0",
    "twice",
    "def twice(a):\n",
    "    return b\n",
    "    b = a + a\n",
    "def check(candidate):\n    assert candidate(2) == 4\n",
)


def test_plain_and_compressed_files_are_read_alike(tmp_path: Path) -> None:
    """By what they hold, whatever their names."""
    line = json.dumps(ENTRY) + "\n\n"
    plain, packed = tmp_path / "a.jsonl", tmp_path / "b"
    plain.write_text(line)
    packed.write_bytes(gzip.compress(line.encode()))

    assert [PROBLEM] == read_problems(plain)
    assert [PROBLEM] == read_problems(packed)


def test_what_has_no_end_is_told_of_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A device, or a packed file that holds a thousand times its own length; a file of just the length is read."""
    line = json.dumps(ENTRY).encode()
    monkeypatch.setattr("codeassistd.evals.infill.problem._MAX_BYTES", len(line))
    exact, packed = tmp_path / "exact", tmp_path / "packed"
    exact.write_bytes(line)
    packed.write_bytes(gzip.compress(line + b" " * 100_000))
    assert [PROBLEM] == read_problems(exact)
    for path in (packed, *([Path("/dev/zero")] if sys.platform != "win32" else [])):
        with pytest.raises(UsageError, match=f"^{re.escape(str(path))} is longer than any file"):
            read_problems(path)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty; give a file of the HumanEval infilling benchmark"),
        (b"\xff\xfe", "cannot be read"),
        (gzip.compress(b"{}")[:-6], "cannot be read"),
        (b"\n{\n", "line 2: this is not JSON"),
        (b"[1]", "line 1: it has no text 'task_id'"),
        (b"[" * 100_000, "line 1: this is not JSON"),
        (json.dumps(ENTRY | {"test": 3}).encode(), "line 1: it has no text 'test'"),
        (json.dumps(ENTRY | {"prompt": "\ud83d"}).encode(), "line 1: it has no text 'prompt'"),
    ],
)
def test_another_file_is_told_of_in_one_line(tmp_path: Path, content: bytes, what: str) -> None:
    """With the place, where there is one."""
    path = tmp_path / "a.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match=r"a\.jsonl") as told:
        read_problems(path)

    assert what in str(told.value)
    assert "\n" not in str(told.value)


def test_a_file_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    """As any other that cannot be read."""
    with pytest.raises(UsageError, match=r"cannot be read \(No such file or directory\)"):
        read_problems(tmp_path / "none")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_read_and_one_that_nobody_writes_to_is_empty(tmp_path: Path) -> None:
    """As a shell's `<(...)` hands it over; without a writer it is told of, and nobody waits for one."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="pipe is empty; give a file of the HumanEval infilling benchmark"):
        read_problems(tmp_path / "pipe")
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "w") as file:
        file.write(json.dumps(ENTRY))
        file.close()
        assert 1 == len(read_problems(Path(f"/dev/fd/{reading}")))


def test_where_whole_lines_are_missing_the_cursor_has_a_line_of_its_own() -> None:
    """As in an editor: the benchmark leaves out even the line break."""
    assert "\n    return b\n" == PROBLEM.after
    assert "def twice(a):\n    b = a + a\n    return b\n" == PROBLEM.filled("    b = a + a")


@pytest.mark.parametrize(
    ("prompt", "solution", "suffix"),
    [
        ("x =", " 1", "\nreturn x"),
        ("x = 1\n", "y = 2\n", "\nreturn x"),
        ("x = 1\n", "y = 2\n", ""),
        ("x = 1\n", "y =", " 2\n"),
        ("a", "b\n", "c"),
    ],
)
def test_elsewhere_nothing_is_put_in(prompt: str, solution: str, suffix: str) -> None:
    """The hole is where the benchmark has it; random spans end in the middle of lines."""
    problem = Problem("n", "f", prompt, suffix, solution, "")

    assert suffix == problem.after


def test_the_program_runs_the_tests_on_the_function() -> None:
    """And comes to its end if they pass."""
    function = "def twice(a):\n    b = 2 * a\n    return b\n"
    tests = "def check(candidate):\n    assert candidate(2) == 4\n"

    assert f"{function}\n{tests}\ncheck(twice)\n" == PROBLEM.program("    b = 2 * a")


def test_a_choice_is_made_by_the_seed() -> None:
    """In order of the file; all of them where no fewer are wanted."""
    problems = [Problem(str(number), "", "", "", "", "") for number in range(20)]

    assert ["2", "4", "18"] == [problem.name for problem in choose(problems, 3, 1)]
    assert choose(problems, 3, 1) != choose(problems, 3, 2)
    assert problems == choose(problems, 0, 1) == choose(problems, 99, 1)


@pytest.mark.parametrize("kind", ["SingleLine", "MultiLine", "RandomSpan"])
def test_the_published_solutions_pass_and_nothing_else_does(kind: str) -> None:
    """Of some problems of each file: with the solution the tests pass, and with a bare `pass` they do not."""
    folder = Path(os.environ.get("CODEASSISTD_HUMANEVAL_DIR", ""))
    found = sorted(folder.glob(f"HumanEval-{kind}*.jsonl*")) if folder.name else []
    if not found:
        pytest.skip(
            f"THE {kind} FILE OF THE HUMANEVAL INFILLING BENCHMARK IS NOT READ: "
            f"CODEASSISTD_HUMANEVAL_DIR is {str(folder) if folder.name else 'not set'}"
        )
    sandbox = Sandbox()
    for problem in choose(read_problems(found[0]), 6, 3):
        is_line_put_in = problem.after != problem.suffix
        solution = problem.solution.removesuffix("\n") if is_line_put_in else problem.solution
        good = sandbox.run(problem.program(solution))

        assert Verdict.PASSED is good.verdict, (problem.name, good)
        assert Verdict.PASSED is not sandbox.run(problem.program("\n    pass\n    raise Exception\n")).verdict
