"""Choosing tokens by llama.cpp's chain of samplers: what numpy's greedy choice and plain draws cannot do.

A chain remembers what it chose, for the penalty and the grammar, so each sequence has its own, and every chosen token
is one that is written. The chain works on rows that were copied out of the context, because llama.cpp's own way,
samplers in the context, gives one token per sequence and step, and a draft needs several.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llama_cpp
import numpy as np

from codeassistd.engine.backend import Logits, Vocabulary
from codeassistd.engine.request import SamplingParams
from codeassistd.errors import EngineError

__all__ = ["LlamaSampler"]

_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
"""llama_token_data."""

_MIN_KEPT = 1


class LlamaSampler:
    """Implements `engine.backend.TokenSampler`.

    Raises:
        EngineError: the grammar cannot be read.
    """

    def __init__(self, model: Any, vocabulary: Vocabulary, params: SamplingParams) -> None:
        self._vocabulary = vocabulary
        self._candidates = np.zeros(vocabulary.n_vocab, dtype=_CANDIDATE)
        self._ids = np.arange(vocabulary.n_vocab, dtype=np.int32)
        self._list: Any = llama_cpp.llama_token_data_array()
        self._list.data = _pointer(self._candidates)
        chain_params = llama_cpp.llama_sampler_chain_default_params()
        chain_params.no_perf = True
        self._chain: Any = llama_cpp.llama_sampler_chain_init(chain_params)
        try:
            self._fill(llama_cpp.llama_model_get_vocab(model), params)
        except EngineError:
            self.close()
            raise

    def choose(self, row: Logits) -> int | None:
        """Choose the next token; None where the grammar allows none."""
        # The chain sorts and cuts the list, so it is written anew each time.
        self._candidates["id"] = self._ids
        self._candidates["logit"] = row
        self._list.size, self._list.selected, self._list.sorted = len(row), -1, False
        llama_cpp.llama_sampler_apply(self._chain, ctypes.byref(self._list))
        chosen = self._list.data[self._list.selected]
        if not np.isfinite(chosen.logit):
            return None  # to tell the grammar of a token that it forbids would end the process
        token = int(chosen.id)
        if not self._vocabulary.is_stop(token):
            llama_cpp.llama_sampler_accept(self._chain, token)
        return token

    def close(self) -> None:
        """Give the chain's memory back; idempotent."""
        chain, self._chain = self._chain, None
        if chain is not None:
            llama_cpp.llama_sampler_free(chain)

    def _fill(self, vocab: Any, params: SamplingParams) -> None:
        if params.is_penalised:
            self._add(
                llama_cpp.llama_sampler_init_penalties(
                    self._vocabulary.n_vocab,
                    params.repeat_window,
                    params.repeat_penalty,
                    params.frequency_penalty,
                    params.presence_penalty,
                )
            )
        if params.grammar:
            grammar = llama_cpp.llama_sampler_init_grammar(vocab, params.grammar.encode(), b"root")
            if not grammar:
                raise EngineError("the grammar cannot be read; it must be GBNF with a rule named root")
            self._add(grammar)
        if params.temperature <= 0.0:
            self._add(llama_cpp.llama_sampler_init_greedy())
            return
        self._add(llama_cpp.llama_sampler_init_top_k(params.top_k))
        self._add(llama_cpp.llama_sampler_init_top_p(params.top_p, _MIN_KEPT))
        self._add(llama_cpp.llama_sampler_init_min_p(params.min_p, _MIN_KEPT))
        self._add(llama_cpp.llama_sampler_init_temp(params.temperature))
        self._add(llama_cpp.llama_sampler_init_dist(params.seed & 0xFFFFFFFE))  # the last one means: take any

    def _add(self, sampler: Any) -> None:
        llama_cpp.llama_sampler_chain_add(self._chain, sampler)


def _pointer(candidates: np.ndarray[Any, Any]) -> Any:
    return ctypes.cast(candidates.ctypes.data, ctypes.POINTER(llama_cpp.llama_token_data))
