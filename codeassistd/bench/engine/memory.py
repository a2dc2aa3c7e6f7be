"""The memory that keys and values take."""

from __future__ import annotations

from codeassistd.bench.engine.measured import Effort, Measured
from codeassistd.bench.engine.rig import Rig
from codeassistd.config import KvType

__all__ = ["kv_bytes"]

_TYPES: tuple[KvType, ...] = ("f16", "q8_0", "q5_1", "q4_0")


async def kv_bytes(rig: Rig, effort: Effort) -> Measured:
    """Bytes of the whole cache as loaded, and of loads with other formats; a format that falls back says so."""
    del effort
    rows = []
    for kv_type in _TYPES:
        info = rig.info_with(kv_type)
        effective = info.effective.get("kv_type_k", ""), info.effective.get("kv_type_v", "")
        rows.append({"table": "kv_bytes", "asked": kv_type, "effective": "/".join(effective), "bytes": info.kv_bytes})
    return Measured({"kv_bytes": rig.info.kv_bytes}, rows)
