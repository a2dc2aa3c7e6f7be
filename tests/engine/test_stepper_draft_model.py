"""A draft model in the stepper: when it is asked, when it is not any more, and that it can do no harm."""

from __future__ import annotations

import pytest

from codeassistd.engine.request import Ending, GenerateRequest, SamplingParams, Token
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.errors import DecodeError
from codeassistd.testing.fake_clock import FakeClock
from tests.support.chance_backend import ChanceBackend, written
from tests.support.draft_models import draft_model
from tests.support.drafters import drafters

PROMPT = "def area(width, height):\n    return "


class BatchClock(FakeClock):
    """A step of the main model takes 20 ms and 1 ms a token, one of its draft model `draft_ms` a token."""

    def __init__(self, main: ChanceBackend, draft_ms: float) -> None:
        super().__init__()
        self._main = main
        self._draft_ms = draft_ms

    def draft_became(self, draft_ms: float) -> None:
        """From now on the draft model takes so long; what was before is forgotten."""
        assert self._main.draft is not None
        self._main.batches.clear()
        self._main.draft.batches.clear()
        self._draft_ms = draft_ms

    def monotonic_s(self) -> float:
        """The time of all steps that are remembered."""
        assert self._main.draft is not None
        main_ms = sum(20 + len(batch) for batch in self._main.batches)
        return (main_ms + self._draft_ms * sum(map(len, self._main.draft.batches))) / 1000


def beside(kind: str) -> ChanceBackend:
    """A model with a draft model of that kind."""
    main = ChanceBackend(n_ctx=512, n_batch=256)
    main.draft = draft_model(kind, main)
    main.load(lambda _share: True)
    return main


def stepper_of(main: ChanceBackend, draft_ms: float = 1.0, kind: str = "none") -> Stepper:
    return Stepper(
        main,
        BatchClock(main, draft_ms),
        Totals(),
        lambda backend, _step, batch: backend.decode(batch),
        drafters(kind, main),
    )


def write(stepper: Stepper, main: ChanceBackend, prompt: str, n_tokens: int = 40) -> Ending:
    """Have a prompt answered, and check that the answer is the right one."""
    items: list[Token | Ending] = []
    asked = GenerateRequest(tuple(main.vocabulary.tokenize(prompt)), SamplingParams(max_tokens=n_tokens))
    stepper.scheduler.add(Sequence(asked, sink=items.append))
    while stepper.has_work:
        stepper.step()
    stepper.hand_out()
    *tokens, ending = items
    assert isinstance(ending, Ending)
    assert written(main, asked).ids == tuple(token.id for token in tokens if isinstance(token, Token))
    return ending


def test_a_draft_model_that_is_right_saves_steps() -> None:
    """All of its guesses come true, and the main model takes a fraction of the steps."""
    main = beside("right")
    stepper = stepper_of(main)
    n_written = sum(write(stepper, main, f"{PROMPT}{number}").n_output for number in range(20))
    (count,) = stepper._totals.drafts
    assert "model" == count.drafter
    assert count.n_drafted == count.n_accepted
    assert n_written > 200
    assert count.n_accepted > n_written / 2
    assert len(main.batches) < n_written / 2


def test_a_draft_model_that_is_wrong_switches_itself_off() -> None:
    """After some wrong drafts it is seldom asked, and costs next to nothing."""
    main = beside("wrong")
    stepper = stepper_of(main)
    for number in range(10):
        write(stepper, main, f"{PROMPT}{number}")
    main.batches.clear()
    assert main.draft is not None
    main.draft.batches.clear()
    n_written = sum(write(stepper, main, f"again {number}: {PROMPT}").n_output for number in range(20))
    assert len(main.draft.batches) < n_written / 10


def test_its_own_time_is_part_of_the_cost() -> None:
    """A guess that takes as long as half a step of the main model does not pay, however often it is right."""
    main = beside("right")
    stepper = stepper_of(main, draft_ms=25.0)
    for number in range(10):
        write(stepper, main, f"{PROMPT}{number}")
    assert main.draft is not None
    n_tried = len(main.draft.batches)
    for number in range(10):
        write(stepper, main, f"again {number}: {PROMPT}")
    assert len(main.draft.batches) - n_tried < 5


def test_a_bad_hour_of_the_machine_is_forgiven() -> None:
    """Guesses that took too long are tried again by and by, and asked for again when they are fast."""
    main = beside("right")
    stepper = stepper_of(main, draft_ms=100.0)
    for number in range(3):
        write(stepper, main, f"{PROMPT}{number}")
    clock = stepper._clock
    assert isinstance(clock, BatchClock)
    clock.draft_became(1.0)
    for number in range(40):
        write(stepper, main, f"again {number}: {PROMPT}")
    main.batches.clear()
    n_written = sum(write(stepper, main, f"at last {number}: {PROMPT}").n_output for number in range(20))
    assert len(main.batches) < n_written / 2


def test_it_is_asked_only_where_nothing_else_guesses() -> None:
    """Looking up costs nothing, so the draft model is silent while there is something to look up."""
    main = beside("right")
    ending = write(stepper_of(main, kind="right"), main, PROMPT)
    assert ["right"] == [count.drafter for count in ending.drafts]
    assert main.draft is not None
    assert [] == main.draft.batches


def test_a_failure_of_the_draft_model_is_told_and_harms_nobody() -> None:
    """The text goes on as if nothing had been; what is in force and a warning say what happened."""
    main = beside("right")
    assert main.draft is not None
    stepper = stepper_of(main)
    main.draft.fail_step(DecodeError("no room in the cache"), after=3)
    for number in range(5):
        write(stepper, main, f"{PROMPT}{number}")
    assert "none" == stepper.info.effective["draft"]
    assert ("the draft model is not used any more: no room in the cache",) == stepper.info.warnings
    n_batches = len(main.draft.batches)
    write(stepper, main, PROMPT)
    assert n_batches == len(main.draft.batches)


@pytest.mark.parametrize(("n_tokens", "is_read"), [(4, False), (200, True)])
def test_it_catches_up_only_where_that_pays(n_tokens: int, is_read: bool) -> None:  # noqa: FBT001 - a table of cases
    """A long text is not read for the sake of a few tokens, but is for many."""
    main = beside("right")
    stepper = stepper_of(main, draft_ms=2.0)
    write(stepper, main, PROMPT * 2)  # from here on it knows what reading costs
    assert main.draft is not None
    main.draft.batches.clear()
    for number in range(20):
        write(stepper, main, f"{number}" + "x = 1\n" * 40, n_tokens)
    assert is_read == (sum(map(len, main.draft.batches)) > 240)


def test_both_models_go_together() -> None:
    """The draft model's memory is given back with the main one's."""
    main = beside("right")
    main.close()
    assert main.draft is not None
    assert (1, 1) == (main.n_closed, main.draft.n_closed)
