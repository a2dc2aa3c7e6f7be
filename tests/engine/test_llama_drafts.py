"""Drafts on the real starter, in a number format where the form of a batch does not change a choice.

With quantised weights it does, in about one token of fifty, so there the texts may part; with 16-bit floats they must
not. Draws at a temperature are no test of that: they feel the last bit of a score.
"""

from __future__ import annotations

import inspect
import json.decoder
from collections.abc import Iterator
from collections.abc import Sequence as Row
from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.engine.backend import Backend
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.llama.quantise import FileType, requantise
from codeassistd.engine.request import GenerateRequest
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.testing.fake_clock import FakeClock
from tests.support.drafters import EveryStepPays
from tests.support.engines import request
from tests.support.model import model_file

pytestmark = pytest.mark.model

PROMPTS = [
    "names = ['ada', 'bob', 'eve', 'ada', 'bob',",
    "def left(a):\n    return a.left\n\n\ndef right(a):\n    return a.right\n\n\ndef top(a):\n    return",
    inspect.getsource(json.decoder)[2000:2600],
]


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Backend]:
    """The starter in 16-bit floats; one thread, since the tests share the machine."""
    path: Path = tmp_path_factory.mktemp("f16") / "starter-f16.gguf"
    requantise(model_file(), path, FileType.F16)
    backend = llama_factory(LlamaOptions(path, n_ctx=512, n_slots=3, n_batch=256, threads=1))(lambda _share: True)
    yield backend
    backend.close()


def written_by(backend: Backend, requests: Row[GenerateRequest]) -> tuple[list[tuple[int, ...]], Totals]:
    """What all of them write, side by side, on an empty cache."""
    backend.clear()
    totals = Totals()
    stepper = Stepper(backend, FakeClock(), totals, lambda backend, _step, batch: backend.decode(batch))
    stepper.drafting.costs = EveryStepPays()
    sequences = [Sequence(one, arrival=number) for number, one in enumerate(requests)]
    for sequence in sequences:
        stepper.scheduler.add(sequence)
    while stepper.has_work:
        stepper.step()
    return [tuple(sequence.tokens[sequence.n_prompt :]) for sequence in sequences], totals


def test_the_text_is_the_same_with_and_without_drafts(backend: Backend) -> None:
    """Word for word, several sequences at once, with guesses that were right and guesses that were wrong."""
    drafted = [request(backend.vocabulary.tokenize(prompt), client=prompt, max_tokens=24) for prompt in PROMPTS]
    plain, without = written_by(backend, [replace(one, max_draft=0) for one in drafted])
    guessed, totals = written_by(backend, drafted)
    assert plain == guessed
    assert () == without.drafts
    (count,) = totals.drafts
    assert 0 < count.n_accepted < count.n_drafted


def test_the_text_is_the_same_with_a_proposal(backend: Backend) -> None:
    """With the whole answer proposed, with one that turns wrong in the middle, and with one that is all wrong."""
    asked = [request(backend.vocabulary.tokenize(prompt), client=prompt, max_tokens=24) for prompt in PROMPTS]
    plain, _ = written_by(backend, [replace(one, max_draft=0) for one in asked])
    proposals = [plain[0], (*plain[1][:5], 11, *plain[1][5:]), (11, 11, 11)]
    found, totals = written_by(
        backend, [replace(one, proposal=proposal) for one, proposal in zip(asked, proposals, strict=True)]
    )
    assert plain == found
    counts = {count.drafter: count.n_accepted for count in totals.drafts}
    # Of the whole one a step gives 16 and one that it chooses itself, and the next the other six.
    assert 16 + 6 + 5 == counts["proposal"]
