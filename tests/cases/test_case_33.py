"""Case 33: a quantised value cache without flash attention never ends the process."""

from __future__ import annotations

from pathlib import Path

import pytest

from codeassistd.config import KvType
from codeassistd.engine.engine import Engine
from codeassistd.engine.llama.load import llama_factory
from codeassistd.engine.llama.params import LlamaOptions
from codeassistd.engine.request import EngineState, EngineStatus, FinishReason
from codeassistd.testing.tiny_models import write_tiny_model
from tests.support.engines import answer_of, request, settled
from tests.support.model import model_file


async def status_and_answer(options: LlamaOptions) -> EngineStatus:
    """Load, generate a few tokens, and give the status."""
    engine = Engine(llama_factory(options))
    engine.start()
    assert EngineState.READY == settled(engine)
    answer = await answer_of(engine.submit(request((65, 66, 67), max_tokens=4)))
    assert FinishReason.ERROR != answer.reason
    status = engine.status()
    engine.stop()
    return status


@pytest.mark.model
@pytest.mark.parametrize(
    ("flash", "expected"),
    [
        ("auto", ("on", "f16", "q8_0", "flash attention is on: quantised values (q8_0) need it")),
        ("on", ("on", "f16", "q8_0", None)),
        (
            "off",
            (
                "off",
                "f16",
                "f16",
                "kv_type_v is f16 instead of q8_0: quantised values need flash attention, which is set off",
            ),
        ),
    ],
)
async def test_quantised_values_with_a_real_model(flash: str, expected: tuple[str, str, str, str | None]) -> None:
    """Flash attention is turned on, or the values fall back; one warning, and `status` shows what is in use."""
    options = LlamaOptions(model_file(), 256, 1, 64, threads=1, kv_type_v="q8_0", flash_attention=flash)  # type: ignore[arg-type]  # from a table
    status = await status_and_answer(options)
    effective = dict(status.effective)
    assert expected[:3] == (effective["flash_attention"], effective["kv_type_k"], effective["kv_type_v"])
    assert ((expected[3],) if expected[3] else ()) == status.warnings
    assert ("q8_0", flash) == (dict(status.asked)["kv_type_v"], dict(status.asked)["flash_attention"])


@pytest.mark.parametrize(("keys", "values"), [("f16", "q4_0"), ("q8_0", "q8_0"), ("q5_1", "q5_0")])
async def test_types_that_the_model_cannot_do(tmp_path: Path, keys: KvType, values: KvType) -> None:
    """Heads of 16 values do not fill a block of 32: no such context can be made, and both fall back to 16 bit."""
    path = write_tiny_model(tmp_path / "tiny.gguf")
    status = await status_and_answer(LlamaOptions(path, 256, 1, 64, threads=1, kv_type_k=keys, kv_type_v=values))
    effective = dict(status.effective)
    assert ("f16", "f16") == (effective["kv_type_k"], effective["kv_type_v"])
    assert f"kv_type is f16: this model cannot be run with {keys} keys and {values} values" == status.warnings[-1]
