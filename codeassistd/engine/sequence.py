"""The state of one generation, from its request to its one ending; only the engine's thread writes it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from codeassistd.engine.backend import TokenSampler
from codeassistd.engine.request import DraftCount, Ending, GenerateRequest, Token
from codeassistd.engine.utf8 import Utf8Stream

__all__ = ["Sequence"]


class Sequence:
    """One generation.

    `tokens` is the prompt and the output so far; the first `n_read` of them are in the cache. What is left is read in
    the next steps, and a step that reads the last one gives the next token. So reading a prompt, going on by one token
    and coming back after a preemption are the same thing.

    Attributes:
        sink: where its tokens and its ending go.
        arrival: order of coming; earlier goes first among equals.
        slot: where its tokens are cached, while it runs.
        chooser: chooses its tokens, where its parameters ask for more than the best or a plain draw.
        draft: tokens that the next step reads behind its last one, guessed and not part of `tokens`.
        drafts: what was guessed for it so far, by drafter.
        n_cached: prompt tokens found in the cache when it first got a slot.
        cached_from: where these were (see `Slot.origin`).
        n_shared: tokens that some slot began with when it was queued; an estimate of what need not be read.
        queued_at, served_at: the scheduler's count of steps when it came, and when it last got a slot or was read.
        submitted_s, admitted_s, first_s: clock readings; the latter two are None until it happens.
    """

    __slots__ = (
        "admitted_s",
        "arrival",
        "cached_from",
        "chooser",
        "draft",
        "drafts",
        "draws",
        "first_s",
        "letters",
        "n_cached",
        "n_read",
        "n_shared",
        "queued_at",
        "request",
        "served_at",
        "sink",
        "slot",
        "submitted_s",
        "tokens",
    )

    def __init__(
        self,
        request: GenerateRequest,
        *,
        arrival: int = 0,
        submitted_s: float = 0.0,
        sink: Callable[[Token | Ending], None] = lambda _item: None,
    ) -> None:
        self.request = request
        self.sink = sink
        self.arrival = arrival
        self.submitted_s = submitted_s
        self.admitted_s: float | None = None
        self.first_s: float | None = None
        self.tokens = list(request.prompt)
        self.draft: tuple[int, ...] = ()
        self.drafts: tuple[DraftCount, ...] = ()
        self.n_read = 0
        self.n_cached = 0
        self.cached_from = ""
        self.n_shared = 0
        self.queued_at = 0
        self.served_at = 0
        self.slot: int | None = None
        self.letters = Utf8Stream()
        self.chooser: TokenSampler | None = None
        self.draws = np.random.default_rng(request.params.seed)

    @property
    def n_prompt(self) -> int:
        """Tokens of the prompt."""
        return len(self.request.prompt)

    @property
    def n_output(self) -> int:
        """Tokens generated so far."""
        return len(self.tokens) - len(self.request.prompt)

    @property
    def n_pending(self) -> int:
        """Tokens that must still be read before the next one can be chosen."""
        return len(self.tokens) - self.n_read

    @property
    def is_decoding(self) -> bool:
        """Whether the next step only goes on by one token."""
        return self.n_pending == 1 and self.n_output > 0

    @property
    def held_slot(self) -> int:
        """Its slot; only for one that runs."""
        if self.slot is None:
            raise ValueError("only a running sequence has a slot")
        return self.slot
