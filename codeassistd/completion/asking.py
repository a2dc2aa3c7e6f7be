"""What is asked of the engine: which model answers, the prompt for a cursor, and how much room it leaves."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from codeassistd.catalogue.profile import Profile
from codeassistd.clock import Clock
from codeassistd.completion.policy import Silence, output_limit
from codeassistd.completion.semantic.benefit import Speeds
from codeassistd.completion.types import CompletionRequest
from codeassistd.config import ContextSettings
from codeassistd.context.builder import ContextBuilder
from codeassistd.context.reading import SteadySpeed, default_cold_ms, default_key_ms, key_tokens, readable_tokens
from codeassistd.context.types import ContextRequest, Prompt
from codeassistd.engine.backend import Vocabulary
from codeassistd.engine.engine import Engine
from codeassistd.engine.generation import Generation
from codeassistd.engine.request import EngineState, GenerateRequest, Priority, SamplingParams
from codeassistd.metrics.spans import Outcome, PartSize

__all__ = ["Asked", "Asking", "Model"]

_log = logging.getLogger(__name__)

#: The engine's name for a step that writes one token of one text.
_ONE_STREAM = "decode 1"
_WHY_NO_MODEL = {
    EngineState.EMPTY: "no model is set; choose one with `codeassistd model use`",
    EngineState.FAILED: "the model could not be loaded: {detail}",
    EngineState.STOPPED: "the engine is stopped",
}


@dataclass(frozen=True, slots=True)
class Model:
    """What answers, and how fast it reads.

    Attributes:
        identity: the same for two loads if they give the same answers.
    """

    identity: str
    vocabulary: Vocabulary
    profile: Profile
    n_ctx: int
    n_gpu_layers: int
    tokens_per_s: float

    def readable(self, cold_ms: int) -> int:
        """Most tokens of a prompt that is to be read within `cold_ms` (0: what suits the device)."""
        return readable_tokens(self.tokens_per_s, cold_ms or default_cold_ms(self.n_gpu_layers))

    def per_key(self, key_ms: int) -> int:
        """Most tokens that one typed letter may have read again within `key_ms` (0: what suits the device)."""
        return key_tokens(self.tokens_per_s, key_ms or default_key_ms(self.n_gpu_layers))


@dataclass(frozen=True, slots=True)
class Asked:
    """A prompt that is ready to be sent.

    Attributes:
        n_output: most tokens of the answer.
        build_ms: what it took to build.
    """

    prompt: Prompt
    n_output: int
    build_ms: float

    @property
    def part_sizes(self) -> tuple[PartSize, ...]:
        """The tokens of each part, in order."""
        return tuple(PartSize(part.kind.value, part.n_tokens, part.score) for part in self.prompt.parts)


class Asking:
    """Builds prompts and sends them; used on the loop's thread.

    Attributes:
        warnings: one line for each setting that could not be followed as given.
    """

    def __init__(
        self, engine: Engine, builder: ContextBuilder, profile_of: Callable[[Vocabulary], Profile], clock: Clock
    ) -> None:
        self._engine = engine
        self._builder = builder
        self._profile_of = profile_of
        self._clock = clock
        self._speed = SteadySpeed()
        self.warnings: tuple[str, ...] = ()

    def model(self) -> Model | Silence:
        """What can answer now, or why nothing can."""
        vocabulary, info, status = self._engine.vocabulary, self._engine.info, self._engine.status()
        self._engine.wake()
        if status.state in {EngineState.LOADING, EngineState.UNLOADED}:
            return Silence(Outcome.LOADING, f"the model is being loaded ({status.detail})")
        if vocabulary is None or info is None:
            return Silence(Outcome.ERROR, _WHY_NO_MODEL.get(status.state, "{detail}").format(detail=status.detail))
        profile = self._profile_of(vocabulary)
        if profile.refused:
            return Silence(Outcome.SILENT, profile.warning or "the model has no fill-in-middle markers (model.fim)")
        n_gpu_layers = int(info.effective.get("gpu_layers", 0))
        speed = self._speed.follow(status.prefill_tokens_per_s)
        return Model(info.model_id, vocabulary, profile, info.n_ctx, n_gpu_layers, speed)

    def prompt(self, request: CompletionRequest, model: Model) -> Asked:
        """The prompt for the cursor of `request`.

        Raises:
            PromptTooLongError: the model's context has no room for one.
        """
        asked = request.settings.max_tokens
        n_output = output_limit(asked, model.n_ctx)
        if n_output < asked:
            self._warn(
                f"completion.max_tokens is {asked}, but the context holds {model.n_ctx} tokens: {n_output} are used; "
                "raise model.n_ctx or lower completion.max_tokens"
            )
        begun_s = self._clock.monotonic_s()
        prompt = self._builder.build(
            ContextRequest(
                document=request.document,
                offset=request.offset,
                root=request.root,
                facts=request.facts,
                settings=request.context,
                n_output=n_output,
                n_max=model.n_ctx,
                n_readable=model.readable(request.context.cold_ms),
                n_key=model.per_key(request.context.key_ms),
                client=request.client,
                edits=request.edits,
            ),
            model.vocabulary,
            model.profile,
        )
        return Asked(prompt, n_output, 1000 * (self._clock.monotonic_s() - begun_s))

    def forget(self, client: str, uri: str) -> None:
        """A client has closed a document."""
        self._builder.forget(client, uri)

    def reading(self, settings: ContextSettings) -> dict[str, dict[str, int]]:
        """How long prompts may take to read, as asked for and as in force, with the tokens that come of it."""
        asked = {"max_tokens": settings.max_tokens, "cold_ms": settings.cold_ms, "key_ms": settings.key_ms}
        info = self._engine.info
        if info is None:
            return {"asked": asked, "effective": {}}
        n_gpu_layers, speed = int(info.effective.get("gpu_layers", 0)), self._speed.in_use
        cold_ms = settings.cold_ms or default_cold_ms(n_gpu_layers)
        key_ms = settings.key_ms or default_key_ms(n_gpu_layers)
        effective = {
            "max_tokens": min(settings.max_tokens, readable_tokens(speed, cold_ms)),
            "cold_ms": cold_ms,
            "key_ms": key_ms,
            "key_tokens": key_tokens(speed, key_ms),
            "tokens_per_s": round(speed),
        }
        return {"asked": asked, "effective": effective}

    def answer(
        self, asked: Asked, client: str, priority: Priority = Priority.COMPLETION, proposal: tuple[int, ...] = ()
    ) -> Generation:
        """Have the answer generated, of which `proposal` is kept as far as the model would write it.

        Raises:
            EngineError: the engine does not take it.
        """
        return self._engine.submit(
            GenerateRequest(
                asked.prompt.ids,
                SamplingParams(max_tokens=asked.n_output),
                priority,
                client,
                draft_sources=asked.prompt.beside,
                proposal=proposal,
            )
        )

    def speeds(self) -> Speeds:
        """What the engine takes for a token."""
        status = self._engine.status()
        per_s = status.prefill_tokens_per_s
        return Speeds(write_ms=status.step_ms.get(_ONE_STREAM, 0.0), read_ms=1000 / per_s if per_s else 0.0)

    def read(self, asked: Asked, client: str) -> Generation:
        """Have the prompt read into the cache, behind all completions; nothing is generated.

        Raises:
            EngineError: the engine does not take it.
        """
        return self._engine.submit(
            GenerateRequest(asked.prompt.ids, SamplingParams(max_tokens=0), Priority.PREWARM, client)
        )

    def _warn(self, warning: str) -> None:
        if warning not in self.warnings:
            self.warnings = (*self.warnings, warning)
            _log.warning(warning)
