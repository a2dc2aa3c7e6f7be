"""Which guesses are made for whom, from what became of those before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from codeassistd.engine.drafter import Drafter
from codeassistd.engine.request import DraftCount, GenerateRequest, Priority, SamplingParams
from codeassistd.engine.step_costs import StepCosts
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from tests.support.drafters import EveryStepPays, Prophet
from tests.support.engines import request
from tests.support.stepper_scene import StepperScene

LINE = SamplingParams(max_tokens=32)
N_EACH = 8


class EachTokenCosts(StepCosts):
    """Each further token of a step costs three tenths of the first."""

    def __call__(self, n_tokens: int) -> float:
        """A straight line."""
        return 1.0 + 0.3 * (n_tokens - 1)


def place(number: int) -> str:
    """Six letters that no other place has in a row."""
    return "abcdefghijklmnopqrstuvwxyz"[number : number + 6]


def misleading(number: int) -> str:
    """An answer that comes to a place twice and goes on differently the second time."""
    return f"{place(number)}1{place(number)}2"


SCRIPT = FakeScript(tuple(Rule.after(f"!{number}", misleading(number)) for number in range(N_EACH + 2)))
"""Behind each of `!0`, `!1` ... the answer has a place of its own."""


@pytest.fixture
def scene() -> StepperScene:
    """Guesses are looked up, and are always worth a try."""
    scene = StepperScene(FakeBackend(SCRIPT), max_draft=16)
    scene.stepper.drafting.costs = EveryStepPays()
    return scene


def right_but_for_lines(asked: GenerateRequest) -> tuple[Drafter, ...]:
    """A drafter that knows the answer, and one that never does for those who ask for a line."""
    backend = FakeBackend(SCRIPT)
    number = int(chr(asked.prompt[-1]))
    truth = tuple(backend.vocabulary.answer_ids(misleading(number)))
    is_wrong = asked.params == LINE and asked.priority is Priority.COMPLETION
    return (Prophet("prophet", truth, len(asked.prompt), wrong if is_wrong else tuple[int, ...]),)


def wrong(truth: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(token + 1 for token in truth)


def drafts(scene: StepperScene, asked: GenerateRequest) -> tuple[DraftCount, ...]:
    """What was guessed for a request."""
    sequence = scene.submit(asked)
    scene.run()
    return scene.ending(sequence).drafts


def n_wrong(counts: tuple[DraftCount, ...]) -> int:
    """How many of the guesses were."""
    return sum(count.n_drafted - count.n_accepted for count in counts)


def test_a_wrong_guess_is_not_made_again_for_the_next_key(scene: StepperScene) -> None:
    """The prompt has become another one, but its answer comes to the same places, where guesses are known to fail."""
    first = drafts(scene, request("x = !0"))
    second = drafts(scene, request("xy = !0"))
    assert (True, 0) == (n_wrong(first) > 0, n_wrong(second))
    assert (DraftCount("lookup", 4, 4),) == second


def test_at_another_place_it_is_made(scene: StepperScene) -> None:
    """What stands right before it is different, so the same guess may be right."""
    assert n_wrong(drafts(scene, request("x = !0"))) > 0
    assert n_wrong(drafts(scene, request("x = !8"))) > 0


def test_what_was_drawn_refutes_nothing(scene: StepperScene) -> None:
    """At a temperature another token may come the next time."""
    drawn = replace(request("x = !0"), params=SamplingParams(temperature=0.1))
    assert n_wrong(drafts(scene, drawn)) == n_wrong(drafts(scene, drawn)) > 0


@pytest.mark.parametrize(
    "long", [{"params": SamplingParams(max_tokens=128)}, {"params": LINE, "priority": Priority.CHAT}]
)
def test_one_kind_of_work_does_not_pay_for_another(long: dict[str, Any]) -> None:
    """Guesses fail in single lines and come true in longer answers, or in a chat.

    These are drafted in full (twelve guesses, and the first token of the answer), lines by one try at most in the end.
    """
    scene = StepperScene(FakeBackend(SCRIPT), max_draft=16, make_drafters=right_but_for_lines)
    scene.stepper.drafting.costs = EachTokenCosts()
    lines, others = [], []
    for number in range(N_EACH):
        lines.append(drafts(scene, replace(request(f"x = !{number}"), params=LINE)))
        others.append(drafts(scene, replace(request(f"x = !{number}"), **long)))
    assert (DraftCount("prophet", 12, 12),) == others[-1]
    assert n_wrong(lines[-1]) <= 1
