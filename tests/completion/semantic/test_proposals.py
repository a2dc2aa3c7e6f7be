"""A similar scene's answer is proposed to the model, which keeps of it what it would have written itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.completion.moment import Ignored, Moment
from codeassistd.completion.types import CompletionRequest
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.completing import cursor
from tests.support.proposing import proposing

#: Code that stands round the cursor in both scenes.
AROUND = "def area(width, height):\n    return width * height\n\n\ndef price(items):\n    "
BELOW = "\n\n\nprint(price([]))\n"


def scene(head: str = "total = ", *, below: str = BELOW, extra: str = "", **about: str) -> CompletionRequest:
    """A cursor behind `head`; `extra` stands further up and makes it another question."""
    return cursor(f"{extra}{AROUND}{head}|{below}", **about)  # type: ignore[arg-type]


def writes(answer: str = "sum(items)\n", *others: Rule) -> FakeBackend:
    """A model that answers `answer`, unless one of the `others` fits."""
    return FakeBackend(FakeScript((*others, Rule.after("= ", answer)), default="0\n"))


async def test_a_confirmed_answer_comes_in_one_step(tmp_path: Path) -> None:
    """Something changed further up: the whole of it is proposed, read in one step and shown."""
    backend = writes()
    async with proposing(backend, tmp_path / "s") as bench:
        assert ("sum(items)", 0, 0) == await bench.story(scene())
        n_before = len(backend.batches)
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import os\n"))
        assert len(backend.batches) - n_before <= 3
        status = bench.semantic.status()
        assert (1, 1, 11, 1.0) == tuple(
            status[name] for name in ("n_proposed", "n_confirmed", "n_tokens", "confirmed_share")
        )


async def test_what_the_model_would_not_write_is_cut(tmp_path: Path) -> None:
    """It goes on in its own way from the first token on that is another one."""
    backend = writes("sum(items)\n", Rule(r"import os.*= ", "sum(costs)\n"))
    async with proposing(backend, tmp_path / "s") as bench:
        assert ("sum(items)", 0, 0) == await bench.story(scene())
        assert ("sum(costs)", 11, 4) == await bench.story(scene(extra="import os\n"))
        assert 0 == bench.semantic.status()["n_confirmed"]


ELSEWHERE = {
    "cursor line": lambda: scene("count = ", extra="import os\n"),
    "cursor line's end": lambda: scene(below=" # all" + BELOW, extra="import os\n"),
    "following line": lambda: scene(below="\n    return total\n", extra="import os\n"),
    "indentation": lambda: scene("    total = ", extra="import os\n"),
    "language": lambda: scene(extra="import os\n", language="ruby"),
    "workspace": lambda: replace(scene(extra="import os\n"), root=Path("/home/ada")),
    "no workspace": lambda: replace(scene(extra="import os\n"), root=None),
    "a file that git ignores": lambda: replace(scene(extra="import os\n"), moment=Moment(ignored=Ignored.YES)),
    "a file of which that is unknown": lambda: replace(
        scene(extra="import os\n"), moment=Moment(ignored=Ignored.UNKNOWN)
    ),
    "other surroundings": lambda: cursor("SELECT 1;\n" * 30 + "    total = |" + BELOW),
    "switched off": lambda: replace(
        scene(extra="import os\n"), settings=scene().settings.model_copy(update={"semantic_cache_mb": 0})
    ),
}


@pytest.mark.parametrize("elsewhere", ELSEWHERE.values(), ids=ELSEWHERE)
async def test_nothing_is_proposed_where_something_differs(
    tmp_path: Path, elsewhere: Callable[[], CompletionRequest]
) -> None:
    """The cursor's line, the one after it, language, workspace; and far away where nothing may be kept."""
    async with proposing(writes(), tmp_path / "s") as bench:
        await bench.complete(scene())
        request = elsewhere()
        settings = request.settings.model_copy(update={"ignored_files": True})
        _, n_proposed, _ = await bench.story(replace(request, settings=settings))
        assert 0 == n_proposed


async def test_another_model_gets_no_proposal(tmp_path: Path) -> None:
    """Its tokens may mean something else."""
    async with proposing(writes(), tmp_path / "s") as bench:
        await bench.complete(scene())
    other = writes()
    other.model_id = "another"
    async with proposing(other, tmp_path / "s") as bench:
        assert ("sum(items)", 0, 0) == await bench.story(scene(extra="import os\n"))


async def test_what_is_on_disk_serves_the_next_daemon(tmp_path: Path) -> None:
    """The second level."""
    async with proposing(writes(), tmp_path / "s") as bench:
        await bench.complete(scene())
    async with proposing(writes(), tmp_path / "s") as bench:
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import os\n"))


async def test_notation_does_not_matter(tmp_path: Path) -> None:
    """Blanks at line ends, line endings, tabs for blanks, empty lines between."""
    async with proposing(writes(), tmp_path / "s") as bench:
        await bench.complete(scene())
        text = (AROUND + "total = |" + BELOW).replace("    ", "\t").replace(":\n", ":  \n").replace("\n", "\r\n")
        assert ("sum(items)", 11, 11) == await bench.story(cursor(text))


async def test_the_nearest_of_several_answers_is_proposed(tmp_path: Path) -> None:
    """The same line in two functions of a workspace: each gets its own answer, in another file too."""
    rules = (Rule(r"def price.*= ", "sum(items)\n"), Rule(r"def weight.*= ", "max(boxes)\n"))
    heavy = "class Box:\n    kilos = 3\n\n\ndef weight(boxes):\n    "
    async with proposing(writes("0\n", *rules), tmp_path / "s") as bench:
        await bench.complete(scene())
        await bench.complete(cursor(f"{heavy}total = |{BELOW}", path="/home/ada/shop/box.py"))
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import os\n"))
        other = cursor(f"import os\n{heavy}total = |{BELOW}", path="/home/ada/shop/crate.py")
        assert ("max(boxes)", 11, 11) == await bench.story(other)


async def test_closing_a_workspace_drops_what_memory_holds(tmp_path: Path) -> None:
    """Without a disk nothing of it is left."""
    (tmp_path / "s").write_text("in the way of the folder")
    async with proposing(writes(), tmp_path / "s") as bench:
        await bench.complete(scene())
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import os\n"))
        assert "memory" == bench.semantic.status()["effective"]
        bench.semantic.drop_workspace(Path("/home/ada/shop"))
        bench.semantic.flush()
        assert ("sum(items)", 0, 0) == await bench.story(scene(extra="import re\n"))


async def test_clear_forgets_both_levels(tmp_path: Path) -> None:
    """The files are gone, and new answers are kept again."""
    async with proposing(writes(), tmp_path / "s") as bench:
        await bench.complete(scene())
        bench.semantic.clear().result()
        assert [] == list((tmp_path / "s").iterdir())
        assert ("sum(items)", 0, 0) == await bench.story(scene(extra="import os\n"))
        assert ("sum(items)", 11, 11) == await bench.story(scene(extra="import re\n"))


async def test_off_keeps_nothing(tmp_path: Path) -> None:
    """No folder is made, and nothing is proposed."""
    async with proposing(writes(), tmp_path / "s", max_mb=0) as bench:
        await bench.complete(scene())
        assert ("sum(items)", 0, 0) == await bench.story(scene(extra="import os\n"))
        assert "off" == bench.semantic.status()["effective"]
        assert (0, 0) == bench.semantic.clear().result()
    assert not (tmp_path / "s").exists()
