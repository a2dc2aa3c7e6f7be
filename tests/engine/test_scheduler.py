"""What each step reads, and who runs."""

from __future__ import annotations

from collections.abc import Sequence as Items

from codeassistd.engine.pace import Load, Pace
from codeassistd.engine.request import GenerateRequest, Priority, SamplingParams
from codeassistd.engine.scheduler import PATIENCE, Scheduler, Step
from codeassistd.engine.sequence import Sequence
from codeassistd.engine.slots import Slots


def processor() -> Pace:
    """One row takes 12 ms, a second one 4 more, a token of a prompt 1 ms; the goal is 60."""
    pace = Pace(60.0, 10_000)
    for n_rows in range(1, 5):
        pace.record(Load(n_rows=n_rows), 8.0 + 4.0 * n_rows)
    pace.record(Load(n_read=64), 64.0)
    return pace


def gpu() -> Pace:
    """Rows are free."""
    pace = Pace(30.0, 10_000)
    for n_rows in range(1, 5):
        pace.record(Load(n_rows=n_rows), 8.0)
    pace.record(Load(n_read=512), 30.0)
    return pace


def scheduler(
    n_slots: int = 2,
    n_batch: int = 100,
    n_ctx: int = 10_000,
    pace: Pace | None = None,
    client_budget: int | None = None,
) -> Scheduler:
    return Scheduler(Slots(n_slots, n_ctx), n_batch, pace or processor(), client_budget)


def sequence(
    name: str,
    n_prompt: int,
    priority: Priority = Priority.COMPLETION,
    *,
    arrival: int = 0,
    client: str = "",
    max_tokens: int = 64,
) -> Sequence:
    """A sequence whose tokens are all its name's letter."""
    prompt = (ord(name),) * n_prompt
    return Sequence(
        GenerateRequest(prompt, SamplingParams(max_tokens), priority=priority, client=client or name), arrival=arrival
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
    """Every stream gets its token in each step; beside them a piece of a prompt is read that keeps the goal."""
    plan = scheduler(n_slots=3, n_batch=200)
    plan.add(sequence("a", 5))
    plan.add(sequence("b", 5, arrival=1))
    do_step(plan)
    plan.add(sequence("c", 150, arrival=2))
    assert [("a", 5, 1, True), ("b", 5, 1, True), ("c", 0, 32, False)] == pieces(do_step(plan))


def test_a_completion_that_is_alone_reads_in_long_steps() -> None:
    """Work that was set aside for it, or that waits behind it, is no reason for small steps; a stop would lose more."""
    plan = scheduler(n_slots=4, n_batch=500)
    plan.add(sequence("a", 300, Priority.BACKGROUND))
    do_step(plan)
    plan.add(sequence("b", 300, Priority.CHAT, arrival=1))
    plan.add(sequence("c", 490, arrival=2))
    assert [("c", 0, 480, False)] == pieces(do_step(plan))


def test_two_prompts_of_equal_priority_keep_the_goal() -> None:
    """The short one is not held up by a step that is filled with the long one."""
    plan = scheduler(n_slots=2, n_batch=500)
    plan.add(sequence("a", 400))
    plan.add(sequence("b", 20, arrival=1))
    assert [("b", 0, 20, True), ("a", 0, 28, False)] == pieces(do_step(plan))


def test_shortest_work_goes_first() -> None:
    """Within a priority what is left to read and to write counts, not who came first."""
    plan = scheduler(n_slots=1)
    for arrival, (name, n_prompt, max_tokens) in enumerate([("a", 90, 64), ("b", 40, 64), ("c", 40, 10)]):
        plan.add(sequence(name, n_prompt, arrival=arrival, max_tokens=max_tokens))
    order = ""
    for _ in range(3):
        (admitted,) = plan.admit()
        order += names([admitted])
        plan.remove(admitted)
    assert "cba" == order


def test_what_is_cached_counts_as_read() -> None:
    """A long prompt of which a slot has nearly all is short work."""
    plan = scheduler(n_slots=1)
    known = sequence("a", 90)
    plan.add(known)
    do_step(plan)
    plan.remove(known)
    plan.add(sequence("b", 50, arrival=1))
    plan.add(sequence("a", 100, arrival=2))
    assert "a" == names(plan.admit())


def test_long_work_does_not_wait_for_ever() -> None:
    """While shorter work comes without end, what waits counts less with each step, until it is first."""
    plan = scheduler(n_slots=1)
    plan.add(sequence("a", 9000))
    n_before = 0
    while True:
        plan.add(sequence("b", 5, arrival=1 + n_before))
        (admitted,) = plan.admit()
        if names([admitted]) == "a":
            break
        do_step(plan)
        plan.remove(admitted)
        n_before += 1
    assert 282 == n_before  # (9,000 - 5) / 32


def test_clients_take_turns() -> None:
    """One client's many requests do not go before the single one of another, which is even a little longer."""
    plan = scheduler(n_slots=2)
    for arrival, name in enumerate("abc"):
        plan.add(sequence(name, 50, arrival=arrival, client="busy"))
    plan.add(sequence("d", 80, arrival=3, client="other"))
    assert "ad" == names(plan.admit())


def test_a_client_keeps_to_its_budget() -> None:
    """Beyond it the client's own work waits, while that of others goes on; one sequence it may always have."""
    plan = scheduler(n_slots=4, client_budget=300)
    for arrival, name in enumerate("abc"):
        plan.add(sequence(name, 80, arrival=arrival, client="one"))
    plan.add(sequence("d", 2000, arrival=3, client="two"))
    assert "abd" == names(plan.admit())
    assert 1 == plan.n_waiting


def test_background_work_does_not_use_up_the_budget_of_a_key_press() -> None:
    """Only work of the same or a better priority counts."""
    plan = scheduler(n_slots=4, client_budget=300)
    plan.add(sequence("a", 290, Priority.BACKGROUND, client="one"))
    plan.admit()
    plan.add(sequence("b", 200, arrival=1, client="one"))
    assert "b" == names(plan.admit())


def test_prompts_are_read_by_priority() -> None:
    """A keystroke that came last is read first, and no prompt of a lesser priority is read in its steps."""
    plan = scheduler(n_slots=4, n_batch=100)
    plan.add(sequence("a", 60, Priority.CHAT, arrival=0))
    plan.add(sequence("b", 60, Priority.COMPLETION, arrival=1))
    assert [("b", 0, 60, True)] == pieces(do_step(plan))


def test_background_work_leaves_room_to_be_overtaken() -> None:
    """A step of background work alone keeps the goal, since a key press may have to wait for its end."""
    plan = scheduler(n_batch=512)
    plan.add(sequence("a", 500, Priority.BACKGROUND))
    assert [("a", 0, 48, False)] == pieces(do_step(plan))


def test_background_work_stays_out_of_the_steps_of_a_stream() -> None:
    """Where a row costs time, neither a background stream nor a background prompt makes a completion's steps longer."""
    plan = scheduler(n_slots=6)
    plan.add(sequence("a", 5, Priority.BACKGROUND))
    do_step(plan)
    plan.add(sequence("b", 90, Priority.BACKGROUND, arrival=1))
    plan.add(sequence("c", 5, arrival=2))
    do_step(plan)
    assert [[("c", 5 + n, 1, True)] for n in range(10)] == [pieces(do_step(plan)) for n in range(10)]


def test_background_streams_come_along_where_they_are_free() -> None:
    """On a GPU a second row costs nothing."""
    plan = scheduler(n_slots=4, pace=gpu())
    plan.add(sequence("a", 5, Priority.BACKGROUND))
    do_step(plan)
    plan.add(sequence("b", 5, arrival=1))
    assert [("b", 0, 5, True)] == pieces(do_step(plan))
    assert [("a", 5, 1, True), ("b", 5, 1, True)] == pieces(do_step(plan))


def test_chats_that_somebody_reads_go_on() -> None:
    """A chat's stream gets its token beside a completion's prompt, which then keeps the goal."""
    plan = scheduler(n_slots=4)
    plan.add(sequence("a", 5, Priority.CHAT))
    do_step(plan)
    plan.add(sequence("b", 90, arrival=1))
    assert [("a", 5, 1, True), ("b", 0, 48, False)] == pieces(do_step(plan))


def test_a_chat_guesses_nothing_while_a_completion_is_written() -> None:
    """Its guesses would make each step of the other four times as long; it guesses again when it leads."""
    plan = scheduler(n_slots=4)
    chat, key_press = sequence("a", 5, Priority.CHAT), sequence("b", 5, arrival=1)
    plan.add(chat)
    do_step(plan)
    plan.add(key_press)
    do_step(plan)
    assert (key_press,) == plan.streams()
    chat.draft, key_press.draft = (ord("a"),) * 8, (ord("b"),) * 3
    assert [("a", 0), ("b", 3)] == [(chr(p.sequence.tokens[0]), len(p.draft)) for p in plan.plan().pieces]
    plan.remove(key_press)
    assert (chat,) == plan.streams()
    assert [8] == [len(piece.draft) for piece in plan.plan().pieces]


def test_what_was_left_out_for_long_gets_a_little() -> None:
    """After so many steps without it, a step reads the least piece of a background prompt, and so on."""
    plan = scheduler(n_slots=4)
    background = sequence("a", 300, Priority.BACKGROUND)
    plan.add(background)
    do_step(plan)
    plan.add(sequence("b", 5, arrival=1))
    read = [dict.fromkeys(names([p.sequence for p in do_step(plan).pieces])) for _ in range(3 * PATIENCE)]
    assert [PATIENCE, 2 * PATIENCE + 1] == [n for n, who in enumerate(read) if "a" in who]
    assert 48 + 2 * 16 == background.n_read


def test_background_work_has_at_most_half_of_the_slots() -> None:
    """A key press finds one that is free, whose tokens nobody has written over."""
    plan = scheduler(n_slots=5)
    for arrival, name in enumerate("abcd"):
        plan.add(sequence(name, 5, Priority.BACKGROUND, arrival=arrival))
    assert ("abc", 1) == (names(plan.admit()), plan.n_waiting)
    plan.add(sequence("e", 5, arrival=4))
    assert ("e", 0) == (names(plan.admit()), plan.n_preempted)


def test_a_chat_takes_the_place_of_background_work() -> None:
    """Where all quiet places are taken, the better of the quiet ones goes in."""
    plan = scheduler(n_slots=2)
    plan.add(sequence("a", 5, Priority.BACKGROUND))
    plan.admit()
    plan.add(sequence("b", 5, Priority.CHAT, arrival=1))
    assert ("b", 1) == (names(plan.admit()), plan.n_preempted)


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
    """Of two chats the one with more to do gives way, and goes on without loss when there is room again."""
    plan = scheduler(n_slots=3)
    shorter = sequence("a", 5, Priority.CHAT, arrival=0)
    longer = sequence("b", 6, Priority.CHAT, arrival=1)
    plan.add(shorter)
    plan.add(longer)
    do_step(plan)
    do_step(plan)
    key_presses = [sequence("c", 5, arrival=2), sequence("d", 5, arrival=3)]
    for key_press in key_presses:
        plan.add(key_press)
    assert ("cd", 1) == (names(plan.admit()), plan.n_preempted)
    assert (None, 0) == (longer.slot, longer.n_read)
    assert 8 == len(longer.tokens)
    for key_press in key_presses:
        plan.remove(key_press)
    assert "b" == names(plan.admit())
    assert [("a", 6, 1, True), ("b", 0, 8, True)] == pieces(plan.plan())


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
    gone, stays = sequence("a", 20), sequence("b", 20, arrival=1)
    plan.add(gone)
    plan.add(stays)
    plan.admit()
    assert [("a", 0, 20, True), ("b", 0, 20, True)] == pieces(plan.plan())
    plan.remove(gone)
    assert [("b", 0, 20, True)] == pieces(plan.plan())


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
