"""A draft model beside the real starter: its own first layers, in a format where the form of a batch is no matter."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.llama.prune import write_first_layers
from codeassistd.engine.llama.quantise import FileType, requantise
from codeassistd.engine.request import DraftCount, GenerateRequest
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.testing.fake_clock import FakeClock
from tests.support.drafters import EveryStepPays
from tests.support.engines import request
from tests.support.model import model_file

pytestmark = pytest.mark.model

PROMPTS = [
    "def fibonacci(n):\n    if n <",
    "import os\n\n\ndef size_of(path):\n    return os.path",
    "class Point:\n    def __init__(self, x, y):\n        self.x = x\n",
]


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LlamaBackend]:
    """The starter in 16-bit floats with the first 26 of its 30 layers beside it; one thread."""
    folder: Path = tmp_path_factory.mktemp("f16")
    main, draft = folder / "starter.gguf", folder / "draft.gguf"
    requantise(model_file(), main, FileType.F16)
    write_first_layers(main, draft, 26)
    options = LlamaOptions(main, n_ctx=512, n_slots=3, n_batch=256, threads=1, draft_path=draft)
    backend = llama_factory(options)(lambda _share: True)
    assert isinstance(backend, LlamaBackend)
    yield backend
    backend.close()


def written_by(backend: LlamaBackend, *, max_draft: int) -> tuple[list[tuple[int, ...]], tuple[DraftCount, ...]]:
    """What the prompts are answered, side by side on an empty cache, with guesses of the draft model alone."""
    backend.clear()
    totals = Totals()

    def alone(_request: GenerateRequest) -> tuple[()]:
        return ()

    stepper = Stepper(backend, FakeClock(), totals, lambda it, _step, batch: it.decode(batch), alone)
    stepper.drafting.costs = EveryStepPays()
    sequences = [
        Sequence(
            replace(request(backend.vocabulary.tokenize(prompt), client=prompt, max_tokens=24), max_draft=max_draft)
        )
        for prompt in PROMPTS
    ]
    for sequence in sequences:
        stepper.scheduler.add(sequence)
    while stepper.has_work:
        stepper.step()
    return [tuple(sequence.tokens[sequence.n_prompt :]) for sequence in sequences], totals.drafts


def test_the_text_is_the_same_with_and_without_a_draft_model(backend: LlamaBackend) -> None:
    """Word for word, several sequences at once, with guesses that were right and guesses that were wrong."""
    assert backend.draft is not None
    plain, without = written_by(backend, max_draft=0)
    guessed, (count,) = written_by(backend, max_draft=4)
    assert plain == guessed
    assert () == without
    assert "model" == count.drafter
    assert 0 < count.n_accepted < count.n_drafted
