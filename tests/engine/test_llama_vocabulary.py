"""Text and tokens of real tokenizers, in tiny models."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gguf import TokenType

from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.llama.vocabulary import LlamaVocabulary
from codeassistd.errors import NotReadyError
from codeassistd.testing.tiny_models import DEEPSEEK, QWEN, STARCODER, TinyModel, write_tiny_model
from tests.support.spm_model import write_spm_model

Load = Callable[[Path], LlamaVocabulary]


@pytest.fixture
def load() -> Iterator[Load]:
    """Loads a file and gives its vocabulary; all are closed at the end."""
    backends = []

    def load(path: Path) -> LlamaVocabulary:
        backend = llama_factory(LlamaOptions(path, n_ctx=256, n_slots=1, n_batch=16, threads=1))(lambda _share: True)
        backends.append(backend)
        assert isinstance(backend.vocabulary, LlamaVocabulary)
        return backend.vocabulary

    yield load
    for backend in backends:
        backend.close()


@pytest.mark.parametrize("text", ["def f(x):\n\treturn x", "", " leading", "größe → 3 µm", "👩‍👩‍👧", "\r\n\x00\x0c"])
def test_text_comes_back_from_its_tokens(load: Load, tmp_path: Path, text: str) -> None:
    """The bytes of the tokens are the text's own, whatever is in it."""
    vocabulary = load(write_tiny_model(tmp_path / "m.gguf", TinyModel(QWEN)))
    assert text.encode() == b"".join(map(vocabulary.token_bytes, vocabulary.tokenize(text)))


@pytest.mark.parametrize("markers", [QWEN, STARCODER, DEEPSEEK])
def test_markers_spelled_in_text_are_ordinary_letters(load: Load, tmp_path: Path, markers: tuple[str, ...]) -> None:
    """A source file that holds a model's control tokens cannot steer the model."""
    vocabulary = load(write_tiny_model(tmp_path / "m.gguf", TinyModel(markers)))
    for marker in markers:
        marker_id = vocabulary.marker_id(marker)
        assert marker_id is not None
        assert marker_id not in vocabulary.tokenize(f"a {marker} b")
        assert (True, b"") == (vocabulary.is_stop(marker_id), vocabulary.token_bytes(marker_id))


@pytest.mark.parametrize("marker", ["<|fim_prefix|>x", "<fim_prefix>", "def", "d", "", "<|endoftext|><|endoftext|>"])
def test_what_is_not_one_control_token_is_no_marker(load: Load, tmp_path: Path, marker: str) -> None:
    """Several tokens, none, or an ordinary one: no marker."""
    vocabulary = load(write_tiny_model(tmp_path / "m.gguf", TinyModel(QWEN)))
    assert vocabulary.marker_id(marker) is None


def test_markers_of_the_metadata_are_told_apart(load: Load, tmp_path: Path) -> None:
    """Only what the file declares stands there, though llama.cpp guesses more from the spelling."""
    plain = load(write_tiny_model(tmp_path / "plain.gguf", TinyModel(QWEN)))
    assert {} == plain.metadata_markers
    model = TinyModel(QWEN, declared={"prefix": QWEN[0], "middle": QWEN[1]})
    declared = load(write_tiny_model(tmp_path / "declared.gguf", model))
    assert {"prefix": model.id_of(QWEN[0]), "middle": model.id_of(QWEN[1])} == declared.metadata_markers


@pytest.mark.parametrize("bos", [True, False])
def test_the_begin_token_is_there_only_if_the_model_wants_it(load: Load, tmp_path: Path, bos: bool) -> None:  # noqa: FBT001
    """Many files name a begin token that their prompts must not have; it is never put in front of plain text."""
    model = TinyModel(bos=bos)
    vocabulary = load(write_tiny_model(tmp_path / "m.gguf", model))
    assert (model.bos_id if bos else None) == vocabulary.bos_id
    assert [ord("x")] == vocabulary.tokenize("x")


def test_a_sentencepiece_model_gets_no_blank_in_front(load: Load, tmp_path: Path) -> None:
    """Its tokenizer would turn each piece of a file into one with a leading blank."""
    vocabulary = load(write_spm_model(tmp_path / "m.gguf"))
    assert [b"x"] == [vocabulary.token_bytes(token) for token in vocabulary.tokenize("x")]
    assert b"x = x\n    x" == b"".join(map(vocabulary.token_bytes, vocabulary.tokenize("x = x\n    x")))


@pytest.mark.parametrize("kind", [TokenType.NORMAL, TokenType.USER_DEFINED, TokenType.UNUSED])
def test_markers_of_a_wrong_type_end_an_answer_too(load: Load, tmp_path: Path, kind: TokenType) -> None:
    """Some files declare their markers as ordinary tokens; their spelling gives them away."""
    markers = ("<|fim_pad|>", "<fim_suffix>", "<｜fim▁hole｜>", "[SUFFIX]", "<file_sep>")  # noqa: RUF001 - its own bars
    path = write_spm_model(tmp_path / "m.gguf", markers=dict.fromkeys(markers, kind))
    vocabulary = load(path)
    first = vocabulary.n_vocab - len(markers)
    assert [True] * 5 == [vocabulary.is_stop(first + index) for index in range(5)]
    assert [b""] * 5 == [vocabulary.token_bytes(first + index) for index in range(5)]
    assert not vocabulary.is_stop(vocabulary.tokenize("=")[0])


def test_after_the_unload_it_is_an_error(tmp_path: Path) -> None:
    """Another thread that still has the vocabulary gets an error; the process lives."""
    path = write_tiny_model(tmp_path / "m.gguf")
    backend = llama_factory(LlamaOptions(path, n_ctx=256, n_slots=1, n_batch=16, threads=1))(lambda _share: True)
    vocabulary = backend.vocabulary
    backend.close()
    with pytest.raises(NotReadyError, match="unloaded"):
        vocabulary.tokenize("x")
    with pytest.raises(NotReadyError, match="unloaded"):
        vocabulary.is_stop(5)
