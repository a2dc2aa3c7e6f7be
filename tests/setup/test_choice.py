from __future__ import annotations

import pytest

from codeassistd.catalogue.manifest import HubSource, Licence, Manifest, Size
from codeassistd.catalogue.profile import FimOrder, ProfileSpec
from codeassistd.engine.llama.speed import Speed
from codeassistd.setup.choice import Choice, Judged, Machine, Pace, Verdict, choose
from codeassistd.setup.measure import pace_of

GIB = 2**30
ROOMY = Machine(64 * GIB, 60 * GIB, 0, 500 * GIB)
#: 1 ms a step, 20 ms for each gigabyte (50 GB/s), 1 ms to read a token with a billion weights.
DESKTOP = Pace(1.0, 20.0, 1.0)


def manifest(name: str, billions: float, *, fim: bool = True, ask: bool = False, active: float = 0.0) -> Manifest:
    """A model of one byte a weight."""
    order = ProfileSpec(FimOrder.PSM, "<p>", "<s>", "<m>") if fim else ProfileSpec(FimOrder.PREFIX)
    size = Size(int(billions * 1e9), int((active or billions) * 1e9), int(billions * 1e9))
    licence = Licence("Terms", "https://example.org/terms", needs_acceptance=ask)
    return Manifest(name, name, HubSource("o/r", "f", "main"), licence, 4096, order, size=size)


STARTER = manifest("starter", 0.1, fim=False)
SMALL, MEDIUM, LARGE = manifest("small", 0.5), manifest("medium", 1.5), manifest("large", 7)


def verdicts(choice: Choice) -> dict[str, Verdict]:
    return {one.name: one.verdict for one in choice.judged}


def test_the_largest_that_answers_in_time_is_chosen() -> None:
    """48 tokens read and 16 written: 48 * 1.5 + 16 * (1 + 30) = 568 ms are within 600, 2,632 are not."""
    choice = choose([STARTER, SMALL, MEDIUM, LARGE], ROOMY, DESKTOP)
    assert "medium" == choice.name
    assert [
        ("large", Verdict.TOO_SLOW, 2592.0),
        ("medium", Verdict.CHOSEN, 568.0),
        ("small", Verdict.SMALLER, 200.0),
        ("starter", Verdict.SMALLER, 52.8),
    ] == [(one.name, one.verdict, round(one.answer_ms, 1)) for one in choice.judged]


def test_what_the_next_larger_one_lacks_is_told() -> None:
    """One line for people: the figure and the goal."""
    following = choose([STARTER, SMALL, MEDIUM, LARGE], ROOMY, DESKTOP).next_larger
    assert following is not None
    assert ("large", "2.6 s for an answer, which should come in 0.6 s") == (following.name, following.needs)


def test_nothing_is_larger_than_the_largest() -> None:
    """Then there is nothing to tell."""
    assert choose([STARTER, SMALL], ROOMY, DESKTOP).next_larger is None


def test_one_that_fills_in_the_middle_comes_before_a_larger_one_that_does_not() -> None:
    """It sees what stands behind the cursor."""
    assert "small" == choose([manifest("prose", 1.0, fim=False), SMALL], ROOMY, DESKTOP).name


def test_a_mixture_is_as_fast_as_what_it_computes_with_and_as_large_as_all_of_it() -> None:
    """It is chosen for its speed, and refused for its size."""
    mixture = manifest("mixture", 30, active=1)
    assert "mixture" == choose([mixture, MEDIUM], ROOMY, DESKTOP).name
    little = Machine(32 * GIB, 30 * GIB, 0, 500 * GIB)
    assert {"mixture": Verdict.MEMORY, "medium": Verdict.CHOSEN} == verdicts(choose([mixture, MEDIUM], little, DESKTOP))


@pytest.mark.parametrize(
    ("machine", "needs"),
    [
        (Machine(4 * GIB, 3 * GIB, 0, 500 * GIB), "7.0 GiB of memory, of which it may take 2.0"),
        (Machine(64 * GIB, 3 * GIB, 0, 500 * GIB), "7.0 GiB of memory, of which it may take 3.0"),
        (Machine(64 * GIB, 60 * GIB, 4 * GIB, 500 * GIB), "7.0 GiB of memory of the GPU, of which it may take 3.6"),
        (Machine(64 * GIB, 60 * GIB, 0, 5_000_000_000), "7.0 GB on the disk, where 5.0 are free"),
    ],
)
def test_what_has_no_room_is_not_chosen(machine: Machine, needs: str) -> None:
    """Memory is half of the machine's and what is free of it, or most of the GPU's; then comes the disk."""
    choice = choose([LARGE, SMALL], machine, Pace(0.1, 0.1, 0.01))
    assert "small" == choice.name
    assert needs == choice.judged[0].needs


def test_a_licence_that_must_be_accepted_is_named_and_passed_over() -> None:
    """Nobody agrees on behalf of the user."""
    choice = choose([manifest("terms", 1.0, ask=True), SMALL], ROOMY, DESKTOP)
    assert "small" == choice.name
    assert Verdict.LICENCE is choice.judged[0].verdict
    assert "your agreement to the Terms (https://example.org/terms)" == choice.judged[0].needs


def test_what_is_here_already_was_agreed_to_and_needs_no_disk() -> None:
    """It was pulled with its licence accepted."""
    terms, full = manifest("terms", 1.0, ask=True), Machine(64 * GIB, 60 * GIB, 0, 0)
    assert "terms" == choose([terms], full, DESKTOP, frozenset({"terms"})).name


def test_where_all_are_too_slow_the_least_is_chosen() -> None:
    """Late is better than never, and it can be asked by hand."""
    choice = choose([STARTER, SMALL], ROOMY, Pace(100.0, 1000.0, 50.0))
    assert "starter" == choice.name
    assert choice.next_larger is not None
    assert "small" == choice.next_larger.name


def test_without_room_for_any_none_is_chosen() -> None:
    """The caller says so."""
    assert choose([STARTER], Machine(GIB // 2, GIB // 4, 0, GIB), DESKTOP).name is None


def test_models_without_a_size_are_passed_over() -> None:
    """They are for those who name them."""
    assert (
        () == choose([Manifest("x", "x", STARTER.source, STARTER.licence, 1, STARTER.profile)], ROOMY, DESKTOP).judged
    )


def test_judged_is_a_plain_row() -> None:
    """Nothing missing, nothing said."""
    assert "" == Judged("x", Verdict.CHOSEN, 1.0, 1).needs


def speed(write_ms: float, gigabytes: float, device: str = "cpu") -> Speed:
    return Speed(2.0, write_ms, int(gigabytes * 1e9), device)


def test_two_formats_of_one_model_tell_what_memory_costs() -> None:
    """11.5 ms for 0.1 GB and 26.5 for 0.3: 75 ms a gigabyte, and 4 that any step takes."""
    pace = pace_of(speed(11.5, 0.1), speed(26.5, 0.3), 100_000_000)
    assert (4.0, 75.0, 20.0) == (round(pace.fixed_ms, 6), round(pace.ms_per_gb, 6), pace.read_ms_per_billion)


@pytest.mark.parametrize(
    ("wide_ms", "device", "ms_per_gb"),
    [(9.0, "cpu", 50.0), (9.0, "gpu", 2.0), (90.0, "cpu", 100.0)],
)
def test_noise_promises_no_wonders(wide_ms: float, device: str, ms_per_gb: float) -> None:
    """A wider copy that seems no slower leaves at least half of a step to memory, on a GPU a fiftieth; at most all."""
    pace = pace_of(speed(10.0, 0.1, device), speed(wide_ms, 0.3, device), 100_000_000)
    assert ms_per_gb == round(pace.ms_per_gb, 6)


def test_a_large_model_alone_counts_as_memory() -> None:
    """Its step is all reading."""
    pace = pace_of(speed(100.0, 2.0), None, 1_000_000_000)
    assert (0.0, 50.0) == (pace.fixed_ms, pace.ms_per_gb)
