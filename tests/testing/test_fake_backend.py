"""The scripted backend: its answers come from its cache, and it tells who breaks the contract."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from codeassistd.engine.backend import Batch
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript, Rule
from codeassistd.testing.fake_vocabulary import FakeVocabulary


def loaded(script: FakeScript | None = None) -> FakeBackend:
    return FakeBackend(script or FakeScript(default="ab"), n_ctx=16, n_batch=8, n_slots=2).load(lambda _share: True)


def read(backend: FakeBackend, tokens: list[int], start: int = 0, sequence: int = 0) -> int:
    """Read tokens and give the one that is to come."""
    n_tokens = len(tokens)
    wanted = [False] * (n_tokens - 1) + [True]
    rows = backend.decode(Batch(tokens, range(start, start + n_tokens), [sequence] * n_tokens, wanted))
    assert rows is not None
    return int(rows[0].argmax())


@pytest.mark.parametrize(
    ("expected", "prompt"),
    [
        ("first", "x = "),
        ("first", "<fim_prefix>x = <fim_suffix>rest<fim_middle>"),
        ("first", "<fim_prefix><fim_suffix>rest<fim_middle>x = "),
        ("second", "def f():\n    pass"),
        ("none", "x ="),
    ],
)
def test_the_first_rule_that_fits_answers(expected: str, prompt: str) -> None:
    """`after` is what stands before the cursor, in each order of the parts; else a pattern; else the default."""
    script = FakeScript((Rule.after("x = ", "first"), Rule(r"def f.*pass$", "second")), "none")
    assert expected == script.answer(prompt)


def test_the_next_token_depends_on_what_the_cache_holds() -> None:
    """The prompt, then each answered token as it was read; at the end the end token."""
    backend = loaded()
    vocabulary = backend.vocabulary
    a, b = vocabulary.answer_ids("ab")
    assert a == read(backend, vocabulary.tokenize("xyz"))
    assert b == read(backend, [a], start=3)
    assert vocabulary.eos_id == read(backend, [b], start=4)
    assert ["xyz"] == backend.prompts


@pytest.mark.parametrize(
    ("expected", "batch"),
    [
        ("a batch of 0 tokens", Batch([], [], [], [])),
        ("a batch of 9 tokens", Batch([0] * 9, range(9), [0] * 9, [False] * 9)),
        ("position 1 in sequence 0, which holds 0 tokens", Batch([0], [1], [0], [True])),
        ("there is no sequence 2", Batch([0], [0], [2], [True])),
        ("there is no token 9999", Batch([9999], [0], [0], [True])),
        ("an answer that was never given", Batch([0, 256 + ord("z")], [0, 1], [0, 0], [False, True])),
        ("differ in length", Batch([0], [0], [0], [])),
    ],
)
def test_a_broken_contract_is_noted_and_raised(expected: str, batch: Batch) -> None:
    """Gaps, wrong sizes and wrong ids are told by name."""
    backend = loaded()
    with pytest.raises(AssertionError, match=expected):
        backend.decode(batch)
    assert 1 == len(backend.violations)


def test_letters_of_prompts_and_answers_are_different_tokens() -> None:
    """So a cache shows what was asked and what was answered; a marker is a token only where a test spells it."""
    vocabulary = FakeVocabulary(pieces=(b"\xf0\x9f",))
    assert [ord("a"), 512 + 4] == vocabulary.prompt_ids("a<pad>")
    assert [256 + ord("a"), 512 + 4] == vocabulary.answer_ids("a<pad>")
    assert list(b"<pad>") == vocabulary.tokenize("<pad>")
    assert "a<pad>😀" == vocabulary.spell(vocabulary.prompt_ids("a<pad>") + vocabulary.answer_ids("😀"))
    assert b"\xf0\x9f" == vocabulary.token_bytes(vocabulary.answer_ids("😀")[0])
    assert (True, False) == (vocabulary.is_stop(512), vocabulary.is_stop(vocabulary.n_vocab - 1))


def test_a_script_file_describes_backend_and_answers(tmp_path: Path) -> None:
    """What is left out keeps its default."""
    file = tmp_path / "script.json"
    rules = [{"after": "x = ", "answer": "1"}, {"matches": "^y", "answer": "2"}]
    file.write_text(json.dumps({"rules": rules, "default": "3", "n_ctx": 99, "markers": False}), "utf-8")
    backend = FakeBackend.from_json(file)
    assert ["1", "2", "3"] == [backend.script.answer(prompt) for prompt in ("x = ", "y", "z")]
    assert (99, 512, None) == (backend.n_ctx, backend.n_batch, backend.vocabulary.marker_id("<fim_prefix>"))
    assert FakeScript.from_json(file) == backend.script
