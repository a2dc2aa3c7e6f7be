"""A completion service on a scripted engine and a clock moved by hand, and requests drawn as marked texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.catalogue.profile import FimOrder, Profile
from codeassistd.completion.service import CompletionService
from codeassistd.completion.types import CompletionRequest, CompletionResult, Trigger
from codeassistd.config import CompletionSettings, ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.documents.document import Document
from codeassistd.index.types import NoIndex
from codeassistd.metrics.spans import SpanLog
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.marked_text import marked
from codeassistd.text import Text
from tests.support.prompts import profile
from tests.support.scripted_engine import ScriptedEngine

__all__ = ["Bench", "cursor"]


def cursor(
    source: str = "x = |",
    *,
    path: str = "/home/ada/shop/cart.py",
    language: str = "python",
    client: str = "s1",
    mark: str = "|",
    trigger: Trigger = Trigger.AUTOMATIC,
    in_sync: bool = True,
    **settings: object,
) -> CompletionRequest:
    """A request at the mark; `settings` are those of completion."""
    text, offset = marked(source, mark)
    return CompletionRequest(
        client=client,
        document=Document(f"file://{path}", Path(path), language, 1, Text.of(text)),
        offset=offset,
        root=Path("/home/ada/shop"),
        trigger=trigger,
        settings=CompletionSettings.model_validate(settings),
        context=ContextSettings(),
        in_sync=in_sync,
    )


@dataclass
class Bench:
    """The service and what it stands on."""

    engine: ScriptedEngine = field(default_factory=ScriptedEngine)
    clock: FakeClock = field(default_factory=FakeClock)
    spans: SpanLog = field(default_factory=SpanLog)
    profile: Profile = field(default_factory=lambda: profile(FimOrder.PSM))

    def __post_init__(self) -> None:
        self.service = CompletionService(
            self.engine,  # type: ignore[arg-type]
            ContextBuilder(NoIndex()),
            self.spans,
            lambda _: self.profile,
            self.clock,
        )

    async def complete(self, request: CompletionRequest, answer: str | None = None) -> CompletionResult:
        """The result, where the engine answers `answer` at once."""
        if answer is not None:
            self.engine.answers.append(answer)
        return await self.service.complete(request)
