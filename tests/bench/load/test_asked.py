"""The figures of a load, of requests that are written out."""

from __future__ import annotations

import pytest

from codeassistd.bench.load.asked import Asked, Fate, Kind, Phase, class_rows, keystroke_figures, mix


def key(phase: Phase, took_s: float, fate: Fate = Fate.ANSWERED, nth: int = 4) -> Asked:
    return Asked(Kind.TYPING, phase, fate, 10.0, 10.0 + took_s, nth=nth)


@pytest.mark.parametrize(
    ("n_clients", "expected"),
    [(1, "T"), (2, "TC"), (4, "TCTB"), (8, "TCTBTCTB")],
)
def test_half_of_the_clients_type(n_clients: int, expected: str) -> None:
    """And whoever there are, the first of them does: the others would have nobody to disturb."""
    assert expected == "".join(kind.value[0].upper() for kind in mix(n_clients))


def test_times_are_of_what_was_answered() -> None:
    """What was refused or taken back is counted, and says nothing of how long an answer takes."""
    asked = [
        Asked(Kind.CHAT, Phase.LOAD, Fate.ANSWERED, 1.0, 5.0, first_s=2.0, n_pieces=4),
        Asked(Kind.CHAT, Phase.LOAD, Fate.EMPTY, 1.0, 3.0),
        Asked(Kind.CHAT, Phase.LOAD, Fate.TAKEN_BACK, 1.0, 100.0, first_s=50.0, n_pieces=9),
        Asked(Kind.CHAT, Phase.LOAD, Fate.LOST, 1.0, 200.0),
        Asked(Kind.CHAT, Phase.BESIDE, Fate.ANSWERED, 1.0, 300.0),
    ]

    typing, chat, background = class_rows(asked, seconds=10.0)

    assert {
        "table": "classes",
        "class": "chat",
        "n_asked": 4,
        "n_answered": 1,
        "n_empty": 1,
        "n_refused": 0,
        "n_taken_back": 1,
        "n_lost": 1,
        "per_s": 0.2,
        "total_ms_p50": 3000.0,
        "total_ms_p90": 3800.0,
        "total_ms_p99": 3980.0,
        "first_ms_p50": 1000.0,
        "first_ms_p90": 1000.0,
        "piece_ms_p50": 1000.0,
        "piece_ms_p90": 1000.0,
    } == chat
    assert (0, None) == (typing["n_asked"], typing["total_ms_p50"])
    assert (0, None) == (background["n_asked"], background["first_ms_p90"])


def test_a_key_beside_a_chat_is_compared_with_one_alone() -> None:
    """The 90th percentile of each, without keys under load, of the warm-up, and those that a document is read for."""
    asked = [*[key(Phase.ALONE, 0.1), key(Phase.ALONE, 0.2)] * 15, *[key(Phase.BESIDE, 0.3)] * 30, key(Phase.LOAD, 9.0)]

    asked += [key(phase, 8.0, nth=nth) for phase in (Phase.ALONE, Phase.BESIDE) for nth in (1, 2, 3)]
    asked += [key(Phase.WARM, 7.0)] * 30
    figures = keystroke_figures([*asked, key(Phase.BESIDE, 70.0, Fate.LOST)])

    assert (30, 30) == (figures["n_keys_alone"], figures["n_keys_beside_chat"])
    assert [200.0, 300.0] == [pytest.approx(figures[f"keystroke_{name}_ms_p90"]) for name in ("alone", "beside_chat")]
    assert pytest.approx(300 / 200) == figures["keystroke_ratio"]


def test_the_pieces_that_came_beside_the_keys_are_told() -> None:
    """A chat that was only reading then would not be the one that the ratio speaks of."""
    chats = [Asked(Kind.CHAT, phase, Fate.TAKEN_BACK, 1.0, 9.0, 2.0, 7) for phase in (Phase.BESIDE, Phase.LOAD)]
    assert 7 == keystroke_figures([*chats, key(Phase.BESIDE, 0.1)])["n_pieces_beside_keys"]


def test_of_too_few_keys_there_is_no_ratio() -> None:
    """None, rather than one that chance has made."""
    for n_alone, n_beside in ((0, 30), (30, 0), (29, 30), (30, 29)):
        asked = [*[key(Phase.ALONE, 0.1)] * n_alone, *[key(Phase.BESIDE, 0.1)] * n_beside]
        assert None is keystroke_figures(asked)["keystroke_ratio"]
