"""Choices that look back: which parameters need them, and what becomes of a sequence that has them."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from codeassistd.engine.request import FinishReason, GenerateRequest, SamplingParams
from codeassistd.errors import EngineError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, running


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (SamplingParams(), True),
        (SamplingParams(temperature=1.0), True),
        (SamplingParams(top_k=5, top_p=0.5, min_p=0.1), True),  # greedy takes the best whatever is cut off
        (SamplingParams(temperature=1.0, top_k=5), False),
        (SamplingParams(temperature=1.0, top_p=0.5), False),
        (SamplingParams(temperature=1.0, min_p=0.5), False),
        (SamplingParams(repeat_penalty=1.1), False),
        (SamplingParams(frequency_penalty=0.1), False),
        (SamplingParams(presence_penalty=-0.1), False),
        (SamplingParams(grammar="root ::= [a]*"), False),
    ],
)
def test_only_what_numpy_cannot_do_goes_to_the_backend(params: SamplingParams, expected: bool) -> None:  # noqa: FBT001 - a case
    """Greedy and plain draws stay where they are fast."""
    assert expected is params.is_plain


@pytest.mark.parametrize(
    "params",
    [
        SamplingParams(temperature=-1.0),
        SamplingParams(temperature=math.nan),
        SamplingParams(top_k=-1),
        SamplingParams(top_p=0.0),
        SamplingParams(top_p=1.5),
        SamplingParams(min_p=math.nan),
        SamplingParams(repeat_penalty=0.0),
        SamplingParams(repeat_window=-1),
        SamplingParams(frequency_penalty=math.inf),
        SamplingParams(presence_penalty=math.nan),
    ],
)
async def test_parameters_out_of_range_are_refused(params: SamplingParams) -> None:
    """Before they reach the backend; each error names the parameter."""
    async with running(FakeBackend()) as engine:
        with pytest.raises(EngineError, match=r"temperature|top_k|top_p|repeat_penalty|frequency_penalty"):
            engine.submit(replace(request("q"), params=params))


def with_grammar(grammar: str) -> GenerateRequest:
    return replace(request("q"), params=SamplingParams(20, grammar=grammar))


async def test_a_grammar_is_followed_with_drafts_as_without() -> None:
    """Each sequence has a sampler of its own, which sees every token that is written, once, and is given back."""
    backend = FakeBackend(FakeScript(default="ab1ab1ab1ab"))
    async with running(backend) as engine:
        free = await answer_of(engine.submit(with_grammar("root ::= [ab1]*")))
        assert "ab1ab1ab1ab" == free.text
        strict = await answer_of(engine.submit(with_grammar("root ::= [ab]*")))
        assert ("ab", FinishReason.STOP) == (strict.text, strict.reason)
    first, second = backend.samplers
    assert [*free.ids, backend.vocabulary.eos_id] == first.chosen
    assert [*strict.ids, backend.vocabulary.eos_id] == second.chosen
    assert (1, 1) == (first.n_closed, second.n_closed)


async def test_a_grammar_that_cannot_be_read_ends_its_own_sequence_only() -> None:
    """With a cause; the slot is free again, and the others go on."""
    backend = FakeBackend(FakeScript(default="ok"), n_slots=1)
    async with running(backend) as engine:
        refused = await answer_of(engine.submit(with_grammar("nonsense")))
        assert FinishReason.ERROR == refused.reason
        assert refused.ending.error.startswith("the grammar cannot be read")
        assert "ok" == (await answer_of(engine.submit(request("q")))).text


async def test_a_sampler_is_given_back_when_its_sequence_is_cancelled() -> None:
    """Whatever ends a sequence, and before the backend is closed."""
    backend = FakeBackend(FakeScript(default="a" * 4000))
    async with running(backend) as engine:
        generation = engine.submit(
            replace(with_grammar("root ::= [a]*"), params=SamplingParams(3000, grammar="root ::= [a]*"))
        )
        await anext(generation)
        generation.cancel()
        assert FinishReason.ABORTED == (await answer_of(generation)).reason
    assert [1] == [sampler.n_closed for sampler in backend.samplers]
