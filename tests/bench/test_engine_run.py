"""The whole of `bench engine` on a tiny model in llama.cpp itself: random weights, real steps, no look at speed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from codeassistd.bench.engine.table import MEASUREMENTS
from codeassistd.cli import app
from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.backend import LlamaBackend
from codeassistd.engine.llama.bare import BareLoop
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.request import EngineState
from codeassistd.testing.tiny_models import TinyModel, write_tiny_model
from tests.support.engines import answer_of, request, settled
from tests.support.processes import Home

pytestmark = pytest.mark.slow

PROMPT = tuple(b"def add(a, b):\n    return a + b\n" * 4)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_model(tmp_path_factory.mktemp("models") / "tiny.gguf", TinyModel(n_ctx=2048))


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    monkeypatch.setenv("CODEASSISTD_HOME", str(home.root))
    yield home
    home.close()


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = app.run(["bench", "engine", *argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


async def test_the_bare_loop_writes_what_the_engine_writes(tiny: Path) -> None:
    """Else their times could not be compared."""
    options = LlamaOptions(tiny, n_ctx=256, n_slots=2, threads=1)
    backend = llama_factory(options)(lambda _share: True)
    assert isinstance(backend, LlamaBackend)
    bare = BareLoop(backend)
    engine = Engine(llama_factory(options))
    engine.start()
    try:
        assert EngineState.READY is settled(engine)
        answer = await answer_of(engine.submit(request(PROMPT, max_tokens=12)))
        first = bare.read(PROMPT)
        assert answer.ids == (first, *bare.write(len(answer.ids) - 1))
    finally:
        engine.stop()
        bare.close()
        backend.close()


def test_the_verb_measures_everything(
    tiny: Path, home: Home, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One object with every figure that has a goal, tables as rows, and the plot in its file."""
    del home
    plot = tmp_path / "steps.svg"
    code, out, err = run(capsys, "--model", str(tiny), "--pairs", "1", "--plot", str(plot), "--json")
    report = json.loads(out)

    assert (0, "") == (code, err)
    assert ["schema", "command", "version", "asked", "effective", "figures", "rows"] == list(report)
    assert "bench engine" == report["command"]
    assert (str(tiny), 1) == (report["asked"]["model"], report["asked"]["pairs"])
    assert str(tiny) == report["effective"]["settings"]["model"]
    assert {goal for one in MEASUREMENTS for goal in one.goals} <= set(report["figures"])
    assert {"ratios", "batching", "step_ms_by_tokens", "step_ms_by_others", "kv_bytes"} == {
        row["table"] for row in report["rows"]
    }
    assert plot.read_text(encoding="utf-8").startswith("<svg ")


def test_one_figure_alone_is_a_table_for_people(tiny: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Its goal stands beside it."""
    del home
    code, out, _ = run(capsys, "--model", str(tiny), "--pairs", "1", "--only", "prefill_ratio")
    lines = [line.split() for line in out.splitlines()]

    assert 0 == code
    assert ["figure", "value", "goal", "in", "95", "of", "100"] == lines[0]
    assert ["prefill_ratio", ">=", "0.97"] == [lines[1][0], *lines[1][2:4]]


@pytest.mark.parametrize(
    ("argv", "exit_code", "said"),
    [
        (["--only", "decode_rato"], 2, "did you mean decode_ratio?"),
        (["--pairs", "0"], 2, "--pairs"),
        (["--only", "decode_ratio", "--plot", "x.svg"], 2, "--plot draws step_ms_by_tokens"),
        (["--model", "nobody"], 2, "nobody"),
        (["--model", "/nowhere/model.gguf"], 2, "/nowhere/model.gguf"),
        ([], 1, "codeassistd model pull starter"),
    ],
)
def test_what_cannot_be_measured_is_one_line(
    argv: list[str], exit_code: int, said: str, home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what to do about it."""
    del home
    code, out, err = run(capsys, *argv)

    assert (exit_code, "", 1) == (code, out, err.count("\n"))
    assert said in err


def test_a_daemon_that_holds_a_model_is_in_the_way(tiny: Path, home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    """Both would be slower than alone; who wants that anyway says so."""
    home.start_daemon()
    home.until_ready()

    code, out, err = run(capsys, "--model", str(tiny), "--pairs", "1", "--only", "kv_bytes")
    assert (1, "") == (code, out)
    assert "holds a model" in err
    assert "--beside" in err

    assert 0 == run(capsys, "--model", str(tiny), "--pairs", "1", "--only", "kv_bytes", "--beside")[0]
