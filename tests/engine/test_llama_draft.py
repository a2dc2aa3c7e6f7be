"""Loading a draft model beside the main one: what fits, and the one line where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.memory import memory_need
from codeassistd.engine.llama.params import LlamaOptions, Machine, settle
from codeassistd.engine.llama.vocabulary_match import TokenEntry, vocabulary_difference
from codeassistd.testing.tiny_models import QWEN, STARCODER, TinyModel, write_tiny_mamba, write_tiny_model

MAIN = TinyModel(QWEN, n_layers=3)


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The main model's file."""
    return write_tiny_model(tmp_path_factory.mktemp("models") / "main.gguf", MAIN)


def load(main: Path, draft: Path, machine: Machine | None = None) -> LlamaBackend:
    options = LlamaOptions(main, n_ctx=256, n_slots=2, n_batch=64, threads=1, draft_path=draft)
    backend = llama_factory(options, machine)(lambda _share: True)
    assert isinstance(backend, LlamaBackend)
    return backend


def check_left_out(main: Path, draft: Path, cause: str, machine: Machine | None = None) -> None:
    """The main model serves alone, and one line says why."""
    backend = load(main, draft, machine)
    info = backend.info
    assert backend.draft is None
    assert (str(draft), "none") == (info.asked["draft"], info.effective["draft"])
    (warning,) = info.warnings
    assert warning.startswith("the model is used without a draft model: ")
    assert cause in warning
    assert "\n" not in warning
    backend.close()


def test_a_draft_model_is_loaded_with_as_many_slots(main: Path, tmp_path: Path) -> None:
    """Its context is as the main one's; its file is in what is in force."""
    path = write_tiny_model(tmp_path / "draft.gguf", TinyModel(QWEN, seed=1))
    backend = load(main, path)
    assert backend.draft is not None
    assert (2, 256) == (backend.draft.info.n_slots, backend.draft.info.n_ctx)
    assert str(path) == backend.info.effective["draft"]
    assert () == backend.info.warnings
    backend.set_threads(1)
    backend.close()


def test_ids_beyond_the_shared_ones_do_not_matter(tmp_path: Path) -> None:
    """A vocabulary that goes on where the other ends fits, in both directions."""
    longer = TinyModel((*QWEN, "<|more|>", "<|and more|>"))
    for number, (left, right) in enumerate([(MAIN, longer), (longer, MAIN)]):
        paths = [write_tiny_model(tmp_path / f"{number}{side}.gguf", model) for side, model in enumerate((left, right))]
        backend = load(*paths)
        assert backend.draft is not None
        backend.close()


def test_another_vocabulary_of_the_same_size_is_refused(main: Path, tmp_path: Path) -> None:
    """By its content, with the first token that differs."""
    path = write_tiny_model(tmp_path / "draft.gguf", TinyModel(STARCODER))
    token = MAIN.id_of(QWEN[0])
    cause = f"draft.gguf has another vocabulary: token {token} is '<fim_prefix>' there and '<|fim_prefix|>' in the main"
    check_left_out(main, path, cause)


def test_what_cannot_be_loaded_is_left_out(main: Path, tmp_path: Path) -> None:
    """A missing file, a foreign one, and one that was cut off."""
    check_left_out(main, tmp_path / "none.gguf", "there is no model file at")
    foreign = tmp_path / "foreign.gguf"
    foreign.write_text("words")
    check_left_out(main, foreign, "is not a GGUF file")
    cut = write_tiny_model(tmp_path / "cut.gguf", MAIN)
    cut.write_bytes(cut.read_bytes()[:-1000])
    check_left_out(main, cut, "is cut off")


def test_a_memory_that_cannot_be_cut_guesses_for_nobody(main: Path, tmp_path: Path) -> None:
    """Nor is anything guessed for one."""
    mamba = write_tiny_mamba(tmp_path / "mamba.gguf", TinyModel(QWEN))
    check_left_out(main, mamba, "cannot be taken out of the memory of")
    check_left_out(mamba, main, "cannot be taken out of its memory")


def test_want_of_memory_costs_the_draft_model_only(main: Path, tmp_path: Path) -> None:
    """Where only the main model fits, it keeps its slots and serves alone."""
    path = write_tiny_model(tmp_path / "draft.gguf", TinyModel(QWEN))
    machine = Machine(has_gpu=False, n_cores=1, free_bytes=2**30)
    options = LlamaOptions(main, n_ctx=256, n_slots=2, n_batch=64, threads=1)
    header = read_header(main)
    need = memory_need(settle(options, header, machine), header).total
    small = Machine(has_gpu=False, n_cores=1, free_bytes=need + 1000)
    check_left_out(main, path, "the model needs 0.0 GiB of memory", small)


class Entries:
    """A vocabulary of the given tokens."""

    def __init__(self, *entries: TokenEntry) -> None:
        self._entries = entries
        self.n_vocab = len(entries)

    def entry(self, token: int) -> TokenEntry:
        """One of them."""
        return self._entries[token]


@pytest.mark.parametrize(
    ("draft", "expected"),
    [
        (Entries((b"a", 1, False), (b"b", 8, True)), ""),
        (Entries((b"a", 1, False)), ""),
        (Entries((b"a", 1, False), (b"b", 8, True), (b"c", 1, False)), ""),
        (Entries((b"x", 1, False), (b"b", 8, True)), "token 0 is 'x' there and 'a' in the main model"),
        (
            Entries((b"a", 1, False), (b"b", 1, True)),
            "token 1 ('b') is a special one in one of the models and not in the other",
        ),
        (
            Entries((b"a", 1, False), (b"b", 8, False)),
            "token 1 ('b') is a special one in one of the models and not in the other",
        ),
    ],
)
def test_vocabularies_are_compared_by_content(draft: Entries, expected: str) -> None:
    """Texts, flags and ends of texts, over the ids that both have."""
    assert expected == vocabulary_difference(Entries((b"a", 1, False), (b"b", 8, True)), draft)
