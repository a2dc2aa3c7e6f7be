"""What the engine is asked and what it answers: token ids in, tokens and one ending out.

The engine knows token ids, never files or positions. All values here are frozen and cross from the loop's thread to the
engine's and back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum

from codeassistd.errors import EngineError, PromptTooLongError
from codeassistd.metrics.work import NO_WORK, Work

__all__ = [
    "PROPOSAL",
    "DraftCount",
    "Ending",
    "EngineState",
    "EngineStatus",
    "FinishReason",
    "GenerateRequest",
    "Priority",
    "SamplingParams",
    "Token",
    "check_request",
]


class Priority(IntEnum):
    """Who goes first; lower is sooner."""

    COMPLETION = 0
    FOLLOW_UP = 1
    PREWARM = 2
    CHAT = 3
    BACKGROUND = 4


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How tokens are chosen and how many at most; greedy at temperature 0.

    Attributes:
        max_tokens: most tokens of output; 0 only reads the prompt into the cache.
        seed: of the draws at a temperature; the same seed gives the same text.
        top_k: draw among so many of the best; 0 among all.
        top_p: draw among the best that have this share of the probability together.
        min_p: draw among those that have at least this share of the best one's probability.
        repeat_penalty: divides the scores of tokens that stand among the last `repeat_window` of the output; 1 is none.
        frequency_penalty: taken from a token's score for each time that it stands there; 0 is none, below 0 is a bonus.
        presence_penalty: the same, once however often it stands there.
        grammar: GBNF that the output has to follow, with a rule named root; empty for none. Tens of milliseconds a
            token in a large vocabulary.
    """

    max_tokens: int = 64
    temperature: float = 0.0
    seed: int = 0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    repeat_window: int = 64
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    grammar: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether each choice depends on the scores alone: the best token, or a draw among all."""
        is_cut = self.temperature > 0.0 and (self.top_k > 0 or self.top_p < 1.0 or self.min_p > 0.0)
        return not (is_cut or self.is_penalised or self.grammar)

    @property
    def is_penalised(self) -> bool:
        """Whether tokens that were written before are chosen less likely for it."""
        return (self.repeat_penalty, self.frequency_penalty, self.presence_penalty) != (1.0, 0.0, 0.0)

    @property
    def fault(self) -> str:
        """What makes no sense in them, in one line; empty if all does."""
        if self.max_tokens < 0:
            return "max_tokens is negative; 0 only reads the prompt"
        if not 0.0 <= self.temperature < math.inf:
            return f"temperature is {self.temperature}; it must be 0 or more"
        if self.top_k < 0 or self.repeat_window < 0:
            return "top_k and repeat_window must be 0 or more"
        if not (0.0 < self.top_p <= 1.0 and 0.0 <= self.min_p <= 1.0):
            return "top_p and min_p are shares, from 0 to 1; top_p is not 0"
        return self._penalty_fault

    @property
    def _penalty_fault(self) -> str:
        if not 0.0 < self.repeat_penalty < math.inf:
            return f"repeat_penalty is {self.repeat_penalty}; it must be above 0, and 1 is none"
        if not (math.isfinite(self.frequency_penalty) and math.isfinite(self.presence_penalty)):
            return "frequency_penalty and presence_penalty must be finite; 0 is none"
        return ""


@dataclass(frozen=True, slots=True)
class GenerateRequest:
    """One sequence to generate.

    Attributes:
        prompt: token ids, in the model's vocabulary.
        client: who asks; a client's sequences are kept warm for it.
        stop_ids: token ids that end the sequence, beside the model's own end and control tokens.
        draft_sources: tokens that stand near the answer and are not in the prompt, such as the text behind the cursor;
            the answer may repeat them, and what it repeats is guessed ahead.
        max_draft: most tokens guessed ahead in one step, if the engine allows as many; 0 turns that off.
        proposal: tokens believed to be the answer, such as that to a similar prompt. They are read along with the end
            of the prompt, some at a time as long as they come true, and of them is kept what the model itself would
            have written; not bound by `max_draft`, and nothing where the model's memory cannot be cut.
    """

    prompt: tuple[int, ...]
    params: SamplingParams = SamplingParams()
    priority: Priority = Priority.COMPLETION
    client: str = ""
    stop_ids: frozenset[int] = frozenset()
    draft_sources: tuple[tuple[int, ...], ...] = ()
    max_draft: int = 64
    proposal: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Token:
    """One generated token.

    Attributes:
        text: the letters that this token completes; empty while a letter is spread over tokens.
        logprob: natural logarithm of the model's probability of this token.
        margin: distance in logits to the runner-up.
    """

    id: int
    text: str
    logprob: float
    margin: float


class FinishReason(StrEnum):
    """Why a sequence ended."""

    STOP = "stop"
    """An end, control or stop token; it is not part of the output."""
    LENGTH = "length"
    """`max_tokens`, or the end of the context."""
    ABORTED = "aborted"
    """Cancelled by its owner."""
    ERROR = "error"
    """A step failed."""


PROPOSAL = "proposal"
"""What the tokens that a request proposes are counted under."""


@dataclass(frozen=True, slots=True)
class DraftCount:
    """Tokens that one drafter guessed, and how many of them the model would have written too."""

    drafter: str
    n_drafted: int
    n_accepted: int


@dataclass(frozen=True, slots=True)
class Ending:
    """The one ending of a sequence, with its figures.

    Attributes:
        drafts: one for each drafter that guessed for it.
        cached_from: where its cached tokens were: its `slot`, `another slot`, `memory`, `disk`, or nowhere.
    """

    reason: FinishReason
    n_prompt: int
    n_cached: int
    n_output: int
    queue_ms: float
    prefill_ms: float
    ttft_ms: float
    total_ms: float
    error: str = ""
    drafts: tuple[DraftCount, ...] = ()
    cached_from: str = ""


class EngineState(StrEnum):
    """The life of the engine."""

    EMPTY = "empty"
    """No model was asked for, or none could be found."""
    LOADING = "loading"
    UNLOADED = "unloaded"
    """Nothing was asked for so long that the model's memory was given back; the next request loads it again."""
    READY = "ready"
    FAILED = "failed"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """What stands in `status` about the engine: asked and effective side by side.

    Attributes:
        detail: the cause when failed, the progress when loading.
        load_progress: from 0 to 1 while loading.
        asked, effective: settings as the user gave them and as they are in force (device, layers, KV types ...).
        warnings: one line per fallback taken.
        drafts: one for each drafter that guessed anything, over all ended sequences.
        cells_held: tokens that the slots with any tokens could hold; what is not used of them nobody else can use.
        kv_bytes: memory for keys and values of all slots, full or not.
        weight_bytes: memory that the weights take, estimated from the file; 0 if not known.
        work: what was done since the engine was started, over all models.
        n_saved, saved_bytes: states kept in memory beside the slots.
        n_restored: how often what was saved or in another slot spared reading, since the model was loaded.
        n_preempted: how often a sequence gave its slot up to one of a better priority.
        n_threads: processor threads in force; fewer than the asked ones while other work wants the cores.
        n_chunk: tokens of a prompt that a step reads beside one stream, to keep `step_goal_ms`.
        step_goal_ms: longest step beside a stream, as aimed at.
        step_ms: median time of the newest steps in milliseconds, by what they did: "decode 1", "prefill 17-32" ...
        prefill_tokens_per_s: speed at which prompts are read when nothing else runs; 0 until known.
        cancel_to_idle_ms_p50, cancel_to_idle_ms_p99: from a cancel to the sequence being gone; 0 until there was one.
        last_error, last_error_at: the newest step failure and its wall time in seconds.
    """

    state: EngineState
    detail: str = ""
    load_progress: float = 0.0
    asked: tuple[tuple[str, str], ...] = ()
    effective: tuple[tuple[str, str], ...] = ()
    warnings: tuple[str, ...] = ()
    n_slots: int = 0
    n_running: int = 0
    n_waiting: int = 0
    cells_used: int = 0
    cells_total: int = 0
    n_prompt: int = 0
    n_cached: int = 0
    n_output: int = 0
    n_finished: int = 0
    n_aborted: int = 0
    n_failed: int = 0
    last_error: str = ""
    last_error_at: float = 0.0
    drafts: tuple[DraftCount, ...] = ()
    kv_bytes: int = 0
    n_saved: int = 0
    saved_bytes: int = 0
    n_restored: int = 0
    n_preempted: int = 0
    n_threads: int = 0
    n_chunk: int = 0
    step_goal_ms: float = 0.0
    step_ms: Mapping[str, float] = field(default_factory=dict)
    prefill_tokens_per_s: float = 0.0
    cancel_to_idle_ms_p50: float = 0.0
    cancel_to_idle_ms_p99: float = 0.0
    cells_held: int = 0
    weight_bytes: int = 0
    work: Work = NO_WORK


def check_request(request: GenerateRequest, n_ctx: int, n_vocab: int) -> None:
    """See that a model with such a context and vocabulary can do a request.

    Raises:
        PromptTooLongError: the prompt leaves no room for one token of output.
        EngineError: the request makes no sense: empty prompt, unknown token ids, parameters out of range.
    """
    prompt = request.prompt
    if not prompt:
        raise EngineError("the prompt is empty; it needs at least one token")
    if len(prompt) >= n_ctx:
        raise PromptTooLongError(len(prompt), n_ctx - 1)
    if min(prompt) < 0 or max(prompt) >= n_vocab:
        # llama.cpp ends the process over some of these.
        raise EngineError(f"the prompt holds token ids outside of the model's {n_vocab}")
    if any(source and not 0 <= min(source) <= max(source) < n_vocab for source in request.draft_sources):
        raise EngineError(f"a source of guesses holds token ids outside of the model's {n_vocab}")
    if request.proposal and not 0 <= min(request.proposal) <= max(request.proposal) < n_vocab:
        raise EngineError(f"the proposal holds token ids outside of the model's {n_vocab}")
    if request.params.fault:
        raise EngineError(request.params.fault)
