"""The rooms that see a user's text, with a log of it: in place of the plain ones only where the user asked for that.

So the plain ones hold no switch that could be left on, and nothing to forget in a review. The entries' keys are those
that the log drops by itself without `log.prompts`, as a second lock on the same door.
"""

from __future__ import annotations

import logging

from codeassistd.catalogue.profile import Profile
from codeassistd.completion.growth import ShowPart
from codeassistd.completion.service import CompletionService
from codeassistd.completion.types import CompletionRequest, CompletionResult
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.types import ContextRequest, Prompt
from codeassistd.engine.backend import Vocabulary

__all__ = ["LoggedBuilder", "LoggedService"]

_log = logging.getLogger(__name__)


class LoggedBuilder(ContextBuilder):
    """Writes each prompt to the log."""

    def build(self, request: ContextRequest, vocabulary: Vocabulary, profile: Profile) -> Prompt:
        """As the plain builder."""
        prompt = super().build(request, vocabulary, profile)
        text = "".join(part.text for part in prompt.parts)
        _log.info("prompt", extra={"n_tokens": len(prompt.ids), "prompt": text})
        return prompt


class LoggedService(CompletionService):
    """Writes each suggestion to the log."""

    async def complete(self, request: CompletionRequest, show_part: ShowPart | None = None) -> CompletionResult:
        """As the plain service."""
        result = await super().complete(request, show_part)
        if result.suggestion is not None:
            _log.info("suggestion", extra={"id": result.suggestion.id, "suggestion": result.suggestion.text})
        return result
