"""An engine whose model writes letter by letter, each a function of the text before it, as a greedy model does."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from codeassistd.engine.generation import Generation
from codeassistd.engine.request import GenerateRequest
from tests.support.scripted_engine import Play, ScriptedEngine

__all__ = ["LetterEngine", "continuation"]

_LETTERS = "aab (),.b"
_LINE_LENGTH = 14


def continuation(before: str) -> str:
    """What the model writes behind `before`, to the end of the line."""
    written = ""
    while not written.endswith("\n"):
        line = (before + written).rpartition("\n")[2]
        seed = hashlib.blake2b(line[-3:].encode(), digest_size=1).digest()[0]
        written += "\n" if len(line) >= _LINE_LENGTH else _LETTERS[seed % len(_LETTERS)]
    return written


@dataclass(eq=False)
class LetterEngine(ScriptedEngine):
    """Writes when a test says so.

    Attributes:
        is_prompt: whether whole answers come at once.
        texts: what is still to be written, by play.
    """

    is_prompt: bool = False
    texts: dict[Play, str] = field(default_factory=dict)

    def submit(self, request: GenerateRequest) -> Generation:
        """Note a request, and work out its answer."""
        generation = super().submit(request)
        play = self.plays[-1]
        if request.params.max_tokens:
            self.texts[play] = continuation(play.prompt)[: request.params.max_tokens]
            if self.is_prompt:
                self.write(play, request.params.max_tokens)
        return generation

    def write(self, play: Play, n_letters: int) -> None:
        """Let so many letters come, and the ending once there are none left."""
        text = self.texts.get(play, "")
        if play.n_cancelled or not text:
            return
        play.say(*text[:n_letters])
        self.texts[play] = text[n_letters:]
        if not self.texts[play]:
            play.end()

    def write_all(self, n_letters: int) -> None:
        """Let so many letters come for everything that runs."""
        for play in tuple(self.texts):
            self.write(play, n_letters)
