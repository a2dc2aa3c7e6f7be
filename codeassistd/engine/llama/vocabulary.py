"""The vocabulary of a loaded model, over llama.cpp's tokenizer.

It reads the model's memory from any thread, so every call is under a lock that `close` takes too: a caller that comes
after the unload gets an error instead of ending the process.
"""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import llama_cpp

from codeassistd.engine.llama.vocabulary_match import TokenEntry
from codeassistd.errors import NotReadyError

__all__ = ["LlamaVocabulary"]

_METADATA_KEYS: Mapping[str, tuple[str, ...]] = {
    # The second spelling is that of files made before 2024-10.
    "prefix": ("tokenizer.ggml.fim_pre_token_id", "tokenizer.ggml.prefix_token_id"),
    "suffix": ("tokenizer.ggml.fim_suf_token_id", "tokenizer.ggml.suffix_token_id"),
    "middle": ("tokenizer.ggml.fim_mid_token_id", "tokenizer.ggml.middle_token_id"),
    "pad": ("tokenizer.ggml.fim_pad_token_id",),
    "repo": ("tokenizer.ggml.fim_rep_token_id",),
    "sep": ("tokenizer.ggml.fim_sep_token_id",),
}

_CONTROL = llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN | llama_cpp.LLAMA_TOKEN_ATTR_UNUSED

_MARKER = re.compile(
    r"<[|\uff5c].*[|\uff5c]>|<(?:fim_\w+|file_sep|repo_?name|filename|pad|eos|EOT)>|\[(?:PREFIX|SUFFIX|MIDDLE)\]"
)
"""Markers of code models that some files declare as ordinary or user-defined tokens."""


class LlamaVocabulary:
    """Implements `engine.backend.Vocabulary`.

    Models with a SentencePiece tokenizer put a blank before every text; the loader turns that off by overriding
    `tokenizer.ggml.add_space_prefix`, because the texts here are pieces of files.
    """

    def __init__(self, model: object, metadata: Mapping[str, str]) -> None:
        vocab = llama_cpp.llama_model_get_vocab(model)
        self._lock = threading.Lock()
        self._vocab: object | None = vocab
        self._n_vocab = int(llama_cpp.llama_vocab_n_tokens(vocab))
        bos = int(llama_cpp.llama_vocab_bos(vocab))
        self._bos_id = bos if bos >= 0 and llama_cpp.llama_vocab_get_add_bos(vocab) else None
        self._markers = MappingProxyType(_declared(metadata, self._n_vocab))
        self._marker_values = frozenset(self._markers.values())
        # Filled as asked for: a whole vocabulary takes up to a second.
        self._bytes: dict[int, bytes] = {}
        self._stops: dict[int, bool] = {}

    @property
    def n_vocab(self) -> int:
        """Number of tokens."""
        return self._n_vocab

    @property
    def bos_id(self) -> int | None:
        """The token every prompt must begin with."""
        return self._bos_id

    @property
    def metadata_markers(self) -> Mapping[str, int]:
        """Fill-in-middle tokens that the model file declares."""
        return self._markers

    def tokenize(self, text: str) -> list[int]:
        """Ids of plain text.

        Raises:
            NotReadyError: the model was unloaded.
        """
        return self._tokenize(text, parse_special=False)

    def marker_id(self, marker: str) -> int | None:
        """The id of a control token by its spelling."""
        ids = self._tokenize(marker, parse_special=True)
        if len(ids) != 1 or not self._is_special(ids[0]):
            return None
        return ids[0]

    def token_bytes(self, token: int) -> bytes:
        """The bytes a token stands for; empty for control tokens."""
        known = self._bytes.get(token)
        if known is None:
            known = self._bytes[token] = b"" if self.is_stop(token) else self._spell(token, special=False)
        return known

    def is_stop(self, token: int) -> bool:
        """Whether the token ends an answer."""
        known = self._stops.get(token)
        if known is None:
            known = self._stops[token] = self._ends(token)
        return known

    def entry(self, token: int) -> TokenEntry:
        """What a token is in the file, to compare it with another model's."""
        with self._lock:
            vocab = self._open()
            text = llama_cpp.llama_vocab_get_text(vocab, token)
            attributes = int(llama_cpp.llama_vocab_get_attr(vocab, token))
            return text, attributes, bool(llama_cpp.llama_vocab_is_eog(vocab, token))

    def close(self) -> None:
        """The model's memory is about to be given back; waits for calls that are in it."""
        with self._lock:
            self._vocab = None

    def _open(self) -> object:
        if self._vocab is None:
            raise NotReadyError("the model was unloaded")
        return self._vocab

    def _tokenize(self, text: str, *, parse_special: bool) -> list[int]:
        data = text.encode("utf-8", "replace")
        n_max = len(data) + 8
        with self._lock:
            vocab = self._open()
            buffer, n_tokens = _tokenized(vocab, data, n_max, parse_special=parse_special)
            if n_tokens < 0:  # a byte fallback can make more tokens than bytes; then it says how many
                buffer, n_tokens = _tokenized(vocab, data, -n_tokens, parse_special=parse_special)
        return list(buffer[:n_tokens])

    def _spell(self, token: int, *, special: bool) -> bytes:
        n_max = 64
        with self._lock:
            vocab = self._open()
            buffer = ctypes.create_string_buffer(n_max)
            n_bytes = llama_cpp.llama_token_to_piece(vocab, token, buffer, n_max, 0, special)
            if n_bytes < 0:
                n_max = -n_bytes
                buffer = ctypes.create_string_buffer(n_max)
                n_bytes = llama_cpp.llama_token_to_piece(vocab, token, buffer, n_max, 0, special)
        return buffer.raw[:n_bytes]

    def _attributes(self, token: int) -> int:
        with self._lock:
            return int(llama_cpp.llama_vocab_get_attr(self._open(), token))

    def _is_special(self, token: int) -> bool:
        special = _CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED
        return bool(self._attributes(token) & special) or self.is_stop(token)

    def _ends(self, token: int) -> bool:
        if self._attributes(token) & _CONTROL or token in self._marker_values:
            return True
        with self._lock:
            if llama_cpp.llama_vocab_is_eog(self._open(), token):
                return True
        return _MARKER.fullmatch(self._spell(token, special=True).decode("utf-8", "replace")) is not None


def _declared(metadata: Mapping[str, str], n_vocab: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for name, keys in _METADATA_KEYS.items():
        text = next((metadata[key] for key in keys if key in metadata), "")
        if text.isdecimal() and int(text) < n_vocab:
            found[name] = int(text)
    return found


def _tokenized(vocab: object, data: bytes, n_max: int, *, parse_special: bool) -> tuple[Any, int]:
    buffer = (llama_cpp.llama_token * n_max)()
    add_special = False
    n_tokens = llama_cpp.llama_tokenize(vocab, data, len(data), buffer, n_max, add_special, parse_special)
    return buffer, int(n_tokens)
