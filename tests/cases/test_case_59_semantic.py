"""Case 59: several openers at once (the semantic cache's half)."""

from __future__ import annotations

import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from codeassistd.completion.semantic.store import SemanticStore

pytestmark = pytest.mark.slow

REPO = Path(__file__).resolve().parent.parent.parent
N_PROCESSES, N_ROUNDS = 10, 20


def test_many_processes_may_open_a_fresh_cache_together(tmp_path: Path) -> None:
    """Ten processes, twenty rounds: nobody sees an error, and everybody's entry is there."""
    with ExitStack() as stack:
        openers = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-m", "tests.support.semantic_openers", f"p{number}"],
                    cwd=REPO,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            for number in range(N_PROCESSES)
        ]
        for number in range(N_ROUNDS):
            path = tmp_path / f"round{number}" / "semantic"
            for opener in openers:
                assert opener.stdin
                opener.stdin.write(f"{path}\n")
                opener.stdin.flush()
            assert ["ok"] * N_PROCESSES == [opener.stdout.readline().strip() for opener in openers if opener.stdout]
            with closing(SemanticStore.open(path, 1 << 20)) as store:
                assert {f"p{n}".encode() for n in range(N_PROCESSES)} == store.keys()
        for opener in openers:
            assert opener.stdin
            opener.stdin.close()
