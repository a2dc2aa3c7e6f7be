"""An answer while it is written: what may be shown of it, and where it has to end."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["Reply"]


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
    _is_over: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the stop text has come."""
        return self._is_over

    def take(self, token: int, text: str) -> str:
        """Take a token; what can be shown now. What comes behind the stop text is left out."""
        if self._is_over:
            return ""
        self.ids.append(token)
        self._held += text
        found = self._held.find(self.stop_text) if self.stop_text else -1
        if found >= 0:
            self._is_over = True
            new, self._held = self._held[:found], ""
        else:
            n_kept = self._n_held()
            new, self._held = self._held[: len(self._held) - n_kept], self._held[len(self._held) - n_kept :]
        self.text += new
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
