"""What the engine shows of itself: the core at each step, the figures when they are due."""

from __future__ import annotations

from codeassistd.engine.board import Board
from codeassistd.engine.request import EngineState, GenerateRequest, SamplingParams
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.stepper import Stepper, Totals
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_clock import FakeClock
from codeassistd.testing.fake_script import FakeScript


class Scene:
    """A stepper whose board is told after each step, as the engine does."""

    def __init__(self) -> None:
        self.backend = FakeBackend(FakeScript(default="b" * 200), warnings=("slow",))
        self.backend.load(lambda _share: True)
        self.totals = Totals()
        self.stepper = Stepper(
            self.backend, FakeClock(), self.totals, lambda backend, _step, batch: backend.decode(batch), max_draft=0
        )
        self.board = Board(EngineState.LOADING, self.totals)
        self.board.show(EngineState.READY, self.stepper)

    def submit(self, n_tokens: int) -> None:
        prompt = tuple(self.backend.vocabulary.tokenize("x"))
        self.stepper.scheduler.add(Sequence(GenerateRequest(prompt, SamplingParams(max_tokens=n_tokens))))

    def steps(self, n_steps: int) -> None:
        for _ in range(n_steps):
            self.stepper.step()
            self.board.show(EngineState.READY, self.stepper)


def test_without_a_model_there_is_little_to_tell() -> None:
    """The state, its cause and how far the load is."""
    board = Board(EngineState.EMPTY, Totals())
    assert EngineState.EMPTY is board.status().state
    board.show(EngineState.LOADING, None, "40 %", 0.4)
    status = board.status()
    assert (EngineState.LOADING, "40 %", 0.4, ()) == (board.state, board.detail, board.load_progress, status.warnings)


def test_what_runs_is_told_at_each_step() -> None:
    """Running, waiting and cells, and the settings of the backend that is loaded."""
    scene = Scene()
    scene.submit(100)
    scene.steps(3)
    status = scene.board.status()
    assert (1, 0, 3, 4 * 4096) == (status.n_running, status.n_waiting, status.cells_used, status.cells_total)
    assert ((("device", "fake"),), ("slow",), 4) == (status.effective, status.warnings, status.n_slots)


def test_the_work_done_outlives_the_model() -> None:
    """Sums only grow: who reads them twice takes the difference, also over an unload."""
    scene = Scene()
    scene.submit(100)
    scene.steps(40)
    n_steps = scene.board.status().work.n_steps
    scene.board.show(EngineState.UNLOADED, None)
    assert 0 < n_steps <= scene.board.status().work.n_steps
    assert (0, 0) == (scene.board.status().weight_bytes, scene.board.status().cells_held)


def test_figures_are_put_together_when_they_are_due() -> None:
    """Not at each step: once in 32 of them, and when a sequence has ended or nothing is left to do."""
    scene = Scene()
    before = scene.board.status().step_ms
    assert {} == before
    scene.submit(150)
    scene.steps(31)
    assert before is scene.board.status().step_ms
    scene.steps(1)
    assert {"decode 1", "prefill 1"} == set(scene.board.status().step_ms)
    scene.steps(10)
    scene.submit(1)
    scene.steps(1)
    assert (1, {"decode 1", "prefill 1", "mixed"}) == (
        scene.board.status().n_finished,
        set(scene.board.status().step_ms),
    )


def test_a_failure_is_told_with_the_next_state() -> None:
    """With its time; what a failed reload left to say stands behind the model's own warnings."""
    scene = Scene()
    old = scene.board.news
    scene.board.fail("the file is cut off", 12.5)
    scene.board.warning = "the old one goes on"
    assert old == scene.board.news
    scene.board.show(EngineState.READY, scene.stepper)
    status = scene.board.status()
    assert ("the file is cut off", 12.5) == (status.last_error, status.last_error_at)
    assert ("slow", "the old one goes on") == status.warnings
    assert old != scene.board.news
