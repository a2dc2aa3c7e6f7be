"""Whatever the user does, and however slowly the engine writes: each item is what a fresh service could have shown."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.catalogue.profile import FimOrder
from codeassistd.completion.types import CompletionRequest, CompletionResult
from codeassistd.metrics.spans import Outcome, Source
from tests.support.completing import Bench, cursor
from tests.support.letter_model import LetterEngine
from tests.support.prompts import profile

_CLOSERS = {"(": ")"}

ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("type"), st.sampled_from("ab (),.\n")),
        st.tuples(st.just("along"), st.integers(1, 4)),
        st.tuples(st.just("backspace"), st.integers(1, 3)),
        st.tuples(st.just("accept"), st.just(0)),
        st.tuples(st.just("write"), st.integers(1, 8)),
        st.tuples(st.just("rest"), st.just(0)),
        st.tuples(st.just("edit above"), st.just(0)),
        st.tuples(st.just("cancel"), st.just(0)),
    ),
    max_size=25,
)


def bench() -> Bench:
    return Bench(engine=LetterEngine(), profile=profile(FimOrder.PREFIX))


@dataclass
class Editor:
    """A user at an editor that shows the newest item and nothing else."""

    bench: Bench = field(default_factory=bench)
    before: str = "q = 1\nab"
    after: str = "\nc = 2\n"
    version: int = 1
    shown: str = ""
    shown_id: str = ""
    asked: list[tuple[CompletionRequest, asyncio.Task[CompletionResult]]] = field(default_factory=list)

    @property
    def engine(self) -> LetterEngine:
        assert isinstance(self.bench.engine, LetterEngine)
        return self.bench.engine

    def act(self, action: str, value: str | int) -> None:
        """One action, and the request that an editor makes after it."""
        match action, value:
            case "type", str(letter):
                self._put(letter + self._indentation() if letter == "\n" else letter)
                if letter in _CLOSERS:
                    self.after = _CLOSERS[letter] + self.after
            case "along", int(n_letters) if self.shown:
                self._put(self.shown[:n_letters])
            case "backspace", int(n_letters):
                self.before = self.before[: max(6, len(self.before) - n_letters)]
            case "accept", _ if self.shown:
                self.bench.service.accepted(self.shown_id)
                self._put(self.shown)
            case "edit above", _:
                self.before = self.before.replace("q = ", "q = 1", 1)
            case "write", int(n_letters):
                self.engine.write_all(n_letters)
                return
            case "cancel", _ if self.asked:
                self.asked[-1][1].cancel()
                return
            case _:
                return
        self._ask()

    def look(self) -> None:
        """Show what the newest request has got, once it is there."""
        if self.asked and (task := self.asked[-1][1]).done() and not task.cancelled():
            suggestion = task.result().suggestion
            self.shown, self.shown_id = (suggestion.text, suggestion.id) if suggestion else ("", "")

    def _put(self, text: str) -> None:
        self.before += text

    def _indentation(self) -> str:
        line = self.before.rpartition("\n")[2]
        return line[: len(line) - len(line.lstrip(" "))]

    def _ask(self) -> None:
        self.version += 1
        self.shown, self.shown_id = "", ""
        request = cursor(f"{self.before}|{self.after}")
        request = replace(request, document=replace(request.document, version=self.version))
        self.bench.service.document_changed("s1", request.document)
        self.asked.append((request, asyncio.create_task(self.bench.service.complete(request))))


async def _session(actions: list[tuple[str, str | int]]) -> Editor:
    editor = Editor()
    for action, value in actions:
        editor.act(action, value)
        await editor.bench.clock.advance(0.4 if action == "rest" else 0.01)
        editor.look()
    for _ in range(40):
        editor.engine.write_all(8)
        await editor.bench.clock.advance(0.05)
    await asyncio.gather(*(task for _, task in editor.asked), return_exceptions=True)
    return editor


async def _fresh(request: CompletionRequest) -> str | None:
    new = bench()
    assert isinstance(new.engine, LetterEngine)
    new.engine.is_prompt = True
    suggestion = (await new.service.complete(request)).suggestion
    new.service.client_gone("s1")
    await new.clock.advance(0.0)
    return suggestion.text if suggestion is not None else None


def _run(actions: list[tuple[str, str | int]]) -> None:
    async def main() -> None:
        editor = await _session(actions)
        sources = set()
        for request, task in editor.asked:
            assert task.done()
            result = None if task.cancelled() else task.result()
            if result is None or result.suggestion is None:
                continue
            fresh = await _fresh(request)
            sources.add(result.span.source)
            # A text that goes round in a circle is seen to do so sooner by who has seen more of it.
            assert fresh is not None
            assert fresh.startswith(result.suggestion.text), (result.span.source, request.offset)
        editor.bench.service.client_gone("s1")
        await editor.bench.clock.advance(0.0)
        assert {asyncio.current_task()} == asyncio.all_tasks()
        assert not editor.bench.service._walks
        assert not editor.bench.service._live._shown
        assert len(editor.bench.spans.recent()) == min(200, len(editor.asked))
        assert Source.NONE not in sources

    asyncio.run(main())


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(ACTIONS)
def test_no_item_is_stale(actions: list[tuple[str, str | int]]) -> None:
    """Typing, typing along, taking back, accepting, edits elsewhere, cancels, and an engine that is ever too slow."""
    _run(actions)


def test_the_last_request_of_a_burst_gets_what_a_fresh_one_would() -> None:
    """And not nothing: so much of the above is not an empty promise."""

    async def main() -> None:
        actions: list[tuple[str, str | int]] = [("type", letter) for letter in "ab a"]
        editor = await _session(actions)
        request, task = editor.asked[-1]
        assert Outcome.SHOWN == task.result().span.outcome
        assert await _fresh(request) == editor.asked[-1][1].result().suggestion.text  # type: ignore[union-attr]
        assert [Outcome.SUPERSEDED] * 3 == [task.result().span.outcome for _, task in editor.asked[:-1]]

    asyncio.run(main())
