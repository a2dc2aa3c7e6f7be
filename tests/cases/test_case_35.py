"""Case 35: guessing ahead never changes the text, is counted, and stops where it does not pay."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from codeassistd.config import ModelSettings
from codeassistd.engine.engine import Engine
from codeassistd.engine.options import EngineOptions
from codeassistd.engine.request import DraftCount, GenerateRequest, SamplingParams
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript
from tests.support.chance_backend import ChanceBackend, written
from tests.support.draft_models import DRAFT_MODELS, draft_model
from tests.support.drafters import DRAFTERS, EveryStepPays, drafters
from tests.support.engines import answer_of, request, settled

PROMPTS = [f"def f{number}(x):\n    return" for number in range(50)]


@asynccontextmanager
async def still(backend: FakeBackend) -> AsyncIterator[Engine]:
    """An engine whose clock stands, so that what steps cost is what is believed before anything was measured."""
    engine = Engine(backend.load, FakeClock())
    engine.start()
    settled(engine)
    yield engine
    engine.stop()
    assert [] == backend.violations


def request_of(prompt: str, temperature: float) -> GenerateRequest:
    params = SamplingParams(max_tokens=40, temperature=temperature, seed=len(prompt))
    return GenerateRequest(tuple(ChanceBackend().vocabulary.tokenize(prompt)), params, client=prompt)


@pytest.mark.parametrize("temperature", [0.0, 0.9])
@pytest.mark.parametrize("kind", DRAFTERS)
def test_the_text_is_the_same_with_every_drafter(kind: str, temperature: float) -> None:
    """Fifty prompts over four slots: always right, always wrong, now and then, or looked up, it makes no difference."""
    check_texts(ChanceBackend(n_batch=64), kind, temperature)


@pytest.mark.parametrize("temperature", [0.0, 0.9])
@pytest.mark.parametrize("kind", DRAFT_MODELS)
def test_the_text_is_the_same_with_every_draft_model(kind: str, temperature: float) -> None:
    """The same with a second model that is always right, always wrong or now and then, for four sequences at once."""
    backend = ChanceBackend(n_batch=64)
    backend.draft = draft_model(kind, backend)
    check_texts(backend, "none", temperature)
    assert [] == backend.draft.violations
    assert backend.draft.batches


def check_texts(backend: ChanceBackend, kind: str, temperature: float) -> None:
    """Have all prompts answered at once, and compare with what they must be answered."""
    backend.load(lambda _share: True)
    stepper = Stepper(
        backend,
        FakeClock(),
        Totals(),
        lambda backend, _step, batch: backend.decode(batch),
        drafters(kind, backend),
    )
    stepper.drafting.costs = EveryStepPays()
    sequences = [Sequence(request_of(prompt, temperature), arrival=number) for number, prompt in enumerate(PROMPTS)]
    for sequence in sequences:
        stepper.scheduler.add(sequence)
    while stepper.has_work:
        stepper.step()
    expected = [written(backend, sequence.request).ids for sequence in sequences]
    assert expected == [tuple(sequence.tokens[sequence.n_prompt :]) for sequence in sequences]
    assert [] == backend.violations


async def test_what_was_drafted_and_accepted_is_told() -> None:
    """By drafter, in the ending of the sequence and in the status of the engine; nothing where it was asked not to."""
    async with still(FakeBackend(FakeScript(default="abcabcabcabc"))) as engine:
        answer = await answer_of(engine.submit(request("q")))
        (count,) = answer.ending.drafts
        assert "lookup" == count.drafter
        assert 0 < count.n_accepted <= count.n_drafted
        assert "abcabcabcabc" == answer.text
        assert answer.ending.drafts == engine.status().drafts
        silent = GenerateRequest(request("q").prompt, max_draft=0)
        assert () == (await answer_of(engine.submit(silent))).ending.drafts


async def test_what_stands_near_the_answer_is_looked_up() -> None:
    """A source that comes with the request saves most of the steps where the answer repeats it."""
    backend = FakeBackend(FakeScript(default="return self.total / self.count"))
    source = tuple(backend.vocabulary.answer_ids("    return self.total / self.count\n"))
    async with still(backend) as engine:
        asked = GenerateRequest(request("q").prompt, draft_sources=(source,))
        answer = await answer_of(engine.submit(asked))
        assert "return self.total / self.count" == answer.text
        assert len(backend.batches) < 15


async def test_guesses_that_are_never_right_are_given_up() -> None:
    """After some wrong drafts the steps read one token each again, later too, but for a try now and then."""
    truth = "".join(map(chr, range(40, 120)))
    backend = FakeBackend(FakeScript(default=truth))
    pairs = [truth[start : start + 2] for start in range(len(truth) - 1)]
    misleading = tuple(token for pair in pairs for token in backend.vocabulary.answer_ids(f"{pair}!!!!"))
    async with still(backend) as engine:
        drafted: list[int] = []
        for number in range(12):
            asked = GenerateRequest(request(f"q{number}").prompt, SamplingParams(100), draft_sources=(misleading,))
            answer = await answer_of(engine.submit(asked))
            assert truth == answer.text
            drafted.append(sum(count.n_drafted for count in answer.ending.drafts))
        assert drafted[0] >= 1
        assert max(drafted[1:]) <= 8
        assert 1 <= sum(drafted[1:]) <= 24
        assert DraftCount("lookup", sum(drafted), 0) == engine.status().drafts[0]


async def test_a_memory_that_cannot_be_cut_is_never_drafted_for() -> None:
    """A wrong guess could not be taken out of it."""
    backend = FakeBackend(FakeScript(default="abababababab"), can_cut=False)
    async with still(backend) as engine:
        answer = await answer_of(engine.submit(request("q")))
        assert ("abababababab", ()) == (answer.text, answer.ending.drafts)
        assert 1 == max(map(len, backend.batches))


async def test_the_settings_can_turn_it_off() -> None:
    """`model.max_draft = 0` holds for every request."""
    backend = FakeBackend(FakeScript(default="abababababab"))
    engine = Engine(backend.load, FakeClock(), options=EngineOptions.from_settings(ModelSettings(max_draft=0)))
    engine.start()
    settled(engine)
    answer = await answer_of(engine.submit(request("q")))
    engine.stop()
    assert ("abababababab", ()) == (answer.text, answer.ending.drafts)


async def test_a_cancel_in_the_middle_of_a_draft_leaves_a_clean_cache() -> None:
    """The next answer on the same slot is that of a fresh cache."""
    backend = FakeBackend(FakeScript(default="xyxyxyxyxyxyxyxy"), n_slots=1)
    async with still(backend) as engine:
        first = await _cancelled_after(engine, 5)
        assert "xyxyx" == first[:5]
        again = await answer_of(engine.submit(request("q")))
        assert "xyxyxyxyxyxyxyxy" == again.text


async def _cancelled_after(engine: Engine, n_tokens: int) -> str:
    generation = engine.submit(request("q"))
    texts: list[str] = []
    async for token in generation:
        texts.append(token.text)
        if len(texts) == n_tokens:
            generation.cancel()
    await asyncio.sleep(0)
    return "".join(texts)
