"""An answer while it is written: what may be shown of it, and where it has to end."""

from __future__ import annotations

from dataclasses import dataclass, field

from codeassistd.chat.looping import loop_start

__all__ = ["Reply"]

#: Letters between two looks for a loop.
_LOOK_EVERY = 64


@dataclass(slots=True)
class Reply:
    """Takes the engine's tokens in order.

    Attributes:
        stop_text: what ends the answer where no token does; not part of it.
        text: what was said so far, without what may turn out to be the beginning of `stop_text`.
        ids: the tokens of the answer as the model wrote them; those of a stop text are among them.
    """

    stop_text: str = ""
    text: str = ""
    ids: list[int] = field(default_factory=list)
    _held: str = ""
    _looked_at: int = 0
    _is_over: bool = False

    @property
    def is_over(self) -> bool:
        """Whether nothing more belongs to it, though the model would go on."""
        return self._is_over

    def take(self, token: int, text: str) -> str:
        """Take a token; what can be shown now. What comes behind the end is left out."""
        if self._is_over:
            return ""
        self.ids.append(token)
        self._held += text
        found = self._held.find(self.stop_text) if self.stop_text else -1
        if found >= 0:
            self._is_over = True
            new, self._held = self._held[:found], ""
        else:
            n_free = len(self._held) - self._n_held()
            new, self._held = self._held[:n_free], self._held[n_free:]
        self.text += new
        self._look_for_a_loop()
        return new

    def finish(self) -> str:
        """Nothing more comes; what was held back is shown after all."""
        new, self._held = self._held, ""
        self.text += new
        return new

    def _n_held(self) -> int:
        """How many letters at the end are the beginning of the stop text."""
        longest = min(len(self.stop_text) - 1, len(self._held))
        return next((n for n in range(longest, 0, -1) if self._held.endswith(self.stop_text[:n])), 0)

    def _look_for_a_loop(self) -> None:
        """What goes round in circles is kept once; the user has seen the rest, but the next prompt need not."""
        if len(self.text) - self._looked_at < _LOOK_EVERY:
            return
        self._looked_at = len(self.text)
        start = loop_start(self.text)
        if start is not None:
            self._is_over = True
            self.text = self.text[:start]
