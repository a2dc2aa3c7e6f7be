"""Case 70: one project's text in another (the semantic cache's half)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.completion.types import CompletionRequest
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.completing import cursor
from tests.support.indexing import git, repository, write
from tests.support.proposing import proposing

CODE = "def area(width, height):\n    return width * height\n\n\ntotal = |\n\n\nprint(total)\n"


def request(root: Path, path: Path, extra: str = "") -> CompletionRequest:
    """The same place in a file of some workspace."""
    return replace(cursor(extra + CODE, path=str(path)), root=root)


@pytest.mark.slow
async def test_no_answer_of_one_workspace_is_proposed_in_another(tmp_path: Path) -> None:
    """Two folders side by side, and a second work tree of git inside the first that is open as a part of it."""
    a, tree, b = tmp_path / "a", tmp_path / "a" / "trees" / "second", tmp_path / "b"
    write(repository(a), {"shop/cart.py": "total = 1\n"})
    git(a, "add", ".")
    git(a, "commit", "-qm", "first")
    git(a, "worktree", "add", "-q", str(tree), "-b", "second")
    b.mkdir()
    rules = (Rule("import of_a", "canary(1)\n"), Rule("import of_tree", "leaf(22)\n"))
    backend = FakeBackend(FakeScript(rules, default="plain(333)\n"))
    async with proposing(backend, tmp_path / "semantic") as bench:
        assert ("canary(1)", 0, 0) == await bench.story(request(a, a / "shop" / "cart.py", "import of_a\n"))
        assert ("leaf(22)", 0, 0) == await bench.story(request(a, tree / "shop" / "cart.py", "import of_tree\n"))
        assert ("plain(333)", 0, 0) == await bench.story(request(b, b / "cart.py"))
        for number in range(50):
            # A proposal of another workspace's answer would be a wrong one.
            again = await bench.story(request(b, b / f"cart{number}.py", f"import m{number}\n"))
            assert ("plain(333)", 11, 11) == again
        assert ("canary(1)", 10, 10) == await bench.story(request(a, a / "shop" / "box.py", "import of_a, x\n"))
        # Open as a workspace of its own, it is the same work tree.
        for root in (a, tree):
            last = await bench.story(request(root, tree / "shop" / "box.py", f"import of_tree, {root.name}\n"))
            assert ("leaf(22)", 9, 9) == last
