"""From a question to its prompt: the hard budget, who leaves the window, and how rarely the beginning changes."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from codeassistd.chat.limits import Limits, limits_of, n_leaving, n_leaving_ahead
from codeassistd.chat.prepare import prefix_of, prepare, turns_to_summarise
from codeassistd.chat.turn import PartKind
from codeassistd.config import ChatSettings
from codeassistd.errors import UsageError
from tests.support.chatting import CHATML, asked, conversation, desk, spelled, turn, writer


def test_the_context_is_shared_out() -> None:
    """A small one gets a smaller window, not a smaller share of nothing."""
    assert Limits(8192, 1024, 1638, 1810, 5430) == limits_of(ChatSettings(), 8192, 100)
    assert Limits(2048, 512, 409, 342, 1027) == limits_of(ChatSettings(), 2048, 100)
    assert Limits(1024, 256, 204, 154, 464) == limits_of(ChatSettings(kv_tokens=1024), 8192, 100)
    assert Limits(65536, 1024, 2048, 2730, 8192) == limits_of(ChatSettings(), 65536, 100)


def test_the_oldest_leave_until_the_rest_has_room() -> None:
    """All of them, if the newest alone is too long."""
    assert [0, 1, 3, 4] == [n_leaving([10, 20, 30, 40], room) for room in (100, 90, 40, 39)]


@pytest.mark.parametrize(
    ("sizes", "n_gone"),
    [
        ([], 0),
        ([10] * 7, 0),
        ([10] * 8, 3),
        ([40, 20], 0),
        ([40, 21], 1),
        ([5, 5, 40, 10, 10], 3),
        ([20, 60], 2),
        ([110], 1),
    ],
    ids=["none", "room", "three-quarters", "room-for-the-largest", "no-room-for-it", "till-it-has", "huge", "too-huge"],
)
def test_turns_leave_ahead_of_a_question_as_long_as_any_before(sizes: list[int], n_gone: int) -> None:
    """Of a window of 100: over three quarters, or without room for its largest turn once more, until there is room."""
    assert n_gone == n_leaving_ahead(sizes, 100)


def test_a_question_that_has_no_room_is_refused_in_one_line() -> None:
    """It says what to do."""
    with pytest.raises(UsageError, match=r"the question has \d+ tokens, and the conversation leaves room for \d+"):
        prepare(asked("x" * 3000), conversation(), writer(CHATML), 2048, desk())


def test_of_a_question_of_megabytes_only_the_beginning_is_looked_at() -> None:
    """All of its tokens would take many seconds, on the thread that all conversations share."""
    by = writer(CHATML)
    n_counted = 0

    class Counting:
        def __getattr__(self, name: str) -> object:
            return getattr(by, name)

        def count(self, text: str) -> int:
            nonlocal n_counted
            n_counted += len(text)
            return by.count(text)

    with pytest.raises(UsageError, match=r"^the question has 3000000 letters, and .* leaves room for \d+ tokens; sh"):
        prepare(asked("x" * 3_000_000), conversation(), Counting(), 2048, desk())  # type: ignore[arg-type]  # as good
    assert 2048 < n_counted < 100_000


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(1, 900), min_size=1, max_size=25), st.sampled_from([1024, 2048, 3000]))
def test_no_prompt_is_over_the_budget_and_no_turn_is_lost(lengths: list[int], n_ctx: int) -> None:
    """Each turn stands in the window, or the summary speaks for it; the answer has room beside the prompt."""
    by, talk = writer(CHATML), conversation()
    for number, length in enumerate(lengths, 1):
        question = f"It must keep key_{number}. " + "x" * min(length, n_ctx // 3)
        prepared = prepare(asked(question), talk, by, n_ctx, desk())
        assert len(prepared.ids) + prepared.n_output <= n_ctx
        assert prepared.n_output >= 16
        window = [one.number for one in prepared.conversation.window]
        assert list(range(prepared.conversation.memory.through + 1, number)) == window
        talk = prepared.conversation.added(replace(prepared.turn, said="Yes."))
    text = spelled(by, prepare(asked("So?"), talk, by, n_ctx, desk()).ids)
    if len(lengths) <= 3:
        assert all(f"key_{number}" in text for number in range(1, len(lengths) + 1))


def test_the_beginning_changes_seldom() -> None:
    """Turns leave in batches, so that most prompts go on from the one before."""
    by, talk, prompts = writer(CHATML), conversation(), []
    for number in range(1, 41):
        prepared = prepare(asked(f"It must keep key_{number}. " + "x" * 60), talk, by, 4096, desk())
        prompts.append(prepared.ids)
        talk = prepared.conversation.added(replace(prepared.turn, said="Yes."))
    n_kept = sum(after[: len(before)] == before for before, after in pairwise(prompts))
    assert n_kept >= 35
    assert talk.memory.through > 0


def test_a_window_that_is_nearly_full_is_summarised_ahead() -> None:
    """Half of it stays; a window with room is left alone."""
    by = writer(CHATML)
    prepared = prepare(asked("So?"), conversation(), by, 2048, desk())
    few = conversation(*(turn(number, "x" * 100) for number in range(1, 3)))
    many = conversation(*(turn(number, "x" * 100) for number in range(1, 8)))
    assert () == turns_to_summarise(few, prepared.limits, by)
    assert [1, 2, 3, 4] == [one.number for one in turns_to_summarise(many, prepared.limits, by)]


def test_the_next_prompt_begins_with_what_is_read_ahead() -> None:
    """Whatever is asked."""
    by, talk = writer(CHATML), conversation(turn(1), turn(2))
    ahead = prefix_of(talk, by)
    assert ahead == prepare(asked("Why so?"), talk, by, 4096, desk()).ids[: len(ahead)]
    assert spelled(by, ahead).endswith("<|im_start|>user\n")


def test_a_changed_snippet_is_replaced_and_stays_so(tmp_path: Path) -> None:
    """A note stands in its place, the current text in front of the newest question."""
    file = tmp_path / "cart.py"
    file.write_text("def total(items):\n    return sum(items)\n", encoding="utf-8")
    by, at = writer(CHATML), desk(tmp_path)
    first = prepare(asked("Why?", tmp_path, files=(file,)), conversation(), by, 4096, at)
    talk = first.conversation.added(replace(first.turn, said="So."))
    same = prepare(asked("Why?", tmp_path, files=(file,)), talk, by, 4096, at)
    assert ([], [0]) == (list(same.turn.parts), [part.n_tokens for part in same.parts])
    file.write_text("def total(items):\n    return max(items)\n", encoding="utf-8")
    later = prepare(asked("And now?", tmp_path), talk, by, 4096, at)
    text = spelled(by, later.ids)
    assert "sum(items)" not in text.partition("[cart.py has changed")[0]
    assert "cart.py has changed since" in text
    assert text.index("cart.py has changed since") < text.index("max(items)") < text.index("And now?")
    assert [1] == [one.number for one in later.changed]
    assert [PartKind.NOTE] == [part.kind for part in later.conversation.turns[0].parts]
    named = prepare(asked("And now?", tmp_path, files=(file,)), talk, by, 4096, at)
    assert ["cart.py"] == [part.label for part in named.turn.parts]


def test_a_shown_file_that_became_a_secret_or_ignored_is_not_shown_again(tmp_path: Path) -> None:
    """Its change is not told: it may have become a link to a secret, or have been left out by a rule."""
    file, env = tmp_path / "notes.txt", tmp_path / ".env"
    file.write_text("one line\nanother line\n", encoding="utf-8")
    env.write_text("one line\nKEY=geheim\n", encoding="utf-8")
    by = writer(CHATML)
    first = prepare(asked("Why?", tmp_path, files=(file,)), conversation(), by, 4096, desk(tmp_path))
    talk = first.conversation.added(replace(first.turn, said="So."))

    file.write_text("one line\nmade by a build\n", encoding="utf-8")
    ignored = prepare(asked("And now?", tmp_path), talk, by, 4096, desk(tmp_path, ignored=["notes.txt"]))
    file.unlink()
    file.symlink_to(env)
    secret = prepare(asked("And now?", tmp_path), talk, by, 4096, desk(tmp_path))

    for prepared, hidden in ((ignored, "made by a build"), (secret, "geheim")):
        text = spelled(by, prepared.ids)
        assert (True, False) == ("[notes.txt is gone since]" in text, hidden in text)


def test_a_file_that_left_with_its_turn_is_shown_again(tmp_path: Path) -> None:
    """What stands in the window is not repeated; what no longer does is, also where it leaves at this very question."""
    file = tmp_path / "cart.py"
    file.write_text("def total(items):\n    return sum(items)\n", encoding="utf-8")
    by, at, talk = writer(CHATML), desk(tmp_path), conversation()
    n_shown = 0
    for _ in range(12):
        prepared = prepare(asked("Why? " + "x" * 150, tmp_path, files=(file,)), talk, by, 2048, at)
        assert 1 == spelled(by, prepared.ids).count("return sum(items)")
        n_shown += len(prepared.turn.parts)
        talk = prepared.conversation.added(replace(prepared.turn, said="So."))
    assert 2 <= n_shown <= 4


def test_logs_in_a_question_are_cut_for_the_model_alone() -> None:
    """The user's own words stay in the conversation as they were typed."""
    log = "\n".join(f"2026-01-01 12:00:00 INFO served page{'s' * n}" for n in range(60))
    prepared = prepare(asked(f"Why?\n```\n{log}\n```"), conversation(), writer(CHATML), 8192, desk())
    assert log in prepared.turn.asked
    assert len(prepared.turn.shown) < len(log) / 2
