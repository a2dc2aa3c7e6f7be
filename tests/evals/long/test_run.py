"""The same texts are read in several ways, and each is compared with the first."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from codeassistd.cli.eval_long_view import long_report
from codeassistd.config import ModelSettings
from codeassistd.engine.backend import Batch, Logits
from codeassistd.evals.context.reader import Reader
from codeassistd.evals.long.run import LongRun, run_long
from codeassistd.evals.long.ways import AS_SET, REFERENCE, Ladder, Reference, Way, ways_of
from codeassistd.paths import Paths
from codeassistd.testing.fake_backend import FakeBackend
from codeassistd.testing.fake_script import FakeScript
from codeassistd.testing.tiny_models import write_tiny_model


class Fickle(FakeBackend):
    """Expects the letter that it has just read, or on some of them another one."""

    def __init__(self, *, fickle: bool) -> None:
        super().__init__(FakeScript(), n_ctx=1024)
        self.fickle = fickle

    def remove(self, sequence: int, start: int) -> int:
        del sequence
        return start

    def decode(self, batch: Batch) -> Logits | None:
        wanted = [token for token, is_wanted in zip(batch.tokens, batch.wanted, strict=True) if is_wanted]
        scores = np.zeros((len(wanted), self.info.n_vocab), dtype=np.float32)
        for row, token in zip(scores, wanted, strict=True):
            row[ord("?") if self.fickle and token == ord(" ") else token] = 4.0
        return scores


@contextlib.contextmanager
def opened(settings: ModelSettings) -> Iterator[Reader]:
    backend = Fickle(fickle=settings.kv_type_k == "q4_0")
    backend.load(lambda _share: True)
    yield Reader(backend)


@pytest.fixture(scope="module")
def run() -> LongRun:
    quantised = ModelSettings(kv_type_k="q4_0")
    ways = [Way(REFERENCE, ModelSettings()), Way(AS_SET, quantised), Way("other", ModelSettings())]
    return run_long(ways, opened, 1, 1, lambda _way, _done, _total: None)


def test_every_way_reads_the_same_texts(run: LongRun) -> None:
    """And the first one agrees with itself."""
    reference = run.way(REFERENCE).agreements

    assert len(run.probes) == len(reference) == len(run.way(AS_SET).agreements)
    assert all(one.n_same == one.n_tokens and one.nll_change == 0.0 for one in reference)
    assert run.way("other").agreements == reference


def test_a_way_that_chooses_otherwise_is_seen(run: LongRun) -> None:
    """Token by token."""
    for probe, one in zip(run.probes, run.way(AS_SET).agreements, strict=True):
        n_blanks = probe.text.encode()[15:-1].count(b" ")

        assert one.n_tokens - one.n_same == n_blanks, probe.name


def test_the_json_has_each_way_by_kind_of_text(run: LongRun) -> None:
    """The figures are of the way that is set; the comparison is between it and the other one."""
    report = json.loads(long_report(run, "other", {"limit": 1}).as_json())

    assert ["schema", "command", "version", "asked", "effective", "figures", "rows"] == list(report)
    assert ("eval long", {"limit": 1}) == (report["command"], report["asked"])
    assert {"device": "fake"} == report["effective"]["settings"] == report["effective"]["reference"]
    assert {
        "n_probes",
        "n_tokens",
        "agreement_share",
        "clear_agreement_share",
        "written_agreement_share",
        "perplexity",
        "nll_change",
        "compile_rate",
        "pass_rate",
    } == set(report["figures"])
    ways = [row["way"] for row in report["rows"] if row["table"] == "ways" and row["kind"] == "all"]
    assert [REFERENCE, AS_SET, "other"] == ways
    changes = {row["figure"]: row["verdict"] for row in report["rows"] if row["table"] == "vs"}
    assert "more" == changes["agreement_share"]
    assert "no difference seen" == changes["compile_rate"]


def test_the_ways_change_one_thing_each(tmp_path: Path) -> None:
    """Beside the reference: what is set, each format of the weights, each format of the cache."""
    model = tmp_path / "tiny.gguf"
    write_tiny_model(model)
    settings = ModelSettings(name=str(model), kv_type_k="q5_0", n_ctx=512)
    ladder = Ladder(Reference.F16, ("q8_0",), ("q4_0",))
    paths = Paths.resolve({"CODEASSISTD_HOME": str(tmp_path / "home")})
    with ways_of(paths, settings, ladder) as ways:
        made = {way.name: way.settings for way in ways}
        assert all(Path(chosen.name).is_file() for chosen in made.values())

    assert [REFERENCE, AS_SET, "weights q8_0", "cache q4_0"] == list(made)
    assert settings == made[AS_SET]
    formats = {name: (chosen.kv_type_k, chosen.kv_type_v) for name, chosen in made.items()}
    assert ("f16", "f16") == formats[REFERENCE] == formats["weights q8_0"]
    assert ("q4_0", "q4_0") == formats["cache q4_0"]
    assert made[REFERENCE].name == made["cache q4_0"].name != made["weights q8_0"].name
    assert [model] == list(tmp_path.rglob("*.gguf"))
