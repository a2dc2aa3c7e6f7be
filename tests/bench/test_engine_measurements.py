"""Every measurement runs on scripted models: the figures come out and have their shape; none is judged by its speed."""

from __future__ import annotations

import pytest

from codeassistd.bench.engine.batching import throughput
from codeassistd.bench.engine.corpus import Corpus, library_file
from codeassistd.bench.engine.keys import key_prompts
from codeassistd.bench.engine.measured import Effort
from codeassistd.bench.engine.rig import Generated
from codeassistd.bench.engine.run import measure
from codeassistd.bench.engine.speculation import edit_prompt, same_text
from codeassistd.bench.engine.table import MEASUREMENTS, Measurement, chosen, goals_of
from codeassistd.bench.keystrokes import make_script
from codeassistd.engine.request import Ending, FinishReason, Priority, Token
from codeassistd.errors import EngineError, UsageError
from tests.support.bench_rig import rig_of

pytestmark = pytest.mark.slow

LEAST = Effort(n_pairs=1)
TABLES = {"ratios", "batching", "step_ms_by_tokens", "step_ms_by_others", "kv_bytes"}


def token(identity: int, margin: float = 5.0) -> Token:
    return Token(identity, "x", -0.1, margin)


def generated(*token_s: float) -> Generated:
    ending = Ending(FinishReason.LENGTH, 1, 0, len(token_s), 0.0, 0.0, 0.0, 0.0)
    return Generated(tuple(token(1) for _ in token_s), 0.0, token_s, token_s[-1] if token_s else 0.0, ending)


@pytest.mark.parametrize("measurement", MEASUREMENTS, ids=lambda measurement: measurement.name)
async def test_each_measurement_gives_figures(measurement: Measurement) -> None:
    """Numbers or nothing, and lines of known tables; figures with a goal have a value."""
    async with rig_of() as rig:
        measured = await measurement.run(rig, LEAST)

    assert set(measurement.goals) <= set(measured.figures)
    assert all(value is None or value >= 0 for value in measured.figures.values())
    assert all(measured.figures[name] is not None for name in measurement.goals)
    assert {row["table"] for row in measured.rows} <= TABLES


async def test_measurements_leave_nothing_running() -> None:
    """What one of them started would be measured by the next."""
    async with rig_of() as rig:
        told: list[str] = []
        run = await measure(rig, chosen(["interactive_p90_ratio", "cancel_to_idle_ms"]), LEAST, told.append)

        assert ["interactive_p90_ratio", "cancel_to_idle_ms"] == told
        assert "fake" == run.model
        assert (0, 0) == (rig.engine.status().n_running, rig.engine.status().n_waiting)


async def test_a_model_that_ends_at_once_is_told_from_a_slow_one() -> None:
    """No figure is made up of answers that never came."""
    async with rig_of(answer="") as rig:
        with pytest.raises(EngineError, match="never writes 64 tokens"):
            await chosen(["decode_ratio"])[0].run(rig, LEAST)
        batching = await chosen(["batch8_throughput_ratio"])[0].run(rig, LEAST)

    assert {"batch8_throughput_ratio": None} == dict(batching.figures)


async def test_typed_keys_find_the_prompt_before_them() -> None:
    """The scripted engine keeps whole prefixes, so nearly all of a prompt is known from the key before."""
    async with rig_of() as rig:
        measured = await chosen(["prefix_reuse"])[0].run(rig, Effort(n_pairs=3))

    reuse = measured.figures["prefix_reuse"]
    assert reuse is not None
    assert 0.5 < reuse < 1


async def test_each_key_has_its_prompt() -> None:
    """With the text before the cursor at its end, as it is typed so far."""
    path = library_file("textwrap.py")
    script = make_script(path, "python", path.read_text("utf-8"), 4, 1)
    async with rig_of() as rig:
        prompts = [bytes(ids).decode() for ids in key_prompts(rig, 4)]

    assert 4 == len(prompts)
    for n_keys, prompt in enumerate(prompts):
        typed = (script.before + script.typed(n_keys)).rstrip(" ")
        assert prompt.rstrip(" ").endswith(typed[-20:])


async def test_background_work_is_taken_back() -> None:
    """A follower that is cancelled cancels its generation."""
    async with rig_of() as rig:
        generation = rig.submit(rig.corpus.take(100), 50, priority=Priority.BACKGROUND)
        generation.cancel()
        done = await rig.follow(generation, 0.0)

    assert done.ending.reason in {FinishReason.ABORTED, FinishReason.LENGTH}


def test_no_stretch_of_the_corpus_comes_twice() -> None:
    """Not even after its end: a cache would know it."""
    corpus = Corpus(range(10))

    assert [(0, 1, 2, 3), (4, 5, 6, 7), (1, 2, 3, 4), (5, 6, 7, 8), (2, 3, 4, 5)] == [corpus.take(4) for _ in range(5)]


def test_a_corpus_that_is_too_short_says_so() -> None:
    """Rather than to hand out less than was asked for."""
    with pytest.raises(ValueError, match="the corpus has 3 tokens, 4 are wanted"):
        Corpus(range(3)).take(4)


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        ([(0.0, 1.0, 2.0)], 1.0),
        ([(0.0, 1.0, 2.0, 3.0), (1.0, 2.0, 3.0, 4.0)], 2.0),
        ([(0.0, 1.0), (1.0, 2.0)], None),
        ([(0.0, 1.0), ()], None),
        ([(0.0,)], None),
    ],
)
def test_throughput_counts_the_time_in_which_all_streams_write(
    streams: list[tuple[float, ...]], expected: float | None
) -> None:
    """Before and after, fewer share the step."""
    assert expected == throughput([generated(*token_s) for token_s in streams])


@pytest.mark.parametrize(
    ("drafted", "plain", "expected"),
    [
        ([token(1), token(2)], [token(1), token(2)], True),
        ([token(1), token(2)], [token(1), token(3)], False),
        ([token(1), token(2, 0.4)], [token(1), token(3)], None),
        ([token(1), token(2)], [token(1), token(3, 0.4)], None),
        ([token(1)], [token(1), token(3)], False),
        ([token(1)], [token(1), token(3, 0.1)], None),
        ([], [], True),
    ],
)
def test_a_close_call_proves_nothing(drafted: list[Token], plain: list[Token], expected: bool | None) -> None:  # noqa: FBT001 - a table
    """Other shapes of a batch turn those by rounding; everything else is a fault."""
    assert expected is same_text(drafted, plain)


def test_an_edit_repeats_the_code_under_another_name() -> None:
    """The start of the copy, from which the model goes on."""
    lines = ["total = 1\n", "total += 2\n", "use(total)\n"]

    assert "total = 1\ntotal += 2\nuse(total)\n\n\ntotal_new = 1\n" == edit_prompt(lines)


def test_figures_can_be_chosen_in_any_order() -> None:
    """They run in the order of the table."""
    assert ["decode_ratio", "kv_bytes"] == [one.name for one in chosen(["kv_bytes", "decode_ratio"])]
    assert MEASUREMENTS == chosen([])


@pytest.mark.parametrize(
    ("name", "said"),
    [("decode_rato", "did you mean decode_ratio?"), ("speed", "there are decode_ratio, prefill_ratio")],
)
def test_an_unknown_figure_is_told_with_a_known_one(name: str, said: str) -> None:
    """One line, before a model is loaded."""
    with pytest.raises(UsageError, match=said):
        chosen([name])


def test_no_two_measurements_give_a_goal_to_one_figure() -> None:
    """A figure has one goal."""
    assert sum(len(one.goals) for one in MEASUREMENTS) == len(goals_of(MEASUREMENTS))
