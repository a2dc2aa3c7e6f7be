"""What is saved before a slot is written over, and what is copied into it: the moves that the backend is asked for."""

from __future__ import annotations

from codeassistd.engine.prefix_cache import Place
from codeassistd.engine.request import Priority
from codeassistd.engine.slots import N_WORTH, Cut, Keeping, Restore, Save, Slots

FILE = 3 * N_WORTH
BYTES_PER_TOKEN = 10


def slots(n_slots: int = 1, n_files: int = 4, *, can_cut: bool = True, pays: bool = True) -> Slots:
    """Slots with room for so many saved files."""
    keeping = Keeping(n_files * FILE * BYTES_PER_TOKEN, lambda _n_tokens, _n_bytes: pays, can_cut)
    return Slots(n_slots, 10 * FILE, keeping)


def file(letter: str, n_tokens: int = FILE) -> list[int]:
    return [ord(letter)] * n_tokens


def generate(
    slots: Slots, prompt: list[int], client: str = "a", priority: Priority = Priority.COMPLETION
) -> tuple[int, int, list[str]]:
    """One whole generation without an answer: the slot, how many tokens it had, and what was moved."""
    slot = slots.take(prompt, client, priority)
    assert slot is not None
    n_kept = len(slot.tokens)
    moves = carry(slots)
    slots.check_integrity()
    slots.extend(slot.index, prompt[n_kept:])
    slots.checkpoint(slot.index)
    moves += carry(slots)
    slots.release(slot.index)
    slots.check_integrity()
    return slot.index, n_kept, moves


def carry(slots: Slots) -> list[str]:
    """Do all that is asked for, with success; answers what that was."""
    done = []
    for move in slots.take_moves():
        if isinstance(move, Save):
            slots.saved(move.target, move.target.n_tokens * BYTES_PER_TOKEN)
            done.append(f"save slot {move.slot}")
        elif isinstance(move, Restore):
            slots.restored(move.source)
            done.append(f"{move.source.place} to slot {move.slot}")
        else:
            done.append(f"cut slot {move.slot} to {move.n_kept}")
    return done


def test_typing_on_moves_nothing() -> None:
    """The slot of the place itself has all there is."""
    books = slots()
    generate(books, file("p"))
    assert (0, FILE, []) == generate(books, [*file("p"), 1])
    assert (0, FILE, ["cut slot 0 to 192"]) == generate(books, [*file("p"), 2])


def test_two_files_in_one_slot_are_never_read_again() -> None:
    """The one that leaves is saved once, and brought back without its last token."""
    books = slots()
    generate(books, file("p"))
    assert (0, 0, ["save slot 0", "cut slot 0 to 0"]) == generate(books, file("q"))
    back = (0, FILE - 1, ["save slot 0", "memory to slot 0", "cut slot 0 to 191"])
    assert back == generate(books, file("p"))
    again = (0, FILE - 1, ["memory to slot 0", "cut slot 0 to 191"])
    assert again == generate(books, file("q"))
    assert again == generate(books, file("p"))


def test_a_shared_beginning_is_copied_from_another_slot() -> None:
    """A second file of the same workspace begins with the same definitions."""
    books = slots(2)
    generate(books, file("s") + file("p", 2 * FILE))
    assert (1, FILE, ["slot to slot 1", "cut slot 1 to 192"]) == generate(books, file("s") + file("q", 2 * FILE))


def test_another_clients_slot_is_copied_and_stays() -> None:
    """Two editors in one file each have their own cells."""
    books = slots(2)
    generate(books, file("p"), "a")
    assert (1, FILE - 1, ["slot to slot 1", "cut slot 1 to 191"]) == generate(books, file("p"), "b")
    assert (0, FILE, []) == generate(books, [*file("p"), 1], "a")
    assert (1, FILE, []) == generate(books, [*file("p"), 2], "b")


def test_little_is_neither_saved_nor_copied() -> None:
    """What one short step reads is not worth it."""
    books = slots()
    generate(books, file("p", N_WORTH - 1))
    assert (0, 0, ["cut slot 0 to 0"]) == generate(books, file("q"))


def test_nothing_is_moved_where_reading_is_quicker() -> None:
    """On a machine that reads faster than it copies."""
    books = slots(pays=False)
    generate(books, file("p"))
    assert (0, 0, ["cut slot 0 to 0"]) == generate(books, file("q"))


def test_the_answer_is_not_worth_saving_but_the_prompt_is() -> None:
    """A long answer after a short prompt does not make it worth more."""
    books = slots()
    slot = books.take(file("p", 10), "a")
    assert slot is not None
    books.extend(slot.index, file("p", 10) + file("x"))
    books.release(slot.index)
    assert (0, 0, ["cut slot 0 to 0"]) == generate(books, file("q"))


def test_saved_states_are_bounded_and_the_oldest_goes() -> None:
    """With room for two, the third takes the place of the one used least recently."""
    books = slots(n_files=2)
    for letter in "pqrs":
        generate(books, file(letter))
    assert 2 * FILE * BYTES_PER_TOKEN == books.cache.n_bytes(Place.MEMORY)
    assert [FILE] == [holder.n_tokens for holder in books.take_dropped()]
    assert 0 == generate(books, file("p"))[1]
    assert FILE - 1 == generate(books, file("s"))[1]


def test_background_work_leaves_before_any_key_press() -> None:
    """Its slot goes first, and its saved state too."""
    books = slots(2, n_files=1)
    generate(books, file("k"))
    generate(books, file("b"), priority=Priority.BACKGROUND)
    assert (1, 0, ["save slot 1", "cut slot 1 to 0"]) == generate(books, file("q"))
    assert (0, 0, ["save slot 0", "cut slot 0 to 0"]) == generate(books, file("r"))
    assert 0 == generate(books, file("b"))[1]


def test_a_longer_state_takes_the_place_of_a_shorter_one() -> None:
    """A file that has grown is kept once."""
    books = slots()
    generate(books, file("p"))
    generate(books, file("q"))
    generate(books, file("p") + file("g"))
    generate(books, file("q"))
    assert [FILE, 2 * FILE] == sorted(holder.n_tokens for holder in books.cache if holder.place is Place.MEMORY)


def test_a_model_that_cannot_be_cut_goes_on_from_checkpoints() -> None:
    """Saved at the end of each prompt; one that extends it reads only what is new, any other reads all."""
    books = slots(can_cut=False)
    assert (0, 0, ["save slot 0"]) == generate(books, file("p"))
    books.extend(0, [7, 7, 7])  # the answer
    extended = file("p") + file("g")
    assert (0, FILE, ["memory to slot 0", "save slot 0"]) == generate(books, extended)
    assert (0, 0, ["cut slot 0 to 0", "save slot 0"]) == generate(books, [*file("p", FILE - 1), 9, 9])


def test_what_could_not_be_saved_is_unknown() -> None:
    """And no prompt is promised any of it."""
    books = slots()
    generate(books, file("p"))
    books.take(file("q"), "a")
    save, cut = books.take_moves()
    assert isinstance(save, Save)
    assert Cut(0, 0) == cut
    books.lost(save.target)
    books.release(0)
    books.check_integrity()
    assert {Place.SLOT} == {holder.place for holder in books.cache}


def test_a_cleared_backend_keeps_saved_states() -> None:
    """They are not in its cells; what was not carried over yet is gone."""
    books = slots()
    generate(books, file("p"))
    generate(books, file("q"))
    books.take(file("r"), "a")
    books.forget()
    books.release(0)
    books.check_integrity()
    assert 0 == books.cells_used
    assert FILE - 1 == generate(books, file("p"))[1]
    assert 0 == generate(books, file("q"))[1]


def test_a_slot_knows_where_the_start_of_its_prompt_came_from() -> None:
    """Nowhere, its own tokens, another slot's, or a saved state: who explains a request can tell."""
    books = slots(2)
    origins = []
    for prompt in (
        file("s") + file("p", 2 * FILE),
        [*file("s"), *file("p", 2 * FILE), 1],
        file("s") + file("q", 2 * FILE),
        file("x"),
        file("y"),
        file("s") + file("p", 2 * FILE),
    ):
        index, _, _ = generate(books, prompt)
        origins.append(books[index].origin)

    assert ["", "slot", "another slot", "", "", "memory"] == origins
