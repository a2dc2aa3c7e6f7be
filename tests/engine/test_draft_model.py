"""The draft model by itself: what it reads, what it cuts, what it costs, and how it is given up."""

from __future__ import annotations

import pytest

from codeassistd.engine.draft_model import DraftModel, Wish
from codeassistd.engine.request import GenerateRequest, SamplingParams
from codeassistd.errors import DecodeError
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_vocabulary import FakeVocabulary
from tests.support.chance_backend import ChanceBackend, written
from tests.support.draft_models import draft_model

PIECE_MS = 1000.0


class BatchClock(FakeClock):
    """A batch of `backend` takes 2 ms, and 1 ms more for each of its tokens."""

    def __init__(self, backend: ChanceBackend) -> None:
        super().__init__()
        self._backend = backend

    def monotonic_s(self) -> float:
        """The time of all batches so far."""
        return sum(2 + len(batch) for batch in self._backend.batches) / 1000


def loaded(backend: ChanceBackend) -> ChanceBackend:
    backend.load(lambda _share: True)
    return backend


@pytest.fixture
def main() -> ChanceBackend:
    """The model that is guessed for."""
    return loaded(ChanceBackend(n_ctx=256, n_batch=64))


def truth_of(main: ChanceBackend, prompt: list[int], n_tokens: int) -> tuple[int, ...]:
    return written(main, GenerateRequest(tuple(prompt), SamplingParams(max_tokens=n_tokens))).ids


def prompt_of(main: ChanceBackend, text: str, n_tokens: int = 8) -> list[int]:
    """A prompt that begins with `text`, and whose answer has at least `n_tokens`."""
    for number in range(100):
        prompt = main.vocabulary.tokenize(f"{text}{number}")
        if len(truth_of(main, prompt, n_tokens)) == n_tokens:
            return prompt
    raise AssertionError("no prompt has such a long answer")


def read_by(backend: ChanceBackend) -> list[int]:
    """How many tokens each batch had, since the last call."""
    sizes = [len(batch) for batch in backend.batches]
    backend.batches.clear()
    return sizes


def test_it_reads_only_what_is_new_and_cuts_what_was_rejected(main: ChanceBackend) -> None:
    """All of the prompt once; then what was written since, on top of those of its guesses that came true."""
    small = draft_model("right", main)
    model = DraftModel(small, main, FakeClock())
    tokens = prompt_of(main, "def f(")
    truth = truth_of(main, tokens, 8)
    assert {2: truth[:4]} == model.guess([Wish(2, tokens, 4)], PIECE_MS)
    assert [len(tokens), 1, 1, 1] == read_by(small)
    # All four came true, and the main model added one: the last guess was never read here.
    tokens += truth[:5]
    assert {2: truth[5:7]} == model.guess([Wish(2, tokens, 2)], PIECE_MS)
    assert [2, 1] == read_by(small)
    # The first of the two was wrong (somebody drew another token), so the cut goes right behind what is sure.
    tokens += [truth[5] - 1]
    model.guess([Wish(2, tokens, 1)], PIECE_MS)
    assert [1] == read_by(small)
    assert tokens == small.cells(2)
    assert [] == small.violations


def test_the_same_place_can_be_guessed_twice(main: ChanceBackend) -> None:
    """The last token is read again where all of them are there already."""
    small = draft_model("right", main)
    model = DraftModel(small, main, FakeClock())
    tokens = prompt_of(main, "x = ")
    first = model.guess([Wish(0, tokens, 3)], PIECE_MS)
    read_by(small)
    assert first == model.guess([Wish(0, tokens, 3)], PIECE_MS)
    assert [1, 1, 1] == read_by(small)


def test_several_sequences_are_guessed_for_in_the_same_batches(main: ChanceBackend) -> None:
    """One round per guess for all, each as far as it wished."""
    small = draft_model("right", main)
    model = DraftModel(small, main, FakeClock())
    prompts = [prompt_of(main, text)[-6:] for text in ("abcdef", "ghijkl", "mnopqr")]
    truths = [truth_of(main, prompt, 8) for prompt in prompts]
    wished = [min(n, len(truth)) for n, truth in zip((3, 1, 2), truths, strict=True)]
    wishes = [Wish(slot, prompt, n) for slot, (prompt, n) in enumerate(zip(prompts, wished, strict=True))]
    guesses = model.guess(wishes, PIECE_MS)
    assert {slot: truths[slot][:n] for slot, n in enumerate(wished) if n} == guesses
    assert max(wished) == len(small.batches)
    assert {0, 1, 2} == set(small.batches[0].sequences)


def test_a_long_prompt_is_read_in_pieces_and_lets_others_guess(main: ChanceBackend) -> None:
    """What is far behind gives no guess until it has caught up, and who has missed little goes first."""
    small = draft_model("right", main)
    model = DraftModel(small, main, FakeClock())
    long, short = [*main.vocabulary.tokenize("y" * 100)], prompt_of(main, "z")
    guesses = model.guess([Wish(0, long, 2), Wish(1, short, 2)], piece_ms=0.0)
    assert [1] == list(guesses)
    assert 32 == len(small.batches[0])
    rounds = 1
    while 0 not in model.guess([Wish(0, long, 2)], piece_ms=0.0):
        rounds += 1
        assert rounds < 5
    assert long == small.cells(0)[:100]


def test_it_knows_what_it_costs() -> None:
    """Guesses and reading are measured apart, the latter also before it is worth it to begin."""
    main = loaded(ChanceBackend(n_ctx=256, n_batch=128))
    small = draft_model("right", main)
    model = DraftModel(small, main, BatchClock(small))
    tokens = prompt_of(main, "y" * 97)[:98]
    assert 0.0 == model.catch_up_ms(0, tokens)
    model.guess([Wish(0, tokens[:40], 1)], PIECE_MS)
    read_ms = 34 / 32  # of the first piece, as long as nobody knew better
    assert pytest.approx(read_ms * 66) == model.catch_up_ms(0, tokens)
    assert 0.0 == model.guess_ms
    model.guess([Wish(0, tokens[:33], 1)], PIECE_MS)
    assert pytest.approx(3.0) == model.guess_ms


def test_it_stops_where_the_text_ends(main: ChanceBackend) -> None:
    """A token that ends the text is no guess, and nothing is read behind it."""
    small = draft_model("right", main)
    model = DraftModel(small, main, FakeClock())
    for number in range(100):
        prompt = main.vocabulary.tokenize(f"end {number}")
        truth = truth_of(main, prompt, 12)
        if 0 < len(truth) < 6:
            assert {0: truth} == model.guess([Wish(0, prompt, 12)], PIECE_MS)
            assert [*prompt, *truth] == small.cells(0)
            return
    raise AssertionError("no prompt has such a short answer")


def test_a_failure_gives_it_up(main: ChanceBackend) -> None:
    """One line with the cause, no guess, and no room for more."""
    small = draft_model("right", main)
    model = DraftModel(small, main, FakeClock())
    tokens = prompt_of(main, "x")
    small.fail_step(DecodeError("out of paper"))
    assert {} == model.guess([Wish(0, tokens, 4)], PIECE_MS)
    assert "the draft model is not used any more: out of paper" == model.problem
    assert 0 == model.room(tokens, 8)


def test_its_context_and_vocabulary_bound_what_it_guesses(main: ChanceBackend) -> None:
    """No guess behind a text that is too long for it, nor behind a token that it does not know."""
    small = draft_model("right", main, n_ctx=20)
    model = DraftModel(small, main, FakeClock())
    assert 5 == model.room([1] * 15, 8)
    assert 0 == model.room([1] * 20, 8)
    assert 0 == model.room([1] * 21, 8)
    poor = loaded(ChanceBackend(vocabulary=FakeVocabulary(("<eos>",))))
    model = DraftModel(poor, main, FakeClock())
    assert 8 == model.room([1, 2, 3], 8)
    assert 0 == model.room([1, poor.vocabulary.n_vocab, 3], 8)
