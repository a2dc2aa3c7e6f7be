"""The chat view of a window of VS Code, as its user sees it."""

from __future__ import annotations

from tests.support.vscode import Window

__all__ = ["ChatPage"]


class ChatPage:
    """The page within the view."""

    def __init__(self, window: Window) -> None:
        """Open the view by its command."""
        self._window = window
        window.command("codeassistd: Open Chat")
        # A page of an extension stands in two frames, one within the other.
        self.frame = window.page.frame_locator("iframe.webview.ready").frame_locator("#active-frame")
        self._until_focused()

    def ask(self, question: str) -> None:
        """Type a question where the cursor is, press Enter, and wait until it stands on the page."""
        self._until_focused()
        n_turns = self.frame.locator(".turn").count()
        self._window.page.keyboard.type(question)
        self._window.page.keyboard.press("Enter")
        # What is looked for behind it could else be found below the question before.
        self.until(lambda: self.frame.locator(".turn").count() == n_turns + 1, f"the question {question!r}")

    def about(self) -> str:
        """What goes along with the next question."""
        return str(self.frame.locator("#about").inner_text())

    def answers(self) -> list[str]:
        """The answers that are shown, the oldest first."""
        return list(self.frame.locator(".answer").all_inner_texts())

    def answer(self) -> str:
        """The newest answer, as far as it is written."""
        return (self.answers() or [""])[-1]

    def notes(self) -> list[str]:
        """What stands below the last answer, a line each."""
        return list(self.frame.locator(".turn").last.locator(".note").all_inner_texts())

    def until_noted(self, wanted: str) -> None:
        """Wait until a line below the last answer begins so."""
        self.until(lambda: any(note.startswith(wanted) for note in self.notes()), f"a note {wanted!r}")

    def until(self, look, what: str) -> None:
        """Wait for something on the page."""
        self._window.until(look, what)

    def _until_focused(self) -> None:
        # A cursor that comes later would close a list that was opened meanwhile.
        self.until(lambda: self.frame.locator("#question:focus").count() == 1, "the cursor in the question")
