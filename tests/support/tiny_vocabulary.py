"""The vocabulary of a tiny model as llama.cpp itself sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import llama_cpp

from codeassistd.engine.llama.header import read_header
from codeassistd.engine.llama.log import llama_log
from codeassistd.engine.llama.vocabulary import LlamaVocabulary
from codeassistd.testing.tiny_models import TinyModel, write_tiny_model


@contextmanager
def tiny_vocabulary(folder: Path, model: TinyModel) -> Iterator[LlamaVocabulary]:
    """Write the model into `folder`, load its vocabulary alone, and unload it at the end."""
    path = write_tiny_model(folder / "tiny.gguf", model)
    llama_log()
    params = llama_cpp.llama_model_default_params()
    params.vocab_only = True
    loaded = llama_cpp.llama_model_load_from_file(str(path).encode(), params)
    assert loaded
    metadata = {key: str(value) for key, value in read_header(path).metadata.items()}
    vocabulary = LlamaVocabulary(loaded, metadata)
    try:
        yield vocabulary
    finally:
        vocabulary.close()
        llama_cpp.llama_model_free(loaded)
