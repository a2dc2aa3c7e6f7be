"""One scenario: a small project, a cursor, what the user did there, and what they want to see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

__all__ = ["Act", "ActKind", "Change", "Place", "Scenario"]


class ActKind(StrEnum):
    """What a user does before the request that counts."""

    TYPE = "type"
    """Letter by letter, at the cursor."""
    PASTE = "paste"
    """In one change."""
    DELETE = "delete"
    """So many letters before the cursor, in one change."""
    UNDO = "undo"
    """The last change of the text is taken back."""
    ASK = "ask"
    """A request, as typing makes one; what comes is shown, and left alone."""
    ACCEPT = "accept"
    """What was shown last is accepted."""
    SNIPPET = "snippet"
    """The editor says that a snippet's places are being filled in."""
    SNOOZE = "snooze"
    """The user wants quiet for so many minutes."""
    LOSE_SYNC = "lose sync"
    """A change of an older version arrives, so that the server cannot know the text any more."""


@dataclass(frozen=True, slots=True)
class Act:
    """One thing done; `text` and `amount` as its kind wants them."""

    kind: ActKind
    text: str = ""
    amount: int = 0


@dataclass(frozen=True, slots=True)
class Change:
    """Letters `start` to `end` of a text are replaced."""

    start: int
    end: int
    text: str

    def applied(self, text: str) -> str:
        """The text after it."""
        return text[: self.start] + self.text + text[self.end :]

    def undone(self, text: str) -> Change:
        """What takes it back; `text` is the one before it."""
        return Change(self.start, self.start + len(self.text), text[self.start : self.end])


@dataclass(frozen=True, slots=True)
class Place:
    """A text and the cursor in it, counted in letters."""

    text: str
    cursor: int

    @property
    def before(self) -> str:
        """What stands before the cursor."""
        return self.text[: self.cursor]

    @property
    def after(self) -> str:
        """What stands behind it."""
        return self.text[self.cursor :]

    def changes(self, act: Act) -> tuple[Change, ...]:
        """The changes of the text that an act is made of, each counted in the text after those before it."""
        if act.kind is ActKind.TYPE:
            return tuple(Change(self.cursor + n, self.cursor + n, letter) for n, letter in enumerate(act.text))
        if act.kind is ActKind.PASTE:
            return (Change(self.cursor, self.cursor, act.text),)
        return (Change(self.cursor - act.amount, self.cursor, ""),) if act.kind is ActKind.DELETE else ()

    def changed(self, change: Change) -> Place:
        """After a change at the cursor: it stands behind what was put in."""
        return Place(change.applied(self.text), change.start + len(change.text))


@dataclass(frozen=True, slots=True)
class Scenario:
    """What is done, and what is wanted.

    Attributes:
        group: the file that it stands in.
        why: what the user thinks, in a line.
        language: LSP id of the document.
        file: its path in the workspace.
        opened: the document as it is opened.
        cells: code cells of a notebook that stand before the document, which is one then.
        files: what else lies in the workspace, by path.
        unsaved: documents that are open beside it, by path, with texts that the disk does not have.
        acts: what the user does, in order; the request that counts comes behind them.
        is_invoked: whether that request is made by hand.
        menu: what is selected in the editor's own menu, which is open; empty while none is.
        settings: those of the section `completion` that the editor sends.
        show: whole lines of the document after accepting, from the cursor's on; empty where nothing is wanted.
        silent: words of the reason for which nothing comes; any of them will do. Empty where something is wanted.
        raw: the model's text written by hand, to play what no recording has at will; None where it is recorded.
        logprob, margin: how sure of each of its tokens the model was.
    """

    group: str
    name: str
    why: str
    language: str
    file: str
    opened: Place
    cells: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    unsaved: Mapping[str, str] = field(default_factory=dict)
    acts: tuple[Act, ...] = ()
    is_invoked: bool = False
    menu: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    show: str = ""
    silent: tuple[str, ...] = ()
    raw: str | None = None
    logprob: float = -0.05
    margin: float = 5.0

    @property
    def title(self) -> str:
        """Its name among all."""
        return f"{self.group}: {self.name}"

    @property
    def wants_text(self) -> bool:
        """Whether something is to be shown."""
        return not self.silent

    @property
    def is_notebook(self) -> bool:
        """Whether the document is a cell."""
        return self.file.endswith(".ipynb")

    def first_asked(self) -> Place:
        """Where the model is asked first: what it says there is the raw text."""
        place, before = self.opened, self.opened
        for act in self.acts:
            if act.kind is ActKind.ASK:
                break
            if act.kind is ActKind.UNDO:
                place = before
            changes = place.changes(act)
            if changes:
                before = place
            for change in changes:
                place = place.changed(change)
        return place

    def first_request(self) -> Scenario:
        """The scenario up to there: what a model is to be asked for when its words are recorded."""
        return replace(self, opened=self.first_asked(), acts=())
