"""The shortest loop over llama.cpp that writes text: what the engine's speed is measured against, and nothing else.

One sequence alone in its context, a batch made once, the likeliest token by numpy; no scheduling, no cancel, no reuse.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import llama_cpp
import numpy as np

from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.errors import DecodeError

__all__ = ["BareLoop"]


class BareLoop:
    """Reads and writes one sequence; blocking, for one thread.

    It takes the context of a loaded backend, so that all parameters are the engine's own; whatever the backend had in
    its cache is lost with the first `read`, and the backend cannot be interrupted any more.
    """

    def __init__(self, backend: LlamaBackend) -> None:
        self._context: Any = backend._context  # noqa: SLF001 - the point is to use the very same one
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._n_vocab = backend.info.n_vocab
        self._n_batch = backend.info.n_batch
        self._n_held = 0
        self._next = 0
        nobody = ctypes.cast(0, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(self._context, nobody, None)
        self._batch = llama_cpp.llama_batch_init(self._n_batch, 0, 1)
        for index in range(self._n_batch):
            self._batch.n_seq_id[index] = 1
            self._batch.seq_id[index][0] = 0
            self._batch.logits[index] = 0

    def read(self, prompt: Sequence[int]) -> int:
        """Forget everything, read a prompt, and choose the first token of the answer."""
        llama_cpp.llama_memory_clear(self._memory, False)  # noqa: FBT003 - C's signature
        for start in range(0, len(prompt), self._n_batch):
            part = prompt[start : start + self._n_batch]
            for index, token in enumerate(part):
                self._batch.token[index] = token
                self._batch.pos[index] = start + index
            self._decode(len(part))
        self._n_held = len(prompt)
        self._next = self._choose()
        return self._next

    def write(self, n_tokens: int) -> list[int]:
        """Write so many more tokens; a token that ends the text does not stop it."""
        written = []
        for _ in range(n_tokens):
            self._batch.token[0] = self._next
            self._batch.pos[0] = self._n_held
            self._decode(1)
            self._n_held += 1
            self._next = self._choose()
            written.append(self._next)
        return written

    def close(self) -> None:
        """Give the batch's memory back; the context stays the backend's."""
        llama_cpp.llama_batch_free(self._batch)

    def _decode(self, n_tokens: int) -> None:
        self._batch.n_tokens = n_tokens
        self._batch.logits[n_tokens - 1] = 1
        code = llama_cpp.llama_decode(self._context, self._batch)
        self._batch.logits[n_tokens - 1] = 0
        if code != 0:
            raise DecodeError(f"llama.cpp could not read {n_tokens} tokens (code {code})")

    def _choose(self) -> int:
        scores = llama_cpp.llama_get_logits_ith(self._context, -1)
        memory: Any = (ctypes.c_float * self._n_vocab).from_address(ctypes.addressof(scores.contents))
        return int(np.frombuffer(memory, dtype=np.float32).argmax())
