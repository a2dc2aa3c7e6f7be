"""The protocol between the engine and what computes: one context of a model, holding several sequences.

`engine/llama/` implements it with llama.cpp, `testing.fake_backend` with a script. All methods are called from
the engine's thread, except `Vocabulary`, which is read-only after the load and may be called from any thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from codeassistd.engine.request import SamplingParams

__all__ = [
    "Backend",
    "BackendFactory",
    "BackendInfo",
    "Batch",
    "LoadProgress",
    "Logits",
    "SavedState",
    "TokenSampler",
    "Vocabulary",
]

Logits = npt.NDArray[np.float32]
"""Scores of every token of the vocabulary, one row per wanted position: shape (n_wanted, n_vocab)."""

SavedState = bytes | memoryview
"""What a sequence's tokens have become, as the backend writes it; nobody else looks into it."""

LoadProgress = Callable[[float], bool]
"""Told the loaded share, from 0 to 1; answering False gives the load up."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The tokens of one step, as parallel columns.

    Attributes:
        tokens: ids to read.
        positions: place of each token in its sequence, from 0.
        sequences: which sequence each token belongs to (0 <= id < n_slots).
        wanted: whether the logits after this token are needed.
    """

    tokens: Sequence[int]
    positions: Sequence[int]
    sequences: Sequence[int]
    wanted: Sequence[bool]

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, slots=True)
class BackendInfo:
    """What was loaded and what is in force.

    Attributes:
        n_ctx: tokens one sequence can hold.
        n_batch: most tokens of one step.
        n_slots: sequences held at once.
        metadata: the model file's own key-value pairs, as text.
        asked, effective: settings by name, as wished and as they are.
        warnings: one line per fallback.
        kv_bytes: memory that the keys and values of all slots take, full or not; those of a draft model count.
        state_id: the same for two loads if and only if each can restore what the other has saved; empty if none can.
        n_threads: processor threads that a step may use.
        weight_bytes: memory that the weights take, those of adapters and of a draft model among them; 0 if not known.
        model_id: the same for two loads if and only if they give the same answers to the same tokens, as far as their
            files decide: the model and its adapters. Empty where it is not known.
    """

    n_ctx: int
    n_batch: int
    n_slots: int
    n_vocab: int
    metadata: Mapping[str, str]
    asked: Mapping[str, str]
    effective: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    kv_bytes: int = 0
    state_id: str = ""
    n_threads: int = 1
    model_id: str = ""
    weight_bytes: int = 0


class Vocabulary(Protocol):
    """Text to token ids and back; safe to call from any thread."""

    @property
    def n_vocab(self) -> int:
        """Number of tokens."""

    @property
    def bos_id(self) -> int | None:
        """The token every prompt must begin with; None where the model has none or does not want it."""

    @property
    def metadata_markers(self) -> Mapping[str, int]:
        """Fill-in-middle tokens that the model file declares: keys of prefix, suffix, middle, pad, repo, sep."""

    def tokenize(self, text: str) -> list[int]:
        """Ids of plain text: control tokens spelled in it are ordinary letters, and nothing is put in front."""

    def marker_id(self, marker: str) -> int | None:
        """The id of a control token by its spelling; None unless it is exactly one token of the vocabulary."""

    def token_bytes(self, token: int) -> bytes:
        """The bytes a token stands for; empty for control tokens."""

    def is_stop(self, token: int) -> bool:
        """Whether the token ends an answer: end of generation, or any control token."""


class TokenSampler(Protocol):
    """Chooses the tokens of one sequence by rules that look back at what it chose before."""

    def choose(self, row: Logits) -> int | None:
        """Choose the token that follows, from its scores; it is remembered as written.

        Returns:
            The token; None where the rules allow none, which ends the sequence.
        """

    def close(self) -> None:
        """Give its memory back; before the backend is closed."""


class Backend(Protocol):
    """One model with one context."""

    @property
    def info(self) -> BackendInfo:
        """What was loaded."""

    @property
    def vocabulary(self) -> Vocabulary:
        """Its vocabulary."""

    @property
    def can_cut(self) -> bool:
        """Whether `remove` can take the last tokens of a sequence away; else it only forgets whole sequences."""

    @property
    def draft(self) -> Backend | None:
        """A smaller model of the same vocabulary that may guess for this one, with as many slots.

        It is closed with this one, and told of its threads. Its memory can be cut.
        """

    def decode(self, batch: Batch) -> Logits | None:
        """Read a batch of at most `info.n_batch` tokens.

        Returns:
            Rows for the wanted tokens in the batch's order, valid until the next call; None if `interrupt` stopped
            the step (then none of the batch's tokens are in the cache).

        Raises:
            DecodeError: the step failed; the caller must `clear`.
        """

    def remove(self, sequence: int, start: int) -> int:
        """Forget a sequence's tokens from position `start` on.

        Returns:
            How many tokens the sequence has left: `start`, or 0 where the model's memory cannot be cut in the middle.
        """

    def save(self, sequence: int) -> SavedState:
        """Write out what a sequence holds; empty if it holds nothing or cannot be saved. The sequence stays."""

    def restore(self, sequence: int, state: SavedState) -> bool:
        """Put a saved state in place of what a sequence holds; whatever it shared before, it is its own now.

        `state` must be whole and of this backend's `state_id`: the caller has checked that.

        Returns:
            Whether it worked; if not, the sequence is empty.
        """

    def sampler(self, params: SamplingParams) -> TokenSampler:
        """What chooses for a new sequence, where `params.is_plain` is false.

        Raises:
            EngineError: the grammar cannot be read.
        """

    def clear(self) -> None:
        """Forget everything in the cache."""

    def set_threads(self, n_threads: int) -> None:
        """Compute the next steps with that many processor threads, between 1 and `info.n_threads`."""

    def interrupt(self) -> None:
        """Ask a running `decode` to stop; may be called from any thread, and does nothing between steps."""

    def close(self) -> None:
        """Give the memory back; nothing may be called afterwards."""


BackendFactory = Callable[[LoadProgress], Backend]
"""Loads a backend, on a thread of its own. Raises ModelLoadError with a one-line cause."""
