"""What is put in front of a question: what was named first, what is found last, never a secret, never over budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from codeassistd.chat.material import gather
from codeassistd.chat.mentions import Mentions, mentions_in
from codeassistd.chat.request import RawOutput
from codeassistd.chat.turn import Part, PartKind
from codeassistd.documents.recent_edits import Edit
from codeassistd.index.types import Definition, FoundChunk, NoIndex
from codeassistd.syntax.facts import FileFacts, OutlineEntry
from codeassistd.text import Span
from tests.support.chatting import asked, desk, document


@dataclass
class Index(NoIndex):
    """An index with these chunks and definitions."""

    chunks: list[FoundChunk] = field(default_factory=list)
    defined: list[Definition] = field(default_factory=list)

    def search(self, root: Path, words: Sequence[str], asking: Path | None, limit: int) -> list[FoundChunk]:
        del root, asking
        return [chunk for chunk in self.chunks if any(word in chunk.text for word in " ".join(words).split())][:limit]

    def definitions(
        self, root: Path, names: Sequence[str], asking: Path | None, imports: object = ()
    ) -> list[Definition]:
        del root, asking, imports
        return [one for one in self.defined if one.name in names]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A workspace with an open file, one beside it, a secret and an ignored one."""
    (tmp_path / "cart.py").write_text("def total(items):\n    return sum(items)\n", encoding="utf-8")
    (tmp_path / "mail.py").write_text("def send(to):\n    ...\n", encoding="utf-8")
    (tmp_path / "build.py").write_text("made = 1\n", encoding="utf-8")
    (tmp_path / ".env").write_text("KEY=geheim\n", encoding="utf-8")
    return tmp_path


def count(text: str) -> int:
    return len(text.split())


def chunk(root: Path, name: str, number: int = 1) -> FoundChunk:
    text = f"def {name}_{number}():\n    return total\n"
    return FoundChunk(root / f"{name}.py", f"{name}.py", "python", f"{name}_{number}", number, number + 2, text)


def labels(parts: Sequence[Part]) -> list[str]:
    return [part.label for part in parts]


def test_everything_in_its_order(root: Path) -> None:
    """Selection, outputs, files, symbols, edits, outline, and then what was found."""
    cart = document(root / "cart.py", "def total(items):\n    return sum(items)  # unsaved\n")
    request = asked(
        "Does total in #mail.py use @send?",
        root,
        document=cart,
        selection=Span(22, 30),
        facts=FileFacts("python", outline=(OutlineEntry("def total(items):", 0, Span(0, 10)),)),
        documents=(cart,),
        outputs=(RawOutput("make", "fine\n", 0),),
        edits=(Edit((root / "cart.py").as_uri(), root / "cart.py", 1, ("old",), ("new",)),),
    )
    sending = Definition("send", "send", "function", "def send(to)", "", root / "mail.py", "mail.py", 0)
    found = gather(request, desk(root, (cart,), lookup=Index([chunk(root, "tax")], [sending])), 1000, count)
    assert [] == found.warnings
    assert [
        "selected in cart.py, lines 2-2",
        "output of `make` (exit code 0)",
        "mail.py",
        "send (mail.py:1)",
        "changed lately in cart.py",
        "outline of cart.py, the open file",
        "tax.py, lines 2-3",
    ] == labels(found.parts)
    assert "    return sum(items)  # unsaved" == found.parts[0].text
    assert "-old\n+new\n" == found.parts[4].text


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("#.env", ".env is not shown: by its name it may hold secrets"),
        ("#build.py", "build.py is not shown: an ignore rule leaves it out"),
        ("#nothing.py", "there is no file nothing.py in the workspace; #nothing.py names none"),
        ("#~nobody-here/a.py", "there is no file ~nobody-here/a.py in the workspace; #~nobody-here/a.py names none"),
        (f"#{'x' * 300}.py", f"there is no file {'x' * 300}.py in the workspace; #{'x' * 300}.py names none"),
    ],
)
def test_what_must_not_or_cannot_be_shown_is_told_in_one_line(root: Path, text: str, warning: str) -> None:
    """And nothing of it is."""
    found = gather(asked(f"Look at {text}", root), desk(root, ignored=["build.py"]), 1000, count)
    assert ([], [warning]) == (found.parts, found.warnings)


def test_a_link_to_a_secret_is_one(root: Path) -> None:
    """Whatever it is called; and edits in one are not shown either."""
    (root / "notes.txt").symlink_to(root / ".env")
    edit = Edit((root / ".env").as_uri(), root / ".env", 0, ("KEY=alt",), ("KEY=geheim",))
    found = gather(asked("Look at #notes.txt", root, edits=(edit,)), desk(root), 1000, count)
    assert ([], ["notes.txt is not shown: by its name it may hold secrets"]) == (found.parts, found.warnings)


def test_what_was_shown_may_have_become_a_link_to_a_secret(root: Path) -> None:
    """Then it is not read again."""
    assert "made = 1\n" == desk(root).text(root / "build.py")
    (root / "build.py").unlink()
    (root / "build.py").symlink_to(root / ".env")
    assert None is desk(root).text(root / "build.py")


def test_the_open_file_may_be_a_secret_too(root: Path) -> None:
    """Its selection and its outline are not shown."""
    env = document(root / ".env", "KEY=geheim\n")
    facts = FileFacts("plaintext", outline=(OutlineEntry("KEY", 0, Span(0, 3)),))
    request = asked("Why?", root, document=env, documents=(env,), selection=Span(0, 5), facts=facts)
    found = gather(request, desk(root, (env,)), 1000, count)
    assert [] == found.parts
    assert {".env is not shown: by its name it may hold secrets"} == set(found.warnings)


def test_nothing_goes_over_the_budget(root: Path) -> None:
    """A long file is cut at a line's end and says so; pieces of others are whole or not there."""
    (root / "long.py").write_text("\n".join(f"name_{n} = {n}" for n in range(500)), encoding="utf-8")
    request = asked("Look at #long.py for total", root)
    found = gather(request, desk(root, lookup=Index([chunk(root, "tax")])), 100, count)
    [part] = found.parts
    assert part.text.splitlines()[-1].startswith("[... cut here: ")
    assert part.text.splitlines()[-1].endswith(" of 500 lines shown ...]")
    assert count(part.written()) <= 100


def test_at_most_eight_pieces_and_two_of_a_file(root: Path) -> None:
    """So that one file does not take all the room."""
    chunks = [chunk(root, name, number) for name in "abcdefg" for number in range(3)]
    found = gather(asked("where is total", root), desk(root, lookup=Index(chunks)), 10_000, count)
    assert 8 == len(found.parts)
    assert max(labels(found.parts).count(label) for label in labels(found.parts)) == 1
    assert 2 == sum(part.path == root / "a.py" for part in found.parts)


def test_an_output_that_was_cut_is_kept_in_full(root: Path) -> None:
    """A short one need not be."""
    long = RawOutput("make", "\n".join(f"step {chr(97 + n % 26) * (n % 9)}" for n in range(400)), 2)
    found = gather(asked("Why?", root, outputs=(long, RawOutput("true", "", 0))), desk(root), 10_000, count)
    assert [long] == found.outputs
    assert [PartKind.OUTPUT, PartKind.OUTPUT] == [part.kind for part in found.parts]


@pytest.mark.parametrize("output", ["x" * 1000, "\n".join(f"{n} of it" for n in range(20))])
def test_an_output_that_lost_anything_is_kept_in_full(root: Path, output: str) -> None:
    """The end of a long line, or what the budget has no room for."""
    given = RawOutput("make", output, 0)
    assert [given] == gather(asked("Why?", root, outputs=(given,)), desk(root), 40, count).outputs


@pytest.mark.parametrize(
    ("text", "files", "symbols"),
    [
        ("see #src/a.py and #b.py.", ("src/a.py", "b.py"), ()),
        ("issue #12, # Title, C#, #include", (), ()),
        ("what is @Cart.total and @std::move?", (), ("Cart.total", "std.move")),
        ("mail me@example.com", (), ()),
        ("```\n@decorator\n#a.py\n```\n`@x` but @y", (), ("y",)),
    ],
)
def test_mentions(text: str, files: tuple[str, ...], symbols: tuple[str, ...]) -> None:
    """Files have a dot or a slash; code is left alone."""
    assert Mentions(files, symbols) == mentions_in(text)
