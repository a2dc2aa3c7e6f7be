"""What each step reads, and who runs."""

from __future__ import annotations

from collections.abc import Sequence as Items

from codeassistd.engine.request import GenerateRequest, Priority, SamplingParams
from codeassistd.engine.scheduler import N_BESIDE, Scheduler, Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.slots import Slots


def scheduler(n_slots: int = 2, n_batch: int = 100, n_ctx: int = 10_000) -> Scheduler:
    return Scheduler(Slots(n_slots, n_ctx), n_batch)


def sequence(
    name: str, n_prompt: int, priority: Priority = Priority.COMPLETION, arrival: int = 0, client: str = ""
) -> Sequence:
    """A sequence whose tokens are all its name's letter."""
    prompt = (ord(name),) * n_prompt
    return Sequence(
        GenerateRequest(prompt, SamplingParams(), priority=priority, client=client or name), arrival=arrival
    )


def pieces(step: Step) -> list[tuple[str, int, int, bool]]:
    """Each piece as (name, start, number of tokens, is last)."""
    return [(chr(piece.sequence.tokens[0]), piece.start, len(piece.tokens), piece.is_last) for piece in step.pieces]


def do_step(scheduler: Scheduler) -> Step:
    """One whole step, each read sequence getting a next token."""
    scheduler.admit()
    step = scheduler.plan()
    scheduler.commit(step)
    for piece in step.pieces:
        if piece.is_last:
            piece.sequence.tokens.append(0)
    return step


def names(sequences: Items[Sequence]) -> str:
    return "".join(chr(sequence.tokens[0]) for sequence in sequences)


def test_a_long_prompt_is_read_in_pieces() -> None:
    """A prompt longer than the batch takes several steps, and only the last one asks for scores."""
    plan = scheduler(n_batch=100)
    plan.add(sequence("a", 250))
    assert [("a", 0, 100, False)] == pieces(do_step(plan))
    assert [("a", 100, 100, False)] == pieces(do_step(plan))
    assert [("a", 200, 50, True)] == pieces(do_step(plan))
    assert [("a", 250, 1, True)] == pieces(do_step(plan))


def test_running_streams_go_on_before_prompts_are_read() -> None:
    """Every stream gets its token in each step; a prompt beside them is read in short pieces."""
    plan = scheduler(n_slots=3, n_batch=200)
    plan.add(sequence("a", 5))
    plan.add(sequence("b", 5, arrival=1))
    do_step(plan)
    plan.add(sequence("c", 150, arrival=2))
    assert [("a", 5, 1, True), ("b", 5, 1, True), ("c", 0, N_BESIDE, False)] == pieces(do_step(plan))


def test_prompts_are_read_by_priority_and_then_by_arrival() -> None:
    """A keystroke that came last is read first."""
    plan = scheduler(n_slots=4, n_batch=100)
    plan.add(sequence("a", 60, Priority.CHAT, arrival=0))
    plan.add(sequence("b", 60, Priority.COMPLETION, arrival=1))
    plan.add(sequence("c", 60, Priority.COMPLETION, arrival=2))
    assert [("b", 0, 60, True), ("c", 0, 40, False)] == pieces(do_step(plan))


def test_background_work_leaves_room_to_be_overtaken() -> None:
    """A step of background work alone stays short, since a key press can only wait for its end."""
    plan = scheduler(n_batch=512)
    plan.add(sequence("a", 500, Priority.BACKGROUND))
    assert [("a", 0, N_BESIDE, False)] == pieces(do_step(plan))


def test_an_ended_sequence_frees_its_slot_at_once() -> None:
    """The next one in the queue runs in the very next step, in the slot that got free."""
    plan = scheduler(n_slots=1)
    first, second = sequence("a", 5), sequence("b", 5, arrival=1)
    plan.add(first)
    plan.add(second)
    do_step(plan)
    assert (1, 1) == (plan.n_running, plan.n_waiting)
    plan.remove(first)
    assert [("b", 0, 5, True)] == pieces(do_step(plan))
    assert (1, 0) == (plan.n_running, plan.n_waiting)


def test_a_better_priority_takes_the_slot_of_the_last_in_the_order() -> None:
    """Of two background sequences the younger gives way, and goes on without loss when there is room again."""
    plan = scheduler(n_slots=2)
    older = sequence("a", 5, Priority.BACKGROUND, arrival=0)
    younger = sequence("b", 5, Priority.BACKGROUND, arrival=1)
    plan.add(older)
    plan.add(younger)
    do_step(plan)
    do_step(plan)
    key_press = sequence("c", 5, arrival=2)
    plan.add(key_press)
    assert "c" == names(plan.admit())
    assert (None, 0) == (younger.slot, younger.n_read)
    assert 7 == len(younger.tokens)
    plan.remove(key_press)
    assert "b" == names(plan.admit())
    assert [("a", 6, 1, True), ("b", 0, 7, True)] == pieces(plan.plan())


def test_equals_are_never_preempted() -> None:
    """A second keystroke waits while the first has the only slot."""
    plan = scheduler(n_slots=1)
    plan.add(sequence("a", 5))
    do_step(plan)
    plan.add(sequence("b", 5, arrival=1))
    assert () == plan.admit()


def test_a_step_that_was_not_read_is_planned_again() -> None:
    """An interrupted step leaves no trace: the same pieces come again, without who was removed."""
    plan = scheduler(n_slots=2)
    gone, stays = sequence("a", 30), sequence("b", 30, arrival=1)
    plan.add(gone)
    plan.add(stays)
    plan.admit()
    assert [("a", 0, 30, True), ("b", 0, 30, True)] == pieces(plan.plan())
    plan.remove(gone)
    assert [("b", 0, 30, True)] == pieces(plan.plan())


def test_more_streams_than_the_batch_holds_do_not_overfill_it() -> None:
    """With a batch of two, three streams share the steps."""
    plan = scheduler(n_slots=3, n_batch=2)
    for arrival, name in enumerate("abc"):
        plan.add(sequence(name, 1, arrival=arrival))
    assert all(do_step(plan).n_tokens <= 2 for _ in range(6))


def test_a_cut_that_the_backend_cannot_do_is_read_again() -> None:
    """Where the model's memory only forgets whole sequences, reading begins at 0."""
    plan = scheduler(n_slots=1)
    first = sequence("a", 20)
    plan.add(first)
    do_step(plan)
    plan.remove(first)
    second = sequence("a", 30, arrival=1)
    plan.add(second)
    plan.admit()
    assert 20 == second.n_read
    plan.rewind(second, 0)
    assert [("a", 0, 30, True)] == pieces(plan.plan())
    assert 0 == plan.slots.cells_used
