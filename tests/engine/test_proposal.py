"""An answer that is proposed along with the prompt: read in one pass, and kept as far as the model agrees."""

from __future__ import annotations

from collections.abc import Sequence as Row
from dataclasses import replace

import pytest

from codeassistd.engine.request import (
    DraftCount,
    FinishReason,
    GenerateRequest,
    Priority,
    SamplingParams,
    check_request,
)
from codeassistd.errors import EngineError
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from tests.support.engines import answer_of, request, running, wait_until
from tests.support.stepper_scene import StepperScene

ANSWER = "return x"


def proposing(proposal: str, prompt: str = "def f(x):", **changes: object) -> GenerateRequest:
    ids = tuple(FakeBackend().vocabulary.answer_ids(proposal))
    return replace(request(prompt), proposal=ids, **changes)  # type: ignore[arg-type]  # fields of the request


def answering(**sizes: int) -> FakeBackend:
    return FakeBackend(FakeScript(default=ANSWER), **sizes)


def test_a_right_proposal_takes_one_step() -> None:
    """The one that ends the prompt: nine tokens of it and eight proposed ones, and the end that follows."""
    scene = StepperScene(answering())
    sequence = scene.submit(proposing(ANSWER))
    scene.run()
    assert ([17], ANSWER, FinishReason.STOP) == (scene.widths, scene.text(sequence), scene.ending(sequence).reason)
    assert (DraftCount("proposal", 8, 8),) == scene.ending(sequence).drafts


@pytest.mark.parametrize(
    ("proposal", "n_accepted", "widths"),
    [
        ("xeturn x", 0, [17, 1, 1, 1, 1, 1, 1, 1, 1]),
        ("retUrn x", 3, [17, 1, 1, 1, 1, 1]),
        ("return y", 7, [17, 1]),
        ("return xyz", 8, [19]),
    ],
)
def test_it_counts_up_to_the_first_disagreement(proposal: str, n_accepted: int, widths: list[int]) -> None:
    """The text is the model's own, and goes on token by token from where it parted."""
    scene = StepperScene(answering())
    sequence = scene.submit(proposing(proposal))
    scene.run()
    assert (ANSWER, FinishReason.STOP) == (scene.text(sequence), scene.ending(sequence).reason)
    assert (DraftCount("proposal", len(proposal), n_accepted),) == scene.ending(sequence).drafts
    assert widths == scene.widths


def test_drafts_go_on_where_the_proposal_ended() -> None:
    """A disagreement is none of the drafters' affair, and neither is believed less for the other."""
    scene = StepperScene(FakeBackend(FakeScript(default="abcabcabcabc")), max_draft=16)
    sequence = scene.submit(proposing("abcX"))
    scene.run()
    assert "abcabcabcabc" == scene.text(sequence)
    assert ["lookup", "proposal"] == [count.drafter for count in scene.ending(sequence).drafts]
    assert DraftCount("proposal", 4, 3) == scene.ending(sequence).drafts[1]


def test_no_more_is_read_than_may_be_written() -> None:
    """With room for three tokens two guesses are enough, as each step gives one token more."""
    scene = StepperScene(answering())
    sequence = scene.submit(proposing(ANSWER, params=SamplingParams(max_tokens=3)))
    scene.run()
    assert ([11], "ret", FinishReason.LENGTH) == (scene.widths, scene.text(sequence), scene.ending(sequence).reason)
    one = scene.submit(proposing(ANSWER, "def g(x):", params=SamplingParams(max_tokens=1)))
    none = scene.submit(proposing(ANSWER, "def h(x):", params=SamplingParams(max_tokens=0)))
    scene.run()
    assert ("r", "", ()) == (scene.text(one), scene.text(none), scene.ending(none).drafts)


def test_the_context_bounds_it() -> None:
    """A prompt that leaves room for three tokens gets no more than that."""
    scene = StepperScene(answering(n_ctx=12))
    sequence = scene.submit(proposing(ANSWER))
    scene.run()
    assert ("ret", FinishReason.LENGTH) == (scene.text(sequence), scene.ending(sequence).reason)


def test_a_stop_token_in_it_ends_what_is_read() -> None:
    """To guess the end saves nothing: it is chosen behind the last token before it."""
    scene = StepperScene(answering())
    stop_ids = frozenset(scene.backend.vocabulary.answer_ids("u"))
    sequence = scene.submit(proposing(ANSWER, stop_ids=stop_ids))
    end = scene.submit(replace(proposing("re", "def g(x):"), proposal=(*_ids("re"), scene.backend.vocabulary.eos_id)))
    scene.run()
    assert ("ret", FinishReason.STOP) == (scene.text(sequence), scene.ending(sequence).reason)
    assert (DraftCount("proposal", 3, 3),) == scene.ending(sequence).drafts
    assert DraftCount("proposal", 2, 2) in scene.ending(end).drafts


def test_what_does_not_fit_into_a_step_goes_on_in_the_next() -> None:
    """A batch of twelve: nine tokens of the prompt and three proposed, then the rest of them."""
    scene = StepperScene(answering(n_batch=12))
    sequence = scene.submit(proposing(ANSWER))
    scene.run()
    assert ([12, 5], ANSWER) == (scene.widths, scene.text(sequence))
    assert (DraftCount("proposal", 7, 7),) == scene.ending(sequence).drafts


def test_a_long_one_is_read_as_long_as_it_comes_true() -> None:
    """Sixteen tokens a step: a wrong beginning costs no more than those, a right one a step for each sixteen."""
    text = "abcdefghijklmnopqrstuvwxyzabcdefghijklmn"
    scene = StepperScene(FakeBackend(FakeScript(default=text)))
    right = scene.submit(proposing(text))
    scene.run()
    assert ([9 + 16, 1 + 16, 1 + 6], text) == (scene.widths, scene.text(right))
    wrong = scene.submit(proposing("X" + text[1:], "def g(x):"))
    scene.run()
    assert (DraftCount("proposal", 16, 0),) == scene.ending(wrong).drafts


def test_a_prompt_in_pieces_has_it_at_its_end() -> None:
    """Pieces before the last are read as ever."""
    scene = StepperScene(answering(n_batch=32))
    sequence = scene.submit(proposing(ANSWER, "x" * 70))
    scene.run()
    assert ([32, 32, 14], ANSWER) == (scene.widths, scene.text(sequence))


def test_others_in_the_same_step_are_not_touched() -> None:
    """One that is right, one that is wrong and one that proposes nothing, side by side."""
    scene = StepperScene(answering())
    asked = [proposing(ANSWER, "def f(x):"), proposing("wrong", "def g(x):"), request("def h(x):", client="c")]
    sequences = [scene.submit(one) for one in asked]
    scene.run()
    assert [ANSWER] * 3 == [scene.text(sequence) for sequence in sequences]
    counts = [scene.ending(sequence).drafts for sequence in sequences]
    assert [(DraftCount("proposal", 8, 8),), (DraftCount("proposal", 5, 0),), ()] == counts


def test_quiet_work_gets_little_of_it_beside_a_stream() -> None:
    """What a step reads for background work beside a visible completion stays the least piece, proposal and all."""
    scene = StepperScene(FakeBackend(FakeScript(default="b" * 250)))
    stream = scene.submit(request("key", max_tokens=250))
    scene.submit(proposing("b" * 40, "quiet", priority=Priority.BACKGROUND, client="b"))
    scene.run()
    assert "b" * 250 == scene.text(stream)
    assert 1 + 16 == max(scene.widths[1:250])


def test_a_cancel_in_the_middle_leaves_a_clean_cache() -> None:
    """The prompt stays, what was proposed and not confirmed does not."""
    scene = StepperScene(answering(n_batch=12, n_slots=1))
    sequence = scene.submit(proposing(ANSWER))
    scene.step()
    scene.stepper.cancel({sequence})
    again = scene.submit(request("def f(x):"))
    scene.run()
    assert (ANSWER, 8) == (scene.text(again), scene.ending(again).n_cached)


async def test_a_cancel_stops_a_step_that_is_mostly_guesses() -> None:
    """Its guesses are lost with it, so nobody else needs that step."""
    backend = answering(n_batch=12)
    async with running(backend) as engine:
        backend.hold(after=1)
        generation = engine.submit(proposing(ANSWER))
        wait_until(lambda: len(backend.batches) == 2 and backend.stepping.is_set(), "the step with the rest of it")
        generation.cancel()
        wait_until(lambda: engine.status().n_aborted == 1, "the end of the sequence")
        assert (1, 5) == (backend.n_interrupted, len(backend.batches[1]))
        backend.step_gate.set()
        assert ANSWER == (await answer_of(engine.submit(request("def f(x):")))).text


def test_a_memory_that_cannot_be_cut_is_proposed_nothing() -> None:
    """A wrong token could not be taken out of it."""
    scene = StepperScene(FakeBackend(FakeScript(default=ANSWER), can_cut=False))
    sequence = scene.submit(proposing(ANSWER))
    scene.run()
    assert (ANSWER, ()) == (scene.text(sequence), scene.ending(sequence).drafts)
    assert 9 == scene.widths[0]


@pytest.mark.parametrize("proposal", [(-1,), (5, 512)])
def test_token_ids_that_there_are_not_are_refused(proposal: Row[int]) -> None:
    """Before anything is read: the library would end the process over some."""
    asked = GenerateRequest((1,), proposal=tuple(proposal))
    with pytest.raises(EngineError, match="the proposal holds token ids outside of the model's 512"):
        check_request(asked, n_ctx=16, n_vocab=512)


def _ids(text: str) -> list[int]:
    return FakeBackend().vocabulary.answer_ids(text)
