"""What the engine's thread is told by others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

from codeassistd.engine.backend import BackendFactory
from codeassistd.engine.carrier import Carrier
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.state_folder import forget_states
from codeassistd.engine.stepper import Stepper
from codeassistd.errors import EngineError

__all__ = ["Forgetting", "Inbox", "carry_out_all"]


@dataclass(frozen=True, slots=True)
class Forgetting:
    """The wish that nothing is left of what was read for some clients.

    Attributes:
        is_gone: whether a client is one of them.
        done: resolved when nothing is left; an EngineError where that could not be done.
    """

    is_gone: Callable[[str], bool]
    done: Future[None] = field(default_factory=Future)

    def carry_out(self, carrier: Carrier | None, folder: Path | None) -> None:
        """Forget; on the engine's thread.

        Args:
            carrier: of the loaded model; None without one.
            folder: where states of any model are saved; None where none are.
        """
        # From here on nobody can take the wish back; one that was taken back before has nobody to be told.
        is_awaited = self.done.set_running_or_notify_cancel()
        problem: EngineError | None = EngineError("what was read could not be forgotten; the log has the cause")
        try:
            if carrier is not None:
                carrier.forget(self.is_gone)
            if folder is not None:
                forget_states(folder, self.is_gone)
            problem = None
        except OSError as error:
            problem = EngineError(f"the saved states in {folder} cannot be removed: {error.strerror}")
        finally:
            # Also where the guard of a step gets what went wrong: somebody waits.
            if is_awaited and problem is not None:
                self.done.set_exception(problem)
            elif is_awaited:
                self.done.set_result(None)


def carry_out_all(wishes: Iterable[Forgetting], carrier: Carrier | None, folder: Path | None) -> None:
    """Carry out each, also where one fails: whoever waits for another has to be answered."""
    with contextlib.ExitStack() as left:
        for wish in wishes:
            left.callback(wish.carry_out, carrier, folder)


@dataclass(slots=True)
class Inbox:
    """What has come since the thread last looked; guarded by the engine's lock.

    Attributes:
        cancelled: by sequence, the clock's reading when it was cancelled first.
        is_load_news: a load has got on or is over.
        unused: what had no work for so long that it is to be closed.
    """

    submitted: list[tuple[Stepper, Sequence]] = field(default_factory=list)
    cancelled: dict[Sequence, float] = field(default_factory=dict)
    forgetting: list[Forgetting] = field(default_factory=list)
    factory: BackendFactory | None = None
    is_load_news: bool = False
    unused: Stepper | None = None

    def __bool__(self) -> bool:
        return bool(self.submitted or self.cancelled or self.forgetting or self.factory or self.is_load_news)
