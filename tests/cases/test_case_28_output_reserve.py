"""Case 28, context half: an output limit as large as the context leaves room for the prompt, or is refused."""

from __future__ import annotations

import pytest

from codeassistd.catalogue.profile import FimOrder
from codeassistd.completion.policy import output_limit
from codeassistd.errors import PromptTooLongError
from tests.support.prompts import profile, prompt_of, request_at, spelled


@pytest.mark.parametrize(
    ("asked", "n_ctx", "expected"), [(4096, 2048, 1024), (64, 4096, 64), (2048, 2048, 1024), (1, 2, 1), (64, 1, 1)]
)
def test_the_output_takes_half_of_the_context_at_most(asked: int, n_ctx: int, expected: int) -> None:
    """What is asked for is clamped, so that half of the context is left to read."""
    assert expected == output_limit(asked, n_ctx)


@pytest.mark.parametrize("order", list(FimOrder))
@pytest.mark.parametrize("n_max", [100, 120, 160, 400])
def test_the_cursors_line_is_in_every_prompt(order: FimOrder, n_max: int) -> None:
    """Whatever has to go, the typed text stays."""
    source = "import os\n" * 50 + "total = price * |\n" + "print(total)\n" * 50
    prompt = prompt_of(request_at(source, n_output=50, n_max=n_max), profile(order))

    assert "total = price * " in spelled(prompt)
    assert len(prompt.ids) + 50 <= n_max


def test_no_room_at_all_is_said() -> None:
    """Both numbers are in the message."""
    with pytest.raises(PromptTooLongError, match="the context leaves room for 0"):
        prompt_of(request_at("x = |", n_output=100, n_max=100), profile(FimOrder.PSM))
