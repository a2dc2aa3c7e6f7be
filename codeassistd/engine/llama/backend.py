"""One model and one context of llama.cpp, driven batch by batch.

Layout of the cache: each slot is a stream of its own (`kv_unified` off). In one unified cache every step attends over
the cells of all sequences, so a slot that holds 7,000 tokens makes a one-token step of another 3.5 times slower, and
one client's length takes from the others' room. In streams each slot has its `n_ctx` for certain. The price: memory for
all slots at once, and a whole sequence is the least that can be copied between two slots: a copy of a part ends the
process. `save` and `restore` write only the cells in use, and so are the cheaper way to share a prefix as well.
"""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any

import llama_cpp
import numpy as np

from codeassistd.engine.backend import BackendInfo, Batch, Logits, SavedState
from codeassistd.engine.llama.sampler import LlamaSampler
from codeassistd.engine.llama.vocabulary import LlamaVocabulary
from codeassistd.engine.request import SamplingParams
from codeassistd.errors import DecodeError

__all__ = ["LlamaBackend"]

_ABORTED = 2
_CAUSES = {1: "no room in the cache", -1: "the batch was refused"}


class LlamaBackend:
    """Implements `engine.backend.Backend`; made by `load`, which owns the choice of the settings."""

    def __init__(self, model: Any, context: Any, info: BackendInfo) -> None:
        self._model = model
        self._draft: LlamaBackend | None = None
        self._context = context
        self._info = info
        self._vocabulary = LlamaVocabulary(model, info.metadata)
        self._memory = llama_cpp.llama_get_memory(context)
        self._columns = _Columns(info.n_batch)
        # A model with a recurrent state cannot drop the last tokens, so there a step must not be left half-way.
        self._can_cut = not (llama_cpp.llama_model_is_recurrent(model) or llama_cpp.llama_model_is_hybrid(model))
        self._flag = _AbortFlag()
        if self._can_cut:
            llama_cpp.llama_set_abort_callback(context, self._flag.callback, self._flag.address)

    @property
    def info(self) -> BackendInfo:
        """What was loaded."""
        return self._info

    @property
    def vocabulary(self) -> LlamaVocabulary:
        """Its vocabulary."""
        return self._vocabulary

    @property
    def can_cut(self) -> bool:
        """Whether the last tokens of a sequence can be taken away."""
        return self._can_cut

    @property
    def draft(self) -> LlamaBackend | None:
        """The smaller model that was loaded to guess for this one."""
        return self._draft

    def accompany(self, draft: LlamaBackend | None, info: BackendInfo) -> None:
        """Have a smaller model beside it from now on, or be told why not in `info`; only before it is used."""
        self._draft, self._info = draft, info

    def decode(self, batch: Batch) -> Logits | None:
        """Read a batch; None if it was interrupted."""
        n_wanted = self._columns.fill(batch)
        with self._flag:
            code = llama_cpp.llama_decode(self._context, self._columns.struct)
        if code == _ABORTED:
            self._take_back(batch)
            return None
        if code != 0:
            raise DecodeError(f"llama.cpp could not read the step: {_CAUSES.get(code, 'it failed')} (code {code})")
        n_vocab = self._info.n_vocab
        if n_wanted == 0:
            return np.empty((0, n_vocab), dtype=np.float32)
        scores = llama_cpp.llama_get_logits(self._context)
        # The same as `np.ctypeslib.as_array`, at a twentieth of its time.
        address = ctypes.addressof(scores.contents)
        memory: Any = (ctypes.c_float * (n_wanted * n_vocab)).from_address(address)
        rows: Logits = np.frombuffer(memory, dtype=np.float32).reshape(n_wanted, n_vocab)
        return rows

    def remove(self, sequence: int, start: int) -> int:
        """Forget a sequence's tokens from `start` on; of a recurrent model all of them."""
        if llama_cpp.llama_memory_seq_rm(self._memory, sequence, start, -1):
            return start
        llama_cpp.llama_memory_seq_rm(self._memory, sequence, -1, -1)
        return 0

    def save(self, sequence: int) -> SavedState:
        """Write out a sequence's cells: for each token as many bytes as all layers have keys and values."""
        state = np.empty(llama_cpp.llama_state_seq_get_size(self._context, sequence), dtype=np.uint8)
        n_bytes = llama_cpp.llama_state_seq_get_data(
            self._context, _pointer(state, ctypes.c_uint8), state.nbytes, sequence
        )
        return state[:n_bytes].data

    def restore(self, sequence: int, state: SavedState) -> bool:
        """Put a saved state in place of what a sequence holds."""
        data = np.frombuffer(state, dtype=np.uint8)
        n_read = llama_cpp.llama_state_seq_set_data(
            self._context, _pointer(data, ctypes.c_uint8), data.nbytes, sequence
        )
        if n_read != data.nbytes:
            # It may have put some of the cells in before it noticed.
            llama_cpp.llama_memory_seq_rm(self._memory, sequence, -1, -1)
            return False
        return True

    def sampler(self, params: SamplingParams) -> LlamaSampler:
        """What chooses for a new sequence."""
        return LlamaSampler(self._model, self._vocabulary, params)

    def clear(self) -> None:
        """Forget everything."""
        # The cells are only marked free: wiping them would touch the whole cache's memory.
        llama_cpp.llama_memory_clear(self._memory, False)  # noqa: FBT003 - C's signature

    def set_threads(self, n_threads: int) -> None:
        """Take that many threads from the next step on."""
        llama_cpp.llama_set_n_threads(self._context, n_threads, n_threads)
        if self._draft is not None:
            self._draft.set_threads(n_threads)

    def interrupt(self) -> None:
        """Ask a running `decode` to stop; heard by the processor's backend within some milliseconds."""
        self._flag.raise_()

    def close(self) -> None:
        """Give the memory back."""
        if self._draft is not None:
            self._draft.close()
        self._vocabulary.close()
        llama_cpp.llama_free(self._context)
        llama_cpp.llama_model_free(self._model)

    def _take_back(self, batch: Batch) -> None:
        # A batch is computed in parts, and those that were done before the stop are in the cache.
        starts: dict[int, int] = {}
        for sequence, position in zip(batch.sequences, batch.positions, strict=True):
            starts.setdefault(sequence, position)
        for sequence, start in starts.items():
            self.remove(sequence, start)


class _Columns:
    """The arrays that llama.cpp reads a batch from; made once, filled each step."""

    def __init__(self, n_batch: int) -> None:
        self._n_batch = n_batch
        self._tokens = np.zeros(n_batch, dtype=np.int32)
        self._positions = np.zeros(n_batch, dtype=np.int32)
        self._sequences = np.zeros(n_batch, dtype=np.int32)
        self._wanted = np.zeros(n_batch, dtype=np.int8)
        self._ones = np.ones(n_batch, dtype=np.int32)
        # Each token has a list of sequences; ours all have length one and lie in one row.
        first = self._sequences.ctypes.data
        self._lists = (first + self._sequences.itemsize * np.arange(n_batch)).astype(np.uintp)
        self.struct = llama_cpp.llama_batch()
        self.struct.token = _pointer(self._tokens, llama_cpp.llama_token)
        self.struct.pos = _pointer(self._positions, llama_cpp.llama_pos)
        self.struct.n_seq_id = _pointer(self._ones, ctypes.c_int32)
        self.struct.seq_id = _pointer(self._lists, ctypes.POINTER(llama_cpp.llama_seq_id))
        self.struct.logits = _pointer(self._wanted, ctypes.c_int8)

    def fill(self, batch: Batch) -> int:
        """Take a batch over.

        Returns:
            How many rows of scores it wants.

        Raises:
            DecodeError: it is empty or too long; llama.cpp would end the process.
        """
        n_tokens = len(batch)
        if not 0 < n_tokens <= self._n_batch:
            raise DecodeError(f"a step of {n_tokens} tokens, between 1 and {self._n_batch} are allowed")
        self._tokens[:n_tokens] = batch.tokens
        self._positions[:n_tokens] = batch.positions
        self._sequences[:n_tokens] = batch.sequences
        self._wanted[:n_tokens] = batch.wanted
        self.struct.n_tokens = n_tokens
        return int(self._wanted[:n_tokens].sum())


def _pointer(column: np.ndarray[Any, Any], kind: Any) -> Any:
    return ctypes.cast(column.ctypes.data, ctypes.POINTER(kind))


class _AbortFlag:
    """A flag that llama.cpp looks at while it computes, and other threads raise.

    It asks about 600 times a step. Asked in Python, each of these would wait for the interpreter, which took seconds a
    step beside a busy thread. So the callback is C's own `strlen` on a string that is empty or has one letter.

    A context manager: only inside of it can the flag be raised, and it is down again after.
    """

    def __init__(self) -> None:
        self._text = ctypes.create_string_buffer(2)
        self.address = ctypes.c_void_p(ctypes.addressof(self._text))
        c_library = ctypes.CDLL("msvcrt" if sys.platform == "win32" else None)
        self.callback = ctypes.cast(c_library.strlen, llama_cpp.ggml_abort_callback)
        self._lock = threading.Lock()
        self._is_listening = False

    def __enter__(self) -> None:
        with self._lock:
            self._is_listening = True

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._is_listening = False
            self._text[0] = b"\0"

    def raise_(self) -> None:
        """Stop what is computed now, if anything is."""
        with self._lock:
            if self._is_listening:
                self._text[0] = b"\1"
