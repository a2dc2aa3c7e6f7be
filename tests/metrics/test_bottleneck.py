"""What holds users up: cases written out, each with the sentence and the setting that it leads to."""

from __future__ import annotations

import pytest

from codeassistd.metrics.bottleneck import Finding, Limit, bottleneck
from codeassistd.metrics.figures import Figures, ResourceFigures, SystemFigures, UserFigures

GIB = 2**30
#: 20 answers of a second, of which nothing is known but how long they took.
SLOW = {"n_waited": 20, "total_ms_p90": 1000.0}
PLENTY = {"free_bytes": 12 * GIB, "machine_bytes": 16 * GIB, "weight_bytes": 4 * GIB, "kv_bytes": GIB}


def found(
    user: dict[str, float], system: dict[str, object] | None = None, resources: dict[str, float] | None = None
) -> Finding:
    return bottleneck(
        Figures(
            UserFigures(**{**SLOW, **user}),
            SystemFigures(**{"device": "cpu", "n_slots": 4, "n_threads": 8, "n_threads_asked": 8, **(system or {})}),
            ResourceFigures(**{**PLENTY, **(resources or {})}),
        )
    )


@pytest.mark.parametrize(
    ("user", "system", "resources", "expected"),
    [
        pytest.param(
            {"n_waited": 4},
            {},
            {},
            Finding(Limit.UNKNOWN, "too little was asked to say (4 answers of the engine)"),
            id="a new daemon",
        ),
        pytest.param(
            {"n_waited": 1},
            {},
            {},
            Finding(Limit.UNKNOWN, "too little was asked to say (1 answer of the engine)"),
            id="a newer one",
        ),
        pytest.param(
            {"total_ms_p90": 120.0, "decode_share": 0.9},
            {},
            {"others_share": 0.9},
            Finding(Limit.NOTHING, "nothing: 9 of 10 answers come within 120 ms"),
            id="fast, whatever the shares are",
        ),
        pytest.param(
            {"n_waited": 0},
            {},
            {"free_bytes": GIB // 2, "kv_bytes": 6 * GIB},
            Finding(
                Limit.MEMORY,
                "memory is running out: 0.5 GiB of 16.0 GiB are left",
                "keys and values take 6.0 GiB: lower model.n_slots or model.n_ctx, or set model.kv_mb",
            ),
            id="no memory, taken by the cache",
        ),
        pytest.param(
            {},
            {},
            {"free_bytes": GIB // 2},
            Finding(
                Limit.MEMORY,
                "memory is running out: 0.5 GiB of 16.0 GiB are left",
                "weights take 4.0 GiB: choose a smaller model, or close other programs",
            ),
            id="no memory, taken by the weights",
        ),
        pytest.param(
            {"prefill_share": 0.8},
            {"n_threads": 3},
            {"others_share": 0.6},
            Finding(
                Limit.CONTENTION,
                "contention: other programs take 60% of the processor, so 3 of 8 threads are used",
                "end them, or lower model.threads to what they leave",
            ),
            id="a build beside it",
        ),
        pytest.param(
            {"queue_share": 0.3, "prefill_share": 0.6},
            {"queue_ms_p90": 400.0, "n_running": 4, "n_waiting": 3},
            {},
            Finding(
                Limit.QUEUE,
                "the queue: 30% of the waiting is for other requests (p90 400 ms)",
                "raise model.n_slots (now 4), if memory allows",
            ),
            id="more requests than slots",
        ),
        pytest.param(
            {"queue_share": 0.3},
            {"queue_ms_p90": 400.0, "n_running": 1},
            {},
            Finding(
                Limit.QUEUE,
                "the queue: 30% of the waiting is for other requests (p90 400 ms)",
                "lower model.step_ms, so that others' prompts are read in smaller pieces",
            ),
            id="behind long steps of others",
        ),
        pytest.param(
            {"prefill_share": 0.7, "decode_share": 0.2},
            {"prefix_reuse": 0.95},
            {},
            Finding(
                Limit.PREFILL, "reading prompts: 70% of the waiting", "lower context.max_tokens or context.cold_ms"
            ),
            id="prompts are long",
        ),
        pytest.param(
            {"prefill_share": 0.7, "decode_share": 0.2},
            {"prefix_reuse": 0.5},
            {},
            Finding(
                Limit.PREFILL,
                "reading prompts: 70% of the waiting, and only 50% of their tokens come from the cache",
                "raise model.n_slots or model.cache_mb, so that they stay in the cache",
            ),
            id="prompts fall out of the cache",
        ),
        pytest.param(
            {"prefill_share": 0.2, "decode_share": 0.7},
            {},
            {"bandwidth_bytes_per_s": 14e9, "peak_bytes_per_s": 20e9, "bandwidth_share": 0.7},
            Finding(
                Limit.BANDWIDTH,
                "memory bandwidth: writing takes 70% of the waiting at 14.0 of 20.0 GB/s",
                "choose a file with smaller weights, or guess ahead by model.draft",
            ),
            id="weights as fast as memory gives them",
        ),
        pytest.param(
            {"decode_share": 0.7},
            {},
            {"bandwidth_share": 0.2},
            Finding(
                Limit.DECODE,
                "writing: 70% of the waiting, and memory could give more",
                "set model.threads to the number of cores, or choose a smaller model",
            ),
            id="the processor computes too slowly",
        ),
        pytest.param(
            {"decode_share": 0.7},
            {"device": "gpu"},
            {"others_share": 0.9},
            Finding(
                Limit.DECODE,
                "writing: 70% of the waiting, and memory could give more",
                "guess ahead by model.draft, or choose a smaller model",
            ),
            id="a GPU is not slowed down by who takes the processor",
        ),
        pytest.param(
            {"queue_share": 0.1, "prefill_share": 0.1, "decode_share": 0.1},
            {},
            {},
            Finding(
                Limit.ROUND,
                "no part of the engine: 70% of the waiting is before and after it",
                "lower context.definitions, and see `codeassistd explain show`",
            ),
            id="neither queue, prompt nor answer",
        ),
    ],
)
def test_the_bottleneck_is_named_with_the_setting_that_helps(
    user: dict[str, float], system: dict[str, object], resources: dict[str, float], expected: Finding
) -> None:
    """The first rule that has something to say is heard."""
    assert expected == found(user, system, resources)
