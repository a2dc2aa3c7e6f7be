"""The backend that says again what a model once said."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from codeassistd.engine.sampling import Sampler
from codeassistd.evals.scenarios.raw_texts import read_raw_texts
from codeassistd.evals.scenarios.reading import RAW
from codeassistd.testing.replay_backend import JoiningVocabulary, Recording, ReplayBackend, Said, written_script

HELLO = Recording("greeting = ", (Said(' "hé', -0.5, 1.25), Said('llo"', -2.0, 0.5), Said("\n", -0.001, 9.0)))


def say(backend: ReplayBackend, prompt: str) -> list[Said]:
    """All that is said behind a prompt, as the engine sees it."""
    vocabulary, sampler = backend.vocabulary, Sampler(backend.vocabulary.n_vocab)
    cells, said = vocabulary.tokenize(prompt), []
    while True:
        sample = sampler.choose(backend.scores(cells, len(cells)), 0.0, np.random.default_rng(0))
        if vocabulary.is_stop(sample.id):
            return said
        cells.append(sample.id)
        said.append(Said(vocabulary.token_bytes(sample.id).decode(), sample.logprob, sample.margin))


def test_the_same_tokens_come_as_sure_as_they_were() -> None:
    """The engine's own arithmetic finds the recorded numbers."""
    for one, wanted in zip(say(ReplayBackend.of([HELLO]), "# a.py\ngreeting ="), HELLO.tokens, strict=True):
        assert wanted.text == one.text
        assert (pytest.approx(wanted.logprob, abs=0.01), pytest.approx(wanted.margin, abs=0.01)) == (
            one.logprob,
            one.margin,
        )


def test_what_was_never_said_is_not_said() -> None:
    """Elsewhere there is nothing but the end."""
    assert [] == say(ReplayBackend.of([HELLO]), "farewell = ")


def test_a_script_on_disk_says_the_same(tmp_path: Path) -> None:
    """For a daemon in a process of its own."""
    (tmp_path / "s.json").write_text(written_script([HELLO]), "utf-8")
    assert "recordings" in json.loads((tmp_path / "s.json").read_text("utf-8"))
    assert (HELLO,) == ReplayBackend.from_json(tmp_path / "s.json").recordings


def test_a_wrong_guess_ends_the_answer() -> None:
    """Behind a draft that the model would not have written comes nothing that was recorded."""
    backend = ReplayBackend.of([HELLO])
    prompt = backend.vocabulary.tokenize("greeting =")
    row = backend.scores([*prompt, backend.vocabulary.tokenize("x")[0]], len(prompt))
    assert backend.vocabulary.eos_id == int(row.argmax())


def test_a_blank_joins_the_word_behind_it() -> None:
    """So a prompt leaves the blank before the cursor to the model, as it does for real ones."""
    vocabulary = JoiningVocabulary(pieces=(b"ab",))
    ids = vocabulary.tokenize("a  b (é")
    assert "a  b (é" == vocabulary.spell(ids)
    assert [1, 1, 2, 1, 1, 1, 1] == [len(vocabulary.token_bytes(token)) for token in ids]
    assert len(ids) == vocabulary.n_before_answer(ids)
    assert max(ids) < vocabulary.n_vocab


def test_every_recording_can_be_played() -> None:
    """No token is so unsure that the scores of a small vocabulary could not say so."""
    texts = read_raw_texts(RAW)
    recordings = [Recording(f"{number}!", raw.tokens) for number, raw in enumerate(texts.values())]
    backend = ReplayBackend.of(recordings)
    sampler = Sampler(backend.vocabulary.n_vocab)
    for recording in recordings[::9]:
        for token in recording.tokens:
            said = sampler.describe(backend._row(600, token.logprob, token.margin), 600)
            assert pytest.approx(token.logprob, abs=0.1) == said.logprob
            assert pytest.approx(max(token.margin, 0.001), abs=0.01) == said.margin
