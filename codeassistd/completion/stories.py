"""The texts behind the newest spans: what the model was shown, what it wrote, and what each filter made of it.

They are source text, so they stay in memory, as few as spans, and go with the editor and the workspace that they came
from. Nobody gets them who does not ask for them by name (`explain show --text`).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from codeassistd.completion.postprocess import FitStep
from codeassistd.completion.types import CompletionRequest
from codeassistd.context.types import PromptPart

__all__ = ["Stories", "Story"]

_CAPACITY = 200


@dataclass(frozen=True, slots=True)
class Story:
    """The texts of one request.

    Attributes:
        client: the editor they came from.
        root: the workspace they came from; None outside any.
        parts: of the prompt, in order; empty where the answer was at hand.
        raw: what the model wrote, or what was left of it at this cursor.
        steps: what each filter that acted was given and gave.
    """

    client: str
    root: Path | None = None
    parts: tuple[PromptPart, ...] = ()
    raw: str = ""
    steps: tuple[FitStep, ...] = ()


class Stories:
    """The newest ones, by the ids of their spans; used on the loop's thread."""

    def __init__(self, capacity: int = _CAPACITY) -> None:
        self._capacity = capacity
        self._stories: OrderedDict[str, Story] = OrderedDict()

    def asked(self, span_id: str, request: CompletionRequest, parts: tuple[PromptPart, ...]) -> None:
        """A request got this prompt."""
        self._keep(span_id, Story(request.client, request.root, parts))

    def fitted(self, span_id: str, request: CompletionRequest, raw: str, steps: tuple[FitStep, ...]) -> None:
        """What was written for a request was made to fit."""
        known = self._stories.get(span_id, Story(request.client, request.root))
        self._keep(span_id, replace(known, raw=raw, steps=steps))

    def find(self, span_id: str) -> Story | None:
        """The texts of a request, while they are kept."""
        return self._stories.get(span_id)

    def drop_client(self, client: str) -> None:
        """An editor is gone, and its texts with it."""
        self._drop(lambda story: story.client == client)

    def drop_workspace(self, root: Path) -> None:
        """Nobody has that workspace open any more."""
        self._drop(lambda story: story.root == root)

    def _drop(self, is_gone: Callable[[Story], bool]) -> None:
        for span_id in [span_id for span_id, story in self._stories.items() if is_gone(story)]:
            del self._stories[span_id]

    def _keep(self, span_id: str, story: Story) -> None:
        self._stories[span_id] = story
        self._stories.move_to_end(span_id)
        while len(self._stories) > self._capacity:
            self._stories.popitem(last=False)
