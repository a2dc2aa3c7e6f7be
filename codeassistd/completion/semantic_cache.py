"""Answers to nearly the same question, proposed to the model: what it would not have written itself is cut.

A scene that was answered before, on the same line before the same next line, most often gets the same answer when
something further away was changed. So the kept answer is handed to the engine beside the prompt, which reads all of it
in one step where it would have written it token by token. A wrong proposal costs a little time and never changes what
is shown; where proposals cost more than they spare, they end by themselves (`benefit`).

Used on the loop's thread, which never waits for more than `_PATIENCE_S`: vectors, entries and the disk belong to a
thread of its own.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from codeassistd.clock import Clock
from codeassistd.completion.semantic.benefit import Benefit, Speeds
from codeassistd.completion.semantic.embedding import Embedder, likeness
from codeassistd.completion.semantic.entry import KeptAnswer
from codeassistd.completion.semantic.levels import Levels
from codeassistd.completion.semantic.scene import Scene
from codeassistd.completion.semantic.vectors import HashedVectors, TokenVectors
from codeassistd.engine.backend import Vocabulary
from codeassistd.engine.request import PROPOSAL, Ending
from codeassistd.errors import ModelError, NotReadyError

__all__ = ["SemanticCache", "SemanticCount"]

_log = logging.getLogger(__name__)

_MEBIBYTE = 1 << 20
#: A proposal that is not found by then comes too late to be worth a wait.
_PATIENCE_S = 0.01
#: Scenes that may wait to be kept; a disk that hangs must not take the memory too.
_MAX_WAITING = 64
#: Of the pairs that `scene` was measured on, 2 % are less alike than this, and of those hardly any (3 %) go on alike:
#: fewer than pay for the rest.
_LEAST_LIKENESS = 0.6


@dataclass(slots=True)
class SemanticCount:
    """What came of it since the start.

    Attributes:
        n_proposed: requests with a proposal that the engine has judged.
        n_confirmed: those of them of which the model would have written all.
        n_tokens, n_tokens_confirmed: tokens that were proposed, and those that the model would have written.
        n_withheld: proposals that were not made because they do not pay.
        saved_ms: what the proposals spared the engine, less what they cost.
    """

    n_proposed: int = 0
    n_confirmed: int = 0
    n_tokens: int = 0
    n_tokens_confirmed: int = 0
    n_withheld: int = 0
    saved_ms: float = 0.0


class SemanticCache:
    """The cache of one daemon.

    Attributes:
        count: what came of it.
    """

    def __init__(self, folder: Path, max_mb: int, vectors_of: Callable[[], TokenVectors], clock: Clock) -> None:
        """Keep answers in memory and in `folder`.

        Args:
            folder: of the store, which holds nothing else.
            max_mb: MiB of the store; 0 keeps nothing anywhere.
            vectors_of: opens the vectors of the loaded model; raises ModelError where they cannot be read.
            clock: bounds the waits.
        """
        self._max_mb = max_mb
        self._vectors_of = vectors_of
        self._clock = clock
        self._levels = Levels(folder, max_mb * _MEBIBYTE, clock)
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="semantic-cache")
        self._is_closed = False
        # Counted by the loop's thread and by the other.
        self._n_given = self._n_kept = 0
        self._embedder: Embedder | None = None
        self._vectors_problem = ""
        self._benefit = Benefit()
        self.count = SemanticCount()
        if max_mb:
            self._thread.submit(self._levels.open)

    @classmethod
    def switched_off(cls, clock: Clock) -> SemanticCache:
        """One that keeps nothing."""
        return cls(Path(), 0, HashedVectors, clock)

    @property
    def is_on(self) -> bool:
        """Whether anything is kept at all."""
        return self._max_mb > 0 and not self._is_closed

    async def find(self, scene: Scene | None) -> tuple[int, ...]:
        """The tokens of the answer to propose for `scene`; none where nothing is alike, or not found in time."""
        if scene is None or not self.is_on or not self._levels.may_have(scene.key):
            return ()
        if not self._benefit.is_due:
            self._benefit = self._benefit.withheld()
            self.count.n_withheld += 1
            return ()
        found = asyncio.wrap_future(self._thread.submit(self._choose, scene))
        patience = asyncio.get_running_loop().create_task(self._clock.sleep(_PATIENCE_S))
        try:
            await asyncio.wait((found, patience), return_when=asyncio.FIRST_COMPLETED)
        finally:
            patience.cancel()
            found.cancel()
        if not found.done() or found.cancelled():
            return ()
        try:
            return found.result()
        except NotReadyError:
            # The model was unloaded meanwhile.
            return ()

    def put(self, scene: Scene | None, tokens: tuple[int, ...]) -> None:
        """Keep the whole answer that was given in `scene`; returns at once."""
        if scene is None or not tokens or not self.is_on or self._n_given - self._n_kept >= _MAX_WAITING:
            return
        self._n_given += 1
        self._thread.submit(self._keep, scene, tokens).add_done_callback(_tell)

    def judge(self, ending: Ending, speeds: Speeds) -> float:
        """Learn what became of a proposal; gives the milliseconds that it spared, below 0 if it cost more."""
        count = next((count for count in ending.drafts if count.drafter == PROPOSAL), None)
        if count is None or not count.n_drafted:
            return 0.0
        gain_ms = speeds.gain_ms(count.n_drafted, count.n_accepted) if speeds.are_known else 0.0
        total = self.count
        total.n_proposed += 1
        total.n_confirmed += count.n_accepted == count.n_drafted
        total.n_tokens += count.n_drafted
        total.n_tokens_confirmed += count.n_accepted
        total.saved_ms += gain_ms
        if speeds.are_known:
            self._benefit = self._benefit.judged(gain_ms)
        return gain_ms

    def status(self) -> dict[str, object]:
        """How it stands, for people."""
        count = self.count
        return {
            "asked_mb": self._max_mb,
            "effective": self._effective(),
            "problem": self._levels.problem or self._vectors_problem,
            "n_keys": self._levels.n_keys,
            "n_proposed": count.n_proposed,
            "n_confirmed": count.n_confirmed,
            "n_tokens": count.n_tokens,
            "confirmed_share": round(count.n_tokens_confirmed / count.n_tokens, 4) if count.n_tokens else 0.0,
            "n_withheld": count.n_withheld,
            "saved_ms": round(count.saved_ms, 1),
        }

    def drop_workspace(self, root: Path) -> None:
        """A workspace is closed: forget what memory holds of it."""
        if self.is_on:
            self._thread.submit(self._levels.drop_workspace, root)

    def clear(self) -> Future[tuple[int, int]]:
        """Forget everything, in memory and on disk; the future has the number of files and bytes that were removed.

        The future raises StoreError where that cannot be done.
        """
        if self.is_on:
            return self._thread.submit(self._levels.clear)
        nothing: Future[tuple[int, int]] = Future()
        nothing.set_result((0, 0))
        return nothing

    def close(self) -> None:
        """Write what still waits, and give the files back; blocks for as long as that takes."""
        if self.is_on:
            self._thread.submit(self._levels.close)
        self._is_closed = True
        self._thread.shutdown(wait=True)

    def flush(self) -> None:
        """Wait until all that was given so far is kept; for tests."""
        self._thread.submit(lambda: None).result()

    def _effective(self) -> str:
        if not self._max_mb:
            return "off"
        if not self._benefit.pays:
            return "paused"
        return "memory" if self._levels.problem else "memory and disk"

    # --- on the thread ---

    def _choose(self, scene: Scene) -> tuple[int, ...]:
        answers = self._levels.get(scene.key, scene.root)
        if not answers:
            return ()
        vector = self._vector(scene)
        # Of equal ones the newest.
        best = max(answers, key=lambda answer: likeness(vector, answer.vector))
        return best.tokens if likeness(vector, best.vector) >= _LEAST_LIKENESS else ()

    def _keep(self, scene: Scene, tokens: tuple[int, ...]) -> None:
        self._n_kept += 1
        self._embedder_of(scene.vocabulary).learn(scene.lines)
        self._levels.put(scene.key, scene.root, KeptAnswer(tokens, self._vector(scene)))

    def _vector(self, scene: Scene) -> bytes:
        try:
            return self._embedder_of(scene.vocabulary).vector(scene.lines)
        except ModelError as error:
            return self._without_vectors(scene.vocabulary, error).vector(scene.lines)

    def _embedder_of(self, vocabulary: Vocabulary) -> Embedder:
        if self._embedder is None or self._embedder.vocabulary is not vocabulary:
            try:
                self._embedder = Embedder(vocabulary, self._vectors_of())
                self._vectors_problem = ""
            except ModelError as error:
                return self._without_vectors(vocabulary, error)
        return self._embedder

    def _without_vectors(self, vocabulary: Vocabulary, error: ModelError) -> Embedder:
        """The model's own vectors cannot be read: tell it once, and compare the tokens alone."""
        self._vectors_problem = f"scenes are compared by their tokens alone: {error}"
        _log.warning("semantic cache: %s", self._vectors_problem)
        self._embedder = Embedder(vocabulary, HashedVectors())
        return self._embedder


def _tell(done: Future[None]) -> None:
    """What goes wrong on the thread must not pass unseen; an unloaded model is nothing wrong."""
    error = None if done.cancelled() else done.exception()
    if error is not None and not isinstance(error, NotReadyError):
        _log.error("an answer could not be kept", exc_info=error)
